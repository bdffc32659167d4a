"""Workers are shared between keys: by weight, and whatever the number of rows that one of them has waiting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
import redis

from store.ephemeral.shares import Shares, Waiting
from tests.servers import valkey_server

TASK = "wellread.retrieve"


@pytest.fixture(scope="module")
def client() -> Iterator[redis.Redis]:
    with valkey_server() as url:
        client = redis.Redis.from_url(url)
        yield client
        client.close()


@pytest.fixture
def shares(client: redis.Redis) -> Shares:
    client.flushall()
    return Shares(client)


def stand(shares: Shares, key: str, *rows: str, place: int = 0, at: float = 0.0) -> None:
    for n, row in enumerate(rows):
        shares.stand(Waiting(task=TASK, place=place, key=key, row=row), at + n)


def served(shares: Shares, number: int, place: int = 0) -> list[str]:
    return [found for _ in range(number) if (found := shares.next(TASK, place))]


def test_single_row_goes_next_however_many_another_key_has(shares: Shares) -> None:
    stand(shares, "many", *(f"m{n}" for n in range(1_000)))
    served(shares, 100)
    stand(shares, "one", "o")
    assert "o" in served(shares, 2)


def test_rows_of_one_key_go_in_the_order_in_which_they_came(shares: Shares) -> None:
    stand(shares, "a", "1", "2", "3")
    assert served(shares, 5) == ["1", "2", "3"]


def test_key_of_twice_the_weight_gets_twice_as_much(shares: Shares) -> None:
    shares.set_weights({"heavy": 2.0})
    stand(shares, "heavy", *(f"h{n}" for n in range(100)))
    stand(shares, "light", *(f"l{n}" for n in range(100)))
    assert Counter(row[0] for row in served(shares, 90)) == {"h": 60, "l": 30}


def test_collection_of_twice_the_weight_gets_twice_as_much_by_whichever_keys(shares: Shares) -> None:
    shares.set_weights({"collection:big": 2.0, "k2": 2.0})
    stand(shares, "k1", *(f"big/{n}" for n in range(100)))
    stand(shares, "collection:big", *(f"big/n{n}" for n in range(100)))  # nobody's: its weight counts once
    stand(shares, "k2", *(f"small/{n}" for n in range(100)))
    stand(shares, "k3", *(f"small/o{n}" for n in range(100)))
    found = Counter(row.rstrip("0123456789") for row in served(shares, 140))
    assert found == {"big/": 40, "big/n": 40, "small/": 40, "small/o": 20}


def test_key_that_was_away_is_owed_nothing(shares: Shares) -> None:
    stand(shares, "a", *(f"a{n}" for n in range(60)))
    stand(shares, "b", "b0")
    served(shares, 41)
    stand(shares, "b", *(f"b{n}" for n in range(1, 30)))
    assert Counter(row[0] for row in served(shares, 20)) == {"a": 10, "b": 10}


def test_row_stands_in_line_once_however_often_it_is_rung_for(shares: Shares) -> None:
    stand(shares, "a", "1", "1", "2", "1")
    assert served(shares, 5) == ["1", "2"]


def test_places_in_a_queue_have_lines_of_their_own(shares: Shares) -> None:
    stand(shares, "a", "later", place=6)
    stand(shares, "b", "sooner", place=0)
    assert (served(shares, 2, place=0), served(shares, 2, place=6)) == (["sooner"], ["later"])
