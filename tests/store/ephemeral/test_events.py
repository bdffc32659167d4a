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
from store.ephemeral.events import EventReader, Events, Listener, follow


async def _read(url: str, question_id: str, *, after: str = "0", count: int) -> list[Event]:
    reader = EventReader(redis.asyncio.Redis.from_url(url))
    found: list[Event] = []
    try:
        async for event in follow(Listener(reader), question_id, after=after, block_s=0.2):
            if event is not None:
                found.append(event)
            if len(found) == count or event is None:
                break
    finally:
        await reader.aclose()
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


def test_all_who_follow_read_over_one_connection_and_miss_nothing(valkey_url: str) -> None:
    ids = [uuid.uuid4().hex for _ in range(30)]
    events = Events(redis.Redis.from_url(valkey_url))
    for question_id in ids:
        events.publish(question_id, EventKind.STATUS, {"n": 0})

    async def read(reader: EventReader, question_id: str, found: list[int]) -> None:
        async for event in follow(Listener(reader), question_id):
            if event is not None:
                found.append(event.data["n"])
                if event.kind == EventKind.FINAL:
                    return

    async def run() -> tuple[list[list[int]], int, float]:
        reader = EventReader(redis.asyncio.Redis.from_url(valkey_url))
        found: list[list[int]] = [[] for _ in range(3 * len(ids))]
        waiting = []
        for number, each in enumerate(found):  # some begin while events come
            waiting.append(asyncio.create_task(read(reader, ids[number % len(ids)], each)))
            await asyncio.sleep(0.005)
            if number == len(ids):
                await asyncio.to_thread(_publish, events, ids, EventKind.PAGE, 1)
        assert reader.followers == len(found)
        blocked = redis.Redis.from_url(valkey_url).info("clients")["blocked_clients"]
        began = asyncio.get_running_loop().time()
        await asyncio.to_thread(_publish, events, ids, EventKind.FINAL, 2)
        await asyncio.wait_for(asyncio.gather(*waiting), 10)
        seconds = asyncio.get_running_loop().time() - began
        assert reader.followers == 0
        await reader.aclose()
        return found, blocked, seconds

    found, blocked, seconds = asyncio.run(run())
    assert found == [[0, 1, 2]] * len(found)
    assert blocked <= 1
    assert seconds < 1.5


def _publish(events: Events, ids: list[str], kind: EventKind, number: int) -> None:
    for question_id in ids:
        events.publish(question_id, kind, {"n": number})


def test_who_is_followed_last_is_read_at_once(valkey_url: str) -> None:
    events = Events(redis.Redis.from_url(valkey_url))

    async def run() -> float:
        reader = EventReader(redis.asyncio.Redis.from_url(valkey_url))
        quiet = asyncio.create_task(anext(follow(Listener(reader), uuid.uuid4().hex)))
        await asyncio.sleep(0.2)  # now the reader waits for the quiet one
        question_id = uuid.uuid4().hex
        late = asyncio.create_task(anext(follow(Listener(reader), question_id)))
        await asyncio.sleep(0.2)
        began = asyncio.get_running_loop().time()
        events.publish(question_id, EventKind.STATUS, {})
        await asyncio.wait_for(late, 5)
        seconds = asyncio.get_running_loop().time() - began
        quiet.cancel()
        await reader.aclose()
        return seconds

    assert asyncio.run(run()) < 0.5


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
