"""Shows in Redis which workers are alive and ready, and when the sweep last ended."""

import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import redis
import structlog

from domain.flow import QUEUES
from workers.priorities import queue_length

if TYPE_CHECKING:
    from workers.services import Services

log = structlog.get_logger()

BEAT_EVERY_S = 4.0
#: a worker without a heartbeat for this long counts as dead
SILENT_S = 15
#: how long a process that ends waits until that is recorded
_END_S = 1.0
_SWEEP = "wellread:sweep"
#: in place of a queue's name
BEAT = "beat"
_beating: list[tuple[threading.Thread, threading.Event]] = []


@dataclass(frozen=True, kw_only=True)
class LastSweep:
    """The last sweep that ended well."""

    seconds: float  #: how long it took
    ago_s: float


@dataclass(frozen=True, kw_only=True)
class WorkQueue:
    """A queue with the numbers of its workers and waiting messages."""

    name: str
    workers: int
    waiting: int


def start_heartbeat(url: str, queue: str, pid: int) -> None:
    """Start a thread that records again and again that a process is ready to work on a queue, or is beat."""
    is_over = threading.Event()

    def beat() -> None:
        client, member = redis.Redis.from_url(url, socket_timeout=5), f"{os.uname().nodename}:{pid}"
        while not is_over.is_set():
            try:
                now = time.time()
                client.zadd(_key(queue), {member: now})
                client.zremrangebyscore(_key(queue), "-inf", now - 10 * SILENT_S)
            except redis.RedisError as error:
                log.debug("heartbeat_not_sent", queue=queue, error=str(error))
            is_over.wait(BEAT_EVERY_S)
        with suppress(redis.RedisError):
            client.zrem(_key(queue), member)

    thread = threading.Thread(target=beat, name="heartbeat", daemon=True)
    thread.start()
    _beating.append((thread, is_over))


def end_heartbeats() -> None:
    """Have this process count as dead: else the one that is started in its place would be one too many for a while."""
    for _, is_over in _beating:
        is_over.set()
    while _beating:
        _beating.pop()[0].join(_END_S)


def living_beats(services: "Services") -> int:
    """Return the number of processes of beat; raises redis.RedisError when the broker is away."""
    return int(services.redis.zcount(_key(BEAT), time.time() - SILENT_S, "+inf"))


def living_workers(services: "Services") -> dict[str, int]:
    """Return the number of workers that are ready, by queue; raises redis.RedisError when the broker is away."""
    pipe = services.redis.pipeline(transaction=False)
    oldest = time.time() - SILENT_S
    for queue in QUEUES.values():
        pipe.zcount(_key(queue.worker), oldest, "+inf")
    return dict(zip(QUEUES, pipe.execute(), strict=True))


def work_queues(services: "Services") -> list[WorkQueue] | None:
    """Return all queues; None while Redis does not answer."""
    try:
        alive = living_workers(services)
        return [
            WorkQueue(name=name, workers=alive[name], waiting=queue_length(services.redis, name)) for name in QUEUES
        ]
    except redis.RedisError:  # /readyz says what to do
        return None


def record_sweep(services: "Services", seconds: float) -> None:
    """Record that a sweep of all collections ended, and how long it took."""
    services.redis.hset(_SWEEP, mapping={"seconds": seconds, "ended_at": time.time()})


def last_sweep(services: "Services") -> LastSweep | None:
    """Return the last sweep; None before the first one."""
    seconds, ended_at = services.redis.hmget(_SWEEP, "seconds", "ended_at")
    if seconds is None or ended_at is None:
        return None
    return LastSweep(seconds=float(seconds), ago_s=max(0.0, time.time() - float(ended_at)))


def _key(queue: str) -> str:
    return f"wellread:alive:{queue}"
