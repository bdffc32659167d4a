"""A question's progress for whoever watches: from the Redis stream, or from the rows when Redis is away.

The rows are the truth: a watcher ends when the row is final, whatever the stream has or has lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import anyio
import redis
import redis.asyncio
import structlog
from anyio import to_thread

from api.schemas.records import record_json
from domain import EventKind
from domain.record import Event, Record
from store.ephemeral.events import follow
from store.questions.records import PHASES

log = structlog.get_logger()

#: how often the rows are looked at while Redis is away
POLL_EVERY_S = 0.5
#: how long the stream may be silent before the rows are looked at: an event may have been lost
SILENCE_S = 3.0
#: how long what the stream still holds of a question that has ended is waited for
REPLAY_S = 0.05

ReadRecord = Callable[[], Record]


async def watch(
    listener: redis.asyncio.Redis, question_id: str, read_record: ReadRecord, *, after: str
) -> AsyncIterator[Event]:
    """Yield where the question stands, then its progress after the event ``after``, then ``final`` and its record.

    ``look`` reads the record from SQL. What is told from the rows has no id: a reader that comes back hears it again.
    """
    record = await to_thread.run_sync(read_record)
    yield _status(record)
    try:
        async for event in _heard(listener, record, read_record, after=after):
            yield event
    except redis.RedisError as error:
        log.warning("events_from_rows", question=question_id, error=str(error))
        async for event in _seen(record, read_record):
            yield event


async def final_record(
    listener: redis.asyncio.Redis,
    question_id: str,
    read_record: ReadRecord,
    *,
    within_s: float,
    waiting: set[anyio.CancelScope],
) -> Record:
    """The question's record as soon as it is final, or as it is after ``within_s`` seconds.

    The scope put into ``waiting`` ends it sooner. (A scope, because redis-py loses a single ``Task.cancel()``: it
    sends through ``asyncio.wait_for``, which before Python 3.12 swallows one that comes as its work is done.)
    """
    if within_s > 0:
        scope = anyio.move_on_after(within_s)
        waiting.add(scope)
        try:
            with scope:
                return await _ended(listener, question_id, read_record)
        finally:
            waiting.discard(scope)
    return await to_thread.run_sync(read_record)


async def _ended(listener: redis.asyncio.Redis, question_id: str, read_record: ReadRecord) -> Record:
    """The question's record, once it is final."""
    try:
        return await _heard_end(listener, await to_thread.run_sync(read_record), read_record)
    except redis.RedisError as error:
        log.warning("events_from_rows", question=question_id, error=str(error))
    while True:
        record = await to_thread.run_sync(read_record)
        if record.status.is_final:
            return record
        await asyncio.sleep(POLL_EVERY_S)


async def _heard_end(listener: redis.asyncio.Redis, record: Record, read_record: ReadRecord) -> Record:
    """The record as soon as it is final; who shares a run hears its leader's end, and the next one's if that fails."""
    last = "0"
    while not record.status.is_final:
        leader = record.shared_with
        async for event in follow(listener, record.id, leader_id=leader or "", after=last, block_s=SILENCE_S):
            last = event.id if event else last
            if event is None or event.kind == EventKind.FINAL:
                record = await to_thread.run_sync(read_record)
                if record.status.is_final or record.shared_with != leader:
                    break
    return record


async def _heard(
    listener: redis.asyncio.Redis, record: Record, read_record: ReadRecord, *, after: str
) -> AsyncIterator[Event]:
    """The stream's events; its own ``final`` is only a sign to look (a question may have been started again since).

    Who shares a run hears its leader's events, and, when that ends without an answer, those of the next.
    """
    last = after
    while True:
        leader, block_s = record.shared_with, REPLAY_S if record.status.is_final else SILENCE_S
        async for event in follow(listener, record.id, leader_id=leader or "", after=last, block_s=block_s):
            last = event.id if event else last
            if event is not None and event.kind != EventKind.FINAL:
                yield event
                continue
            record = await to_thread.run_sync(read_record)
            if record.status.is_final:
                yield _final(record, last)
                return
            if record.shared_with != leader:
                break


@dataclass(frozen=True, kw_only=True)
class _Told:
    """What a watcher knows already."""

    status: str
    revision: int
    pages: frozenset[str]


async def _seen(record: Record, read_record: ReadRecord) -> AsyncIterator[Event]:
    """Progress told from the rows alone."""
    told = _Told(status=record.status, revision=record.revision, pages=_settled(record))
    while not record.status.is_final:
        await asyncio.sleep(POLL_EVERY_S)
        record = await to_thread.run_sync(read_record)
        for event in _news(record, told):
            yield event
        told = _Told(status=record.status, revision=record.revision, pages=_settled(record))
    yield _final(record, "")


def _news(record: Record, told: _Told) -> list[Event]:
    """What happened since the last look."""
    events = [
        _event(
            EventKind.PAGE,
            {"url": page.url, "kind": "page", "text": page.title, "outcome": page.outcome, "reason": page.reason},
        )
        for page in record.pages
        if page.outcome and page.url not in told.pages
    ]
    if record.provisional and record.revision > told.revision:
        missing = list(record.verdict.missing) if record.verdict else []
        events.append(_event(EventKind.PROVISIONAL, {"answer": record.answer, "missing": missing}))
    if record.status != told.status and not record.status.is_final:
        events.append(_status(record))
    return events


def _settled(record: Record) -> frozenset[str]:
    return frozenset(page.url for page in record.pages if page.outcome)


def _status(record: Record) -> Event:
    return _event(EventKind.STATUS, {"status": record.status, "current_step": PHASES.get(record.status)})


def _final(record: Record, event_id: str) -> Event:
    return Event(id=event_id, kind=EventKind.FINAL, data=record_json(record))


def _event(kind: EventKind, data: dict[str, Any]) -> Event:
    return Event(id="", kind=kind, data=data)
