"""Test that all processes ask a model's service at one pace, which they keep in Redis."""

from __future__ import annotations

import json
import threading
import time

import pytest
import redis

from pipeline.models.pace import RateLimit
from workers.services.pipeline import SharedPace

SERVICE = "https://models.example"
FREE = RateLimit()


@pytest.fixture
def client(valkey_url: str) -> redis.Redis:
    client = redis.Redis.from_url(valkey_url)
    client.flushall()
    return client


def test_refusal_that_one_process_got_stops_the_others(client: redis.Redis) -> None:
    one, other = SharedPace(client, SERVICE, FREE), SharedPace(client, SERVICE, FREE)
    assert one.wait_s("m", 1) == 0
    one.slow_down("m", 20.0)
    assert other.wait_s("m", 1) > 19
    assert other.wait_s("small", 1) == 0
    assert SharedPace(client, "https://another.example", FREE).wait_s("m", 1) == 0


def test_budget_of_a_minute_is_one_for_all(client: redis.Redis) -> None:
    paces = [SharedPace(client, SERVICE, RateLimit(requests=100)) for _ in range(4)]
    went = []

    def ask(pace: SharedPace) -> None:
        ends_at = time.monotonic() + 1.0
        while time.monotonic() < ends_at:
            if not pace.wait_s("m", 1):
                went.append(1)

    threads = [threading.Thread(target=ask, args=(pace,)) for pace in paces for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 10 <= sum(went) <= 12  # a tenth at once, and what a second gives back


def test_calls_go_on_at_their_own_pace_where_redis_is_away() -> None:
    with redis.Redis.from_url("redis://127.0.0.1:1/0") as nowhere:
        pace = SharedPace(nowhere, SERVICE, FREE)
        assert pace.wait_s("m", 1) == 0
        pace.slow_down("m", 20.0)
        assert pace.wait_s("m", 1) > 19


@pytest.mark.parametrize("stored", [b"{", b"[]", b"{}", json.dumps({"models": {"m": {"lasts": 1}}}).encode()])
def test_what_another_version_stored_stops_nothing(client: redis.Redis, stored: bytes) -> None:
    client.set(f"wellread:pace:{SERVICE}", stored)
    assert SharedPace(client, SERVICE, FREE).wait_s("m", 1) == 0


def test_nothing_is_kept_for_ever(client: redis.Redis) -> None:
    SharedPace(client, SERVICE, FREE).slow_down("m", 1e9)
    assert 0 < client.ttl(f"wellread:pace:{SERVICE}") <= 1_200
