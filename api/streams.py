"""Streams a question's progress: from its Redis stream, or from SQL while Redis does not answer.

SQL decides: a stream ends when the question's row is final, whatever the Redis stream has or has lost.
Each generator closes the one that it reads from, so that whoever hangs up frees at once what was held for him.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

import anyio
import redis
import structlog
from anyio import to_thread

from api.middleware.auth import InvalidApiKey
from api.schemas.responses import record_json
from domain import EventKind
from domain.record import Event, Record
from store.ephemeral.events import Listener, follow
from store.questions.state import UnknownQuestion

log = structlog.get_logger()

#: seconds between two reads of SQL while Redis does not answer
POLL_EVERY_S = 0.5
#: seconds of silence after which SQL is read: an event may have been lost
SILENCE_S = 3.0
#: seconds that the last reading of a record that was waited for may take
LAST_READ_S = 1.0
#: seconds to wait for stored events of a question that has ended
REPLAY_S = 0.05

ReadRecord = Callable[[], Record]
#: seconds of silence after which SQL is read: an event may have been lost
CHANGES_SILENCE_S = 10.0


class _Followed:
    """A question whose progress is followed: its record, as it was read last."""

    def __init__(self, listener: Listener, read_record: ReadRecord, record: Record, *, last: str = "0") -> None:
        self.record, self._listener, self._read_record = record, listener, read_record
        self.last = last  #: the id of the last event that was seen; "" without Redis

    async def read(self) -> Record:
        """Read the record anew."""
        self.record = await _read(self._listener, self._read_record)
        return self.record

    async def events(self) -> AsyncGenerator[Event]:
        """Yield what happens until the record is final."""
        try:
            async with aclosing(self._from_redis()) as events:
                async for event in events:
                    yield event
        except redis.RedisError as error:
            log.warning("events_from_rows", question=self.record.id, error=str(error))
            async for event in self._from_sql():
                yield event

    async def _from_redis(self) -> AsyncGenerator[Event]:
        """Yield its stream's events; at its ``final``, SQL is read (the question may have been started again since).

        A follower gets its leader's events and, when that ends without an answer, those of the next leader.
        """
        while True:
            leader, block_s = self.record.shared_with, REPLAY_S if self.record.status.is_final else SILENCE_S
            ours = follow(self._listener, self.record.id, leader_id=leader or "", after=self.last, block_s=block_s)
            async with aclosing(ours):
                async for event in ours:
                    self.last = event.id if event else self.last
                    if event is not None and event.kind != EventKind.FINAL:
                        yield event
                        continue
                    record = await self.read()
                    if record.status.is_final:
                        return
                    if record.shared_with != leader:
                        break

    async def _from_sql(self) -> AsyncIterator[Event]:
        while not self.record.status.is_final:
            await asyncio.sleep(self._listener.reader.silence_s(POLL_EVERY_S))
            for event in _new_events(self.record, await self.read()):
                yield event
        self.last = ""


async def _read(listener: Listener, read_record: ReadRecord) -> Record:
    """Read a record for a stream; a cancelled caller does not wait for the reading."""
    async with listener.reader.readings:
        return await to_thread.run_sync(read_record, abandon_on_cancel=True)


async def watch(listener: Listener, read_record: ReadRecord, *, after: str) -> AsyncGenerator[Event]:
    """Yield a question's status, then its progress after the event ``after``, then ``final`` with its record.

    ``read_record`` reads from SQL. Events made from SQL have no id: a client that reconnects gets them again.
    """
    followed = _Followed(listener, read_record, await _read(listener, read_record), last=after)
    yield _status(followed.record)
    async with aclosing(followed.events()) as events:
        async for event in events:
            yield event
    yield Event(id=followed.last, kind=EventKind.FINAL, data=record_json(followed.record))


async def final_record(
    listener: Listener, record: Record, read_record: ReadRecord, *, within_s: float, waiting: set[anyio.CancelScope]
) -> Record:
    """Return the question's record as soon as it is final, or as it is after ``within_s`` seconds.

    ``record`` was read when it was asked: one that is final then is read no more. While SQL does not answer, that is as
    it was when it was read last: the caller is answered in time. Cancelling the scope that is put into ``waiting``
    ends the wait sooner. (A scope, because redis-py loses a single ``Task.cancel()``: it sends through
    ``asyncio.wait_for``, which before Python 3.12 swallows a cancellation that comes as its work is done.)
    """
    if record.status.is_final or within_s <= 0:
        return record
    followed, scope = _Followed(listener, read_record, record), anyio.move_on_after(within_s)
    waiting.add(scope)
    try:
        with scope:
            async for _ in followed.events():
                pass
            return followed.record
    finally:
        waiting.discard(scope)
    with anyio.move_on_after(LAST_READ_S):
        await followed.read()
    return followed.record


def _new_events(before: Record, record: Record) -> list[Event]:
    finished = {page.url for page in before.pages if page.outcome}
    events = []
    for page in record.pages:
        if page.outcome and page.url not in finished:
            data: dict[str, Any] = {"url": page.url, "kind": "page", "text": page.title}
            data |= {"outcome": page.outcome, "reason": page.reason}
            events.append(Event(id="", kind=EventKind.PAGE, data=data))
    if record.provisional and record.revision > before.revision:
        missing = list(record.verdict.missing) if record.verdict else []
        provisional = {"answer": record.answer, "missing": missing, "status": record.status}
        events.append(Event(id="", kind=EventKind.PROVISIONAL, data=provisional))
    if record.status != before.status and not record.status.is_final:
        events.append(_status(record))
    return events


def _status(record: Record) -> Event:
    data = {"status": record.status, "current_step": record.current_step}
    return Event(id="", kind=EventKind.STATUS, data=data)


async def while_open(events: AsyncGenerator[Event], still_open: Callable[[], object]) -> AsyncGenerator[Event]:
    """Yield the events; end once the key opens nothing any more, or the question was deleted."""
    try:
        async with aclosing(events):
            async for event in events:
                await to_thread.run_sync(still_open)
                yield event
    except (InvalidApiKey, UnknownQuestion):
        return


async def changes(
    listener: Listener, question_id: str, read_record: ReadRecord, *, after: int | None
) -> AsyncGenerator[Event]:
    """Yield ``changed`` with the record for each new answer while the question is watched, then ``stopped``.

    ``after`` is the id of the last change the caller knows (milliseconds); None: the present one.
    """
    record = await _read(listener, read_record)
    known = _moment(record) if after is None else after
    async with aclosing(_wake_ups(listener, question_id)) as wake_ups:
        while record.watched:
            if record.status.is_final and _moment(record) > known:
                known = _moment(record)
                yield Event(id=str(known), kind=EventKind.CHANGED, data=record_json(record))
            await anext(wake_ups)
            record = await _read(listener, read_record)
    yield Event(id=str(known), kind=EventKind.STOPPED, data={"question": question_id})


async def _wake_ups(listener: Listener, question_id: str) -> AsyncGenerator[None]:
    last = "0"
    while True:
        try:
            async with aclosing(follow(listener, question_id, after=last, block_s=CHANGES_SILENCE_S)) as events:
                async for event in events:
                    last = event.id if event else last
                    if event is None or event.kind in (EventKind.CHANGED, EventKind.UNWATCHED):
                        yield
        except redis.RedisError as error:
            log.warning("changes_from_rows", question=question_id, error=str(error))
            await asyncio.sleep(listener.reader.silence_s(CHANGES_SILENCE_S))
            yield


def _moment(record: Record) -> int:
    return 0 if record.changed_at is None else round(record.changed_at.timestamp() * 1000)
