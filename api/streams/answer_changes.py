"""The answers of a standing question as they change: told from the rows, so that none is missed and none told twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import redis
import redis.asyncio
import structlog
from anyio import to_thread

from api.schemas.records import record_json
from domain import EventKind
from domain.record import Event, Record
from store.ephemeral.events import follow

log = structlog.get_logger()

#: how long the stream may be silent before the rows are looked at: an event may have been lost
SILENCE_S = 10.0

ReadRecord = Callable[[], Record]


async def changes(
    listener: redis.asyncio.Redis, question_id: str, read_record: ReadRecord, *, after: int | None
) -> AsyncIterator[Event]:
    """Yield ``changed`` with the record for each new answer while the question is watched, then ``stopped``.

    ``after`` is the id of the last change that is known (milliseconds); None: the one that stands now.
    """
    record = await to_thread.run_sync(read_record)
    known = _moment(record) if after is None else after
    signs = _signs(listener, question_id)
    while record.watched:
        if record.status.is_final and _moment(record) > known:
            known = _moment(record)
            yield Event(id=str(known), kind=EventKind.CHANGED, data=record_json(record))
        await anext(signs)
        record = await to_thread.run_sync(read_record)
    yield Event(id=str(known), kind=EventKind.STOPPED, data={"question": question_id})


async def _signs(listener: redis.asyncio.Redis, question_id: str) -> AsyncIterator[None]:
    """Yield when it is time to look at the rows."""
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
