"""One request in flight per host, a pause between two, and nobody sleeps for it."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis

from store.ephemeral.slots import Slots


@pytest.fixture
def slots(valkey_url: str) -> Slots:
    return Slots(redis.Redis.from_url(valkey_url))


@pytest.fixture
def host() -> str:
    return f"https://{uuid.uuid4().hex}.example"


def test_a_free_host_is_had_at_once(slots: Slots, host: str) -> None:
    assert slots.claim(host, now=100.0, delay_s=1.0).wait_s == 0


def test_a_busy_host_is_not_had(slots: Slots, host: str) -> None:
    slots.claim(host, now=100.0, delay_s=1.0)
    assert slots.claim(host, now=100.0, delay_s=1.0).wait_s > 0


def test_the_pause_runs_from_the_end_of_the_request(slots: Slots, host: str) -> None:
    turn = slots.claim(host, now=100.0, delay_s=2.0)
    slots.release(turn, now=103.0, delay_s=2.0)
    assert slots.claim(host, now=104.0, delay_s=2.0).wait_s == pytest.approx(1.0)
    assert slots.claim(host, now=105.5, delay_s=2.0).wait_s == 0


def test_who_waits_is_given_a_turn_of_its_own(slots: Slots, host: str) -> None:
    slots.release(slots.claim(host, now=100.0, delay_s=1.0), now=100.0, delay_s=1.0)
    waits = [slots.claim(host, now=100.0, delay_s=1.0).wait_s for _ in range(4)]
    assert waits == pytest.approx([1.0, 2.0, 3.0, 4.0])


def test_only_the_reader_that_holds_a_host_frees_it(slots: Slots, host: str) -> None:
    held = slots.claim(host, now=100.0, delay_s=0.0)
    waiting = slots.claim(host, now=100.0, delay_s=0.0)
    slots.release(waiting, now=100.0, delay_s=0.0)
    assert slots.claim(host, now=200.0, delay_s=0.0).wait_s > 0
    slots.release(held, now=200.0, delay_s=0.0)
    assert slots.claim(host, now=200.5, delay_s=0.0).wait_s == 0


def test_a_host_is_held_for_as_long_as_its_reader_may_take_and_no_longer(valkey_url: str, host: str) -> None:
    client = redis.Redis.from_url(valkey_url)
    Slots(client, longest_s=70.0).claim(host, now=100.0, delay_s=1.0)
    (busy,) = client.keys(f"*{host}*:busy")
    assert 60_000 < client.pttl(busy) <= 70_000


def test_of_fifty_readers_at_once_one_gets_the_host(slots: Slots, host: str) -> None:
    with ThreadPoolExecutor(16) as pool:
        turns = list(pool.map(lambda _: slots.claim(host, now=100.0, delay_s=1.0), range(50)))
    assert sum(turn.wait_s == 0 for turn in turns) == 1


def test_hosts_do_not_wait_for_each_other(slots: Slots) -> None:
    assert {slots.claim(f"https://{uuid.uuid4().hex}.example", now=1.0, delay_s=9.0).wait_s for _ in range(3)} == {0}
