"""Events leave the memory of Redis to the messages, and are forgotten soon after a question's end."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest
import redis

from domain import EventKind
from store.ephemeral.events import KEEP_ENDED_S, MAX_BYTES, MOST_MEMORY, Events, RedisMemory, memory_use
from tests.servers import valkey_server


class Uncached(RedisMemory):
    """Asks every time, as if a second had passed."""

    def use(self):  # type: ignore[no-untyped-def]
        self._known = None
        return super().use()


@pytest.fixture
def small() -> Iterator[redis.Redis]:
    """A Valkey that may use 4 MB."""
    with valkey_server() as url:
        client = redis.Redis.from_url(url)
        client.config_set("maxmemory", memory_use(client).used + 3_000_000)
        yield client
        client.close()


def test_events_fill_no_more_than_their_part_and_an_end_is_told_all_the_same(small: redis.Redis) -> None:
    events = Events(small, memory=Uncached(small))
    asked = [uuid4().hex for _ in range(40)]
    for question in asked:
        for number in range(20):
            events.publish(question, EventKind.STATUS, {"n": number, "said": "x" * 10_000})
    assert MOST_MEMORY - 0.1 < memory_use(small).share < MOST_MEMORY + 0.05
    small.lpush("answer", "x" * 100_000)  # a message has room
    events.publish(asked[-1], EventKind.FINAL, {"status": "ANSWERED"})
    assert small.xrevrange(f"wellread:events:{asked[-1]}", count=1)[0][1][b"kind"] == b"final"


def test_ended_questions_events_are_kept_for_minutes(small: redis.Redis) -> None:
    events, question = Events(small), uuid4().hex
    events.publish(question, EventKind.STATUS, {"status": "ASKED"})
    assert small.ttl(f"wellread:events:{question}") > KEEP_ENDED_S
    events.publish(question, EventKind.FINAL, {"status": "ANSWERED"})
    assert 0 < small.ttl(f"wellread:events:{question}") <= KEEP_ENDED_S


def test_event_that_is_too_large_says_what_is_short(small: redis.Redis) -> None:
    events, question = Events(small), uuid4().hex
    events.publish(question, EventKind.STATUS, {"status": "RETRYING", "top": ["x" * 100] * MAX_BYTES})
    ((_, fields),) = small.xrange(f"wellread:events:{question}")
    assert fields[b"data"] == b'{"status": "RETRYING"}'
