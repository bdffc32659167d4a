"""Progress is read as it comes and again from where a reader left off."""

from __future__ import annotations

import asyncio
import uuid

import redis
import redis.asyncio
from redis.backoff import NoBackoff
from redis.retry import Retry
from structlog.testing import capture_logs

from domain import EventKind
from domain.record import Event
from store.ephemeral.events import Events, Listener, follow


async def _read(url: str, question_id: str, *, after: str = "0", count: int) -> list[Event]:
    client = redis.asyncio.Redis.from_url(url)
    found: list[Event] = []
    try:
        async for event in follow(Listener(client), question_id, after=after, block_s=0.2):
            if event is not None:
                found.append(event)
            if len(found) == count or event is None:
                break
    finally:
        await client.aclose()
    return found


def test_events_come_in_order_with_their_data(valkey_url: str) -> None:
    question_id = uuid.uuid4().hex
    events = Events(redis.Redis.from_url(valkey_url))
    events.publish(question_id, EventKind.STATUS, {"status": "ASKED"})
    events.publish(question_id, EventKind.FINAL, {"status": "ANSWERED", "words": ["é", 1]})
    found = asyncio.run(_read(valkey_url, question_id, count=2))
    assert [event.kind for event in found] == ["status", "final"]
    assert found[1].data == {"status": "ANSWERED", "words": ["é", 1]}


def test_a_reader_that_reconnects_misses_nothing_and_repeats_nothing(valkey_url: str) -> None:
    question_id = uuid.uuid4().hex
    events = Events(redis.Redis.from_url(valkey_url))
    for number in range(3):
        events.publish(question_id, EventKind.PAGE, {"n": number})
    first = asyncio.run(_read(valkey_url, question_id, count=1))
    rest = asyncio.run(_read(valkey_url, question_id, after=first[0].id, count=2))
    assert [event.data["n"] for event in [*first, *rest]] == [0, 1, 2]


def test_a_broker_that_is_away_is_logged_and_harms_nothing() -> None:
    away = redis.Redis(host="127.0.0.1", port=1, retry=Retry(NoBackoff(), retries=0))
    with capture_logs() as logs:
        Events(away).publish("q", EventKind.STATUS, {})
    assert [(entry["event"], entry["question"]) for entry in logs] == [("event_not_published", "q")]


def test_what_a_late_step_publishes_of_a_deleted_question_is_not_kept(valkey_url: str) -> None:
    question_id, client = uuid.uuid4().hex, redis.Redis.from_url(valkey_url)
    for events in (Events(client), Events(client, "0123456789ab")):
        events.publish(question_id, EventKind.STATUS, {"status": "ASKED"})
        events.forget([question_id])
        events.publish(question_id, EventKind.STATUS, {"status": "READING"})  # a page was deleted, not the question
        assert list(client.scan_iter(f"wellread:events:*{question_id}"))
        events.forget_deleted([question_id])
        events.publish(question_id, EventKind.PROVISIONAL, {"answer": "Late."})
        assert not list(client.scan_iter(f"wellread:events:*{question_id}"))
    events.forget_all()
    assert not list(client.scan_iter("wellread:*:0123456789ab:*"))
