"""Streams the new answers of a watched question; they are read from SQL, so none is missed and none sent twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import redis
import structlog
from anyio import to_thread

from api.schemas.records import record_json
from domain import EventKind
from domain.record import Event, Record
from store.ephemeral.events import Listener, follow

log = structlog.get_logger()

#: seconds of silence after which SQL is read: an event may have been lost
SILENCE_S = 10.0

ReadRecord = Callable[[], Record]


async def changes(
    listener: Listener, question_id: str, read_record: ReadRecord, *, after: int | None
) -> AsyncIterator[Event]:
    """Yield ``changed`` with the record for each new answer while the question is watched, then ``stopped``.

    ``after`` is the id of the last change the caller knows (milliseconds); None: the present one.
    """
    record = await to_thread.run_sync(read_record)
    known = _moment(record) if after is None else after
    wake_ups = _wake_ups(listener, question_id)
    while record.watched:
        if record.status.is_final and _moment(record) > known:
            known = _moment(record)
            yield Event(id=str(known), kind=EventKind.CHANGED, data=record_json(record))
        await anext(wake_ups)
        record = await to_thread.run_sync(read_record)
    yield Event(id=str(known), kind=EventKind.STOPPED, data={"question": question_id})


async def _wake_ups(listener: Listener, question_id: str) -> AsyncIterator[None]:
    """Yield whenever the record may have changed."""
    last = "0"
    while True:
        try:
            async for event in follow(listener, question_id, after=last, block_s=SILENCE_S):
                last = event.id if event else last
                if event is None or event.kind in (EventKind.CHANGED, EventKind.UNWATCHED):
                    yield
        except redis.RedisError as error:
            log.warning("changes_from_rows", question=question_id, error=str(error))
            await asyncio.sleep(SILENCE_S)
            yield


def _moment(record: Record) -> int:
    return 0 if record.changed_at is None else round(record.changed_at.timestamp() * 1000)
