"""Progress as a Redis Stream per question: read live, replayed for a reader who reconnects."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import redis
import redis.asyncio
import structlog

from domain import EventKind
from domain.record import Event
from store.ephemeral.memory import Memory

log = structlog.get_logger()

#: a stream outlives its last event by this, and its question's end by this; then the rows alone remember
KEEP_S, KEEP_ENDED_S = 3_600, 300
#: of the memory that Redis may use: above it only that a question ended is told, and SQL is read for the rest
MOST_MEMORY = 0.8
#: of an event; a larger one says its kind and what is short
MAX_BYTES = 16_000
#: longer than any step that was at work on a question when it was deleted
LATE_S = 3_600
MAX_EVENTS = 1_000
#: after which a question's stream is soon read no more
_LASTING = (EventKind.FINAL, EventKind.CHANGED, EventKind.UNWATCHED)


class Events:
    """Publishes progress; losing one harms nothing, because the rows are the truth."""

    def __init__(self, client: redis.Redis, space: str = "", *, memory: Memory | None = None) -> None:
        self._redis = client
        self._space = space
        self._memory = memory or Memory(client)

    def within(self, space: str) -> Events:
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


@dataclass(frozen=True)
class Listener:
    """What a reader of a collection's events needs."""

    client: redis.asyncio.Redis
    space: str = ""  #: the collection's


async def follow(
    listener: Listener, question_id: str, *, leader_id: str = "", after: str = "0", block_s: float = 10.0
) -> AsyncIterator[Event | None]:
    """Yield the question's events after the given id, oldest first; None each time ``block_s`` pass without one.

    With a leader, its events are the question's too: an id is a time, so one ``after`` serves both streams.
    """
    last: dict[Any, Any] = {_key(listener.space, each): after for each in (question_id, leader_id) if each}
    while True:
        streams = await listener.client.xread(last, count=100, block=int(block_s * 1000))
        if not streams:
            yield None
            continue
        for key, entry_id, fields in sorted(_entries(streams), key=lambda entry: _moment(entry[1])):
            last[key] = entry_id
            yield Event(id=entry_id, kind=fields["kind"], data=json.loads(fields["data"]))


def _short(data: Mapping[str, Any]) -> str:
    """Return the data as JSON; without its lists, mappings and long texts where it is too long."""
    whole = json.dumps(data)
    if len(whole) <= MAX_BYTES:
        return whole
    return json.dumps({name: value for name, value in data.items() if len(json.dumps(value)) <= 100})


def _entries(streams: Any) -> list[tuple[str, str, dict[str, str]]]:
    pairs = streams.items() if isinstance(streams, dict) else streams
    entries: list[tuple[str, str, dict[str, str]]] = []
    for key, found in pairs:
        rows = (
            found[0] if found and isinstance(found[0], list) and found[0] and isinstance(found[0][0], tuple) else found
        )
        for entry_id, fields in rows:
            entries.append((_text(key), _text(entry_id), {_text(name): _text(value) for name, value in fields.items()}))
    return entries


def _moment(entry_id: str) -> tuple[int, int]:
    milliseconds, _, number = entry_id.partition("-")
    return int(milliseconds), int(number)


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _key(space: str, question_id: str) -> str:
    return f"wellread:events:{space}:{question_id}" if space else f"wellread:events:{question_id}"


def _deleted_key(space: str, question_id: str) -> str:
    return _key(space, question_id).replace("wellread:events:", "wellread:deleted:", 1)
