"""Who was refused has a turn: one after another, and before those who come for the first time."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest
import redis

from store.ephemeral.turns import KEPT_S, LONGEST_S, PACE, Turns
from tests.servers import valkey_server

NOW = 1_000_000.0
ALL = ""


@pytest.fixture(scope="module")
def client() -> Iterator[redis.Redis]:
    with valkey_server() as url:
        client = redis.Redis.from_url(url)
        yield client
        client.close()


@pytest.fixture
def turns(client: redis.Redis) -> Turns:
    return Turns(client, uuid4().hex)


def test_turns_follow_one_another_as_fast_as_questions_end(turns: Turns) -> None:
    told = [turns.give(ALL, f"caller {n}", NOW, 0.5 / PACE) for n in range(5)]
    assert told == [2, 4, 6, 8, 10]
    assert turns.give("a key", "caller 0", NOW, 0.5 / PACE) == 2, "each queue has turns of its own"


def test_first_turn_is_when_what_is_kept_for_turns_is_free(turns: Turns) -> None:
    assert [turns.give(ALL, name, NOW, 1 / PACE, kept=20) for name in "ab"] == [21, 22]


def test_who_asks_too_early_is_told_the_same_time(turns: Turns) -> None:
    assert turns.give(ALL, "a", NOW, 0.1 / PACE) == 10
    assert turns.give(ALL, "b", NOW, 0.1 / PACE) == 20
    assert turns.give(ALL, "a", NOW + 4, 0.1 / PACE) == 6


def test_who_finds_no_room_at_its_time_is_behind_the_others(turns: Turns) -> None:
    for name in "abc":
        turns.give(ALL, name, NOW, 0.1 / PACE)
    assert turns.give(ALL, "a", NOW + 10, 0.1 / PACE) == 30


def test_nobody_goes_before_whose_turn_it_is(turns: Turns) -> None:
    for name in "abc":
        turns.give(ALL, name, NOW, 1 / PACE)
    assert [turns.before(ALL, name, NOW + 1) for name in ("a", "b", "new")] == [0, 3, 3]
    turns.take((ALL, "a key"), "a")
    assert turns.before(ALL, "new", NOW + 1) == 2


def test_a_turn_that_nobody_takes_is_over(turns: Turns) -> None:
    turns.give(ALL, "a", NOW, 1 / PACE)
    assert turns.before(ALL, "new", NOW + 1 + KEPT_S) == 1
    assert turns.before(ALL, "new", NOW + 1.1 + KEPT_S) == 0


def test_there_are_no_turns_behind_the_longest_wait(turns: Turns) -> None:
    told = [turns.give(ALL, f"caller {n}", NOW, 0.1 / PACE) for n in range(9)]
    assert told == [10, 20, 30, 40, 50, 60, LONGEST_S, LONGEST_S, LONGEST_S]
    assert turns.before(ALL, "new", NOW) == 6
    assert turns.give(ALL, "another", NOW, 0.0) == LONGEST_S, "nothing ends"
    assert turns.before(ALL, "new", NOW) == 6


def test_without_redis_nobody_has_a_turn() -> None:
    away = Turns(redis.Redis(host="127.0.0.1", port=1))
    assert not away.given_lately
    assert away.give(ALL, "a", NOW, 1.0) == LONGEST_S
    assert away.before(ALL, "new", NOW + 1) == 0
    away.take((ALL,), "a")
    assert away.given_lately
