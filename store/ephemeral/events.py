"""Progress as a Redis Stream per question: read live, replayed for a reader who reconnects."""

import asyncio
import json
import threading
import time
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import redis
import redis.asyncio
import structlog

from domain import EventKind
from domain.record import Event

log = structlog.get_logger()

#: a stream outlives its last event by this, and its question's end by this; then the rows alone remember
KEEP_S, KEEP_ENDED_S = 3_600, 300
#: of the memory that Redis may use: above it only the end of a question is published, and SQL is read for the rest
MOST_MEMORY = 0.8
#: of an event; a larger one says its kind and what is short
MAX_BYTES = 16_000
#: longer than any step that was at work on a question when it was deleted
LATE_S = 3_600
MAX_EVENTS = 1_000
#: events of a stream that are read at a time
_AT_ONCE = 100
#: longest wait of one reading for all followers; it is ended when another question is followed
_BLOCK_MS = 2_000
#: of records from SQL for all who follow: at a time, so that other requests have threads, and in a second of silence
_READINGS, _READINGS_A_SECOND = 4, 20.0
#: after which a question's stream is soon read no more
_LASTING = (EventKind.FINAL, EventKind.CHANGED, EventKind.UNWATCHED)


#: for so long a figure is used again
FRESH_S = 1.0


@dataclass(frozen=True, kw_only=True)
class MemoryUse:
    """Used and allowed bytes."""

    used: int
    limit: int  #: 0: none is set

    @property
    def share(self) -> float:
        """Return the part of the allowed memory that is used; 0 where no limit is set."""
        return self.used / self.limit if self.limit else 0.0


def memory_use(client: redis.Redis) -> MemoryUse:
    """Return what Redis uses now; raises redis.RedisError."""
    said = client.info("memory")
    return MemoryUse(used=said["used_memory"], limit=said["maxmemory"])


class RedisMemory:
    """The memory of one Redis, asked for at most once a second."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._lock = threading.Lock()
        self._known: tuple[float, MemoryUse] | None = None

    def use(self) -> MemoryUse:
        """Return what it uses; nothing while it does not answer."""
        with self._lock:
            now = time.monotonic()
            if self._known is None or now - self._known[0] > FRESH_S:
                self._known = now, self._read()
            return self._known[1]

    def _read(self) -> MemoryUse:
        try:
            return memory_use(self._redis)
        except redis.RedisError:
            return MemoryUse(used=0, limit=0)


class Events:
    """Publishes progress; losing one harms nothing, because the rows are the truth."""

    def __init__(self, client: redis.Redis, space: str = "", *, memory: RedisMemory | None = None) -> None:
        self._redis = client
        self._space = space
        self._memory = memory or RedisMemory(client)

    def within(self, space: str) -> "Events":
        """Return those of another collection: a question's id may be the same in two."""
        return Events(self._redis, space, memory=self._memory)

    def publish(self, question_id: str, kind: EventKind, data: Mapping[str, Any]) -> None:
        """Add an event, unless the question was deleted; a Redis that is away or full is logged and forgiven."""
        key, ends = _key(self._space, question_id), kind in _LASTING
        if not ends and self._memory.use().share >= MOST_MEMORY:
            log.debug("event_left_out", question=question_id, kind=kind)
            return
        try:
            with self._redis.pipeline(transaction=False) as pipe:
                pipe.xadd(key, {"kind": kind, "data": _short(data)}, maxlen=MAX_EVENTS, approximate=True)
                pipe.expire(key, KEEP_ENDED_S if ends else KEEP_S)
                pipe.exists(_deleted_key(self._space, question_id))
                if pipe.execute()[-1]:
                    self._redis.delete(key)
        except redis.RedisError as error:
            log.warning("event_not_published", question=question_id, kind=kind, error=str(error))

    def forget(self, question_ids: Iterable[str]) -> None:
        """Delete the events of questions; raises redis.RedisError when they are not deleted."""
        if keys := [_key(self._space, question_id) for question_id in question_ids]:
            self._redis.delete(*keys)

    def forget_deleted(self, question_ids: Sequence[str]) -> None:
        """Delete the events of deleted questions, and what late steps still publish; raises redis.RedisError."""
        with self._redis.pipeline() as pipe:
            for question_id in question_ids:
                pipe.set(_deleted_key(self._space, question_id), 1, ex=LATE_S)
            pipe.execute()
        self.forget(question_ids)

    def forget_all(self) -> None:
        """Delete the events of all questions of the collection; raises redis.RedisError when they are not deleted."""
        for keys in (_key(self._space, "*"), _deleted_key(self._space, "*")):
            for key in self._redis.scan_iter(match=keys, count=1_000):
                self._redis.delete(key)


class EventReader:
    """Reads the events of all questions that are followed in this process, over one connection.

    It belongs to one event loop.
    """

    def __init__(self, client: redis.asyncio.Redis) -> None:
        self._redis = client
        self._queues: dict[str, set[_Queue]] = {}  #: of the followers of each stream
        self._last: dict[str, str] = {}  #: the id of the last event that was read of each stream
        #: a stream of our own: an event in it ends the wait for others
        self._wake_stream = f"wellread:wakes:{uuid4().hex}"
        self._task: asyncio.Task[None] | None = None
        self.readings = asyncio.Semaphore(_READINGS)  #: of records at a time
        self.followers = 0

    def silence_s(self, least_s: float) -> float:
        """Return after how many seconds without an event a follower looks at SQL: later, where many do."""
        return max(least_s, self.followers / _READINGS_A_SECOND)

    async def aclose(self) -> None:
        """Stop reading."""
        self._last.clear()
        if self._task is not None:
            self._task.cancel()
        await self._redis.aclose()  # which ends a reading that has lost the cancellation
        if self._task is not None:
            await asyncio.wait([self._task])

    @contextmanager
    def _joined(self, keys: Iterable[str]) -> "Iterator[_Queue]":
        """Have what is read of these streams put into a queue."""
        queue: _Queue = asyncio.Queue()
        self.followers += 1
        for key in keys:
            self._queues.setdefault(key, set()).add(queue)
        try:
            yield queue
        finally:
            self.followers -= 1
            for key in keys:
                self._queues[key].discard(queue)
                if not self._queues[key]:
                    del self._queues[key]
                    self._last.pop(key, None)

    async def _stored(self, last: Mapping[Any, Any]) -> list[tuple[str, Event]]:
        return _events(await self._redis.xread(dict(last), count=_AT_ONCE))

    async def _read_on(self, last: Mapping[str, str]) -> None:
        """Read these streams from where they were read last, too."""
        new = {key: entry_id for key, entry_id in last.items() if key not in self._last}
        self._last |= new
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())
        elif new:
            with suppress(redis.ResponseError):  # where Redis is full, it is read a moment later
                pipe = self._redis.pipeline(transaction=False)
                pipe.xadd(self._wake_stream, {"kind": "", "data": "{}"}, maxlen=1)
                pipe.expire(self._wake_stream, KEEP_ENDED_S)
                await pipe.execute()

    async def _run(self) -> None:
        last_wake = "0"
        try:
            while self._last:
                streams: dict[Any, Any] = {**self._last, self._wake_stream: last_wake}
                for key, event in _events(await self._redis.xread(streams, count=_AT_ONCE, block=_BLOCK_MS)):
                    if key == self._wake_stream:
                        last_wake = event.id
                    elif key in self._last:
                        self._last[key] = event.id
                        self._deliver(key, event)
        except redis.RedisError as error:
            self._last.clear()
            for key in self._queues:
                self._deliver(key, error)

    def _deliver(self, key: str, what: Event | redis.RedisError) -> None:
        for queue in self._queues.get(key, ()):
            queue.put_nowait((key, what))


_Queue = asyncio.Queue[tuple[str, Event | redis.RedisError]]


@dataclass(frozen=True)
class Listener:
    """What a reader of a collection's events needs."""

    reader: EventReader
    space: str = ""  #: the collection's


async def follow(
    listener: Listener, question_id: str, *, leader_id: str = "", after: str = "0", block_s: float = 10.0
) -> AsyncGenerator[Event | None]:
    """Yield the question's events after the given id, oldest first; None each time ``block_s`` pass without one,
    or longer where very many are followed.

    With a leader, its events are the question's too: an id is a time, so one ``after`` serves both streams.
    """
    reader = listener.reader
    last = {_key(listener.space, each): after for each in (question_id, leader_id) if each}
    with reader._joined(tuple(last)) as queue:
        while stored := await reader._stored(last):
            for key, event in stored:
                last[key] = event.id
                yield event
            if len(stored) < _AT_ONCE:
                break
        await reader._read_on(last)
        while True:
            try:
                async with asyncio.timeout(block_s if block_s < 1 else reader.silence_s(block_s)):
                    key, received = await queue.get()
            except TimeoutError:
                yield None
                continue
            if isinstance(received, redis.RedisError):
                raise received
            if _moment(received.id) > _moment(last[key]):  # else it was stored, too
                last[key] = received.id
                yield received


def _short(data: Mapping[str, Any]) -> str:
    """Return the data as JSON; without its lists, mappings and long texts where it is too long."""
    whole = json.dumps(data)
    if len(whole) <= MAX_BYTES:
        return whole
    return json.dumps({name: value for name, value in data.items() if len(json.dumps(value)) <= 100})


def _events(streams: Any) -> list[tuple[str, Event]]:
    """Return what was read of streams, each event with the stream's key, oldest first."""
    pairs = streams.items() if isinstance(streams, dict) else streams or ()
    events: list[tuple[str, Event]] = []
    for key, found in pairs:
        rows = (
            found[0] if found and isinstance(found[0], list) and found[0] and isinstance(found[0][0], tuple) else found
        )
        for entry_id, fields in rows:
            named = {_text(name): _text(value) for name, value in fields.items()}
            event = Event(id=_text(entry_id), kind=named["kind"], data=json.loads(named["data"]))
            events.append((_text(key), event))
    return sorted(events, key=lambda each: _moment(each[1].id))


def _moment(entry_id: str) -> tuple[int, int]:
    milliseconds, _, number = entry_id.partition("-")
    return int(milliseconds), int(number or 0)


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _key(space: str, question_id: str) -> str:
    return f"wellread:events:{space}:{question_id}" if space else f"wellread:events:{question_id}"


def _deleted_key(space: str, question_id: str) -> str:
    return _key(space, question_id).replace("wellread:events:", "wellread:deleted:", 1)
