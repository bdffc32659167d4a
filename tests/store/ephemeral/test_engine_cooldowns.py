"""An engine that failed is left alone by everyone, longer each time, until it answers or the time is over."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis

from store.ephemeral.slots import REMEMBERED_S, EngineCooldowns


@pytest.fixture
def rests(valkey_url: str) -> EngineCooldowns:
    return EngineCooldowns(redis.Redis.from_url(valkey_url))


@pytest.fixture
def name() -> str:
    return f"engine:{uuid.uuid4().hex}"


def fail(rests: EngineCooldowns, name: str, now: float, asked_s: float = 0.0) -> float:
    return rests.failed(
        name, reason="no answer", kind="EngineDown", first_s=10.0, longest_s=100.0, asked_s=asked_s, now=now
    )


def test_an_engine_that_never_failed_is_not_left_alone(rests: EngineCooldowns, name: str) -> None:
    assert rests.cooling([name], now=0.0) == {}
    assert rests.cooling([], now=0.0) == {}
    assert rests.answered([name]) == []


def test_an_engine_that_failed_is_left_alone_for_its_time(rests: EngineCooldowns, name: str) -> None:
    assert fail(rests, name, 1000.0) == 10.0
    rest = rests.cooling([name, "another"], now=1004.0)[name]
    assert (rest.left_s, rest.reason, rest.kind, rest.failures) == (6.0, "no answer", "EngineDown", 1)
    assert rests.cooling([name], now=1010.0) == {}


def test_each_failure_after_a_rest_doubles_it_up_to_a_limit(rests: EngineCooldowns, name: str) -> None:
    now, given = 1000.0, []
    for _ in range(6):
        given.append(fail(rests, name, now))
        now += given[-1]
    assert given == [10.0, 20.0, 40.0, 80.0, 100.0, 100.0]


def test_failures_that_were_under_way_together_count_once(rests: EngineCooldowns, name: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: fail(rests, name, 1000.0), range(20)))
    assert rests.cooling([name], now=1000.0)[name].failures == 1
    assert rests.cooling([name], now=1010.0) == {}


def test_what_the_engine_asks_to_wait_is_kept_even_beyond_the_limit(rests: EngineCooldowns, name: str) -> None:
    assert fail(rests, name, 1000.0, asked_s=500.0) == 500.0
    assert fail(rests, name, 1001.0) == 499.0  # one that was under way does not shorten it


def test_an_answer_makes_an_engine_begin_anew(rests: EngineCooldowns, name: str) -> None:
    fail(rests, name, 1000.0)
    assert rests.answered([name]) == [name]
    assert rests.cooling([name], now=1001.0) == {}
    assert fail(rests, name, 1002.0) == 10.0


def test_every_worker_knows(rests: EngineCooldowns, name: str, valkey_url: str) -> None:
    fail(rests, name, 1000.0)
    assert name in EngineCooldowns(redis.Redis.from_url(valkey_url)).cooling([name], now=1001.0)


def test_nothing_is_kept_for_ever(rests: EngineCooldowns, name: str, valkey_url: str) -> None:
    fail(rests, name, 1000.0)
    left_ms = redis.Redis.from_url(valkey_url).pttl(f"wellread:engine:{name}")
    assert isinstance(left_ms, int)
    assert 0 < left_ms <= (REMEMBERED_S + 10.0) * 1000
