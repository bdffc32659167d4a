"""Whether the parts are there: workers show a sign of life in Redis, and anyone may ask for all of them at once."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

import redis
import structlog

from workers.queues import QUEUE_NAMES

if TYPE_CHECKING:
    from workers.services import Services

log = structlog.get_logger()

BEAT_EVERY_S = 4.0
#: a worker that was silent this long is taken for dead
SILENT_S = 15


def show_life(url: str, queue: str) -> None:
    """Start a thread that keeps telling that this process works on ``queue``."""
    threading.Thread(target=_keep_telling, args=(url, queue), name="sign-of-life", daemon=True).start()


def living_workers(services: Services) -> dict[str, int]:
    """Return how many worker processes show life, by queue; raises redis.RedisError when the broker is away."""
    pipe = services.redis.pipeline(transaction=False)
    oldest = time.time() - SILENT_S
    for queue in QUEUE_NAMES:
        pipe.zcount(_key(queue), oldest, "+inf")
    return dict(zip(QUEUE_NAMES, pipe.execute(), strict=True))


def _keep_telling(url: str, queue: str) -> None:
    client, member = redis.Redis.from_url(url, socket_timeout=5), f"{os.uname().nodename}:{os.getpid()}"
    while True:
        try:
            now = time.time()
            client.zadd(_key(queue), {member: now})
            client.zremrangebyscore(_key(queue), "-inf", now - 10 * SILENT_S)
        except redis.RedisError as error:
            log.debug("sign_of_life_not_heard", queue=queue, error=str(error))
        time.sleep(BEAT_EVERY_S)


def _key(queue: str) -> str:
    return f"wellread:alive:{queue}"
