"""Learned versions are stored, listed and chosen, on each database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from domain import Tally
from store.learned import tallies, versions
from store.learned.variants import VariantsCache
from store.learned.versions import Kind, UnknownVersion, Version
from store.sql.database import Database

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def add(database: Database, kind: Kind = "judge", *, embedder: str = "", bias: float = 0.0) -> Version:
    with database.write() as session:
        versions.lock(session, kind, embedder)
        return versions.add(
            session, kind, embedder=embedder, parameters={"bias": bias}, metrics={"en": {}}, examples=40, now=NOW
        )


def in_use(database: Database, kind: Kind = "judge") -> list[int]:
    with database.read() as session:
        return sorted(version.number for version in versions.active(session) if version.kind == kind)


def rollback(database: Database, number: int | None, kind: Kind = "judge") -> list[int]:
    with database.write() as session:
        return [version.number for version in versions.rollback(session, kind, number)]


def test_new_version_is_in_use_and_the_earlier_ones_are_kept(database: Database) -> None:
    first, second = add(database, bias=0.5), add(database, bias=0.7)
    assert (first.number, second.number) == (1, 2)
    assert in_use(database) == [2]
    with database.read() as session:
        listed = versions.list_all(session)
        assert [(each.number, each.active, each.parameters["bias"]) for each in listed] == [
            (2, True, 0.7),
            (1, False, 0.5),
        ]
        assert (listed[0].created_at, listed[0].examples, listed[0].metrics) == (NOW, 40, {"en": {}})


def test_kinds_and_embedders_are_in_use_side_by_side(database: Database) -> None:
    for kind, embedder in (("judge", "one"), ("judge", "other"), ("reranker", "")):
        add(database, kind, embedder=embedder)  # type: ignore[arg-type]
    assert in_use(database) == [1, 2]
    assert in_use(database, "reranker") == [1]
    with database.read() as session:
        used = versions.in_use(session, "judge", "other")
        assert used is not None
        assert used.number == 2
        assert versions.in_use(session, "variants") is None


def test_going_back_is_to_a_version_to_the_one_before_or_to_what_is_shipped(database: Database) -> None:
    for _ in range(3):
        add(database)
    assert rollback(database, None) == [2]
    assert rollback(database, None) == [1]
    assert rollback(database, None) == []
    assert rollback(database, 3) == [3]
    assert rollback(database, 0) == []
    with pytest.raises(UnknownVersion, match="no earlier one"):
        rollback(database, None)
    with pytest.raises(UnknownVersion, match="no version 9 of the judge"):
        rollback(database, 9)
    assert add(database).number == 4


def test_the_one_before_is_of_the_same_embedder(database: Database) -> None:
    add(database, embedder="one")
    add(database, embedder="other")
    add(database, embedder="other")
    assert rollback(database, None) == [1, 2]
    assert rollback(database, None) == [1]


def test_what_is_in_use_changes_its_ids(database: Database) -> None:
    seen = []
    for change in (lambda: add(database), lambda: add(database), lambda: rollback(database, 0)):
        change()
        with database.read() as session:
            seen.append(versions.active_ids(session))
    assert len(set(seen)) == 3


def test_two_that_learn_at_once_give_two_versions_of_which_one_is_in_use(database: Database) -> None:
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda at: add(database, bias=at), range(8)))
    assert sorted(version.number for version in made) == list(range(1, 9))
    assert in_use(database) == [8]


def test_last_try_is_kept_by_kind_and_embedder(database: Database) -> None:
    with database.write() as session:
        versions.lock(session, "reranker").said = "too few"
        row = versions.lock(session, "judge", "one")
        row.tried_at, row.held = NOW, True
    with database.read() as session:
        assert [
            (each.kind, each.embedder, each.held, each.tried_at, each.said) for each in versions.tries(session)
        ] == [
            ("judge", "one", True, NOW, ""),
            ("reranker", "", False, None, "too few"),
        ]


def test_counts_of_variants_are_put_back_as_they_were(database: Database) -> None:
    cache = VariantsCache(database, now=lambda: NOW)
    cache.learn("temporal", {"paraphrase": True, "keyword_focus": False})
    with database.read() as session:
        kept = tallies.counts(session)
    cache.learn("temporal", {"paraphrase": False})
    cache.learn("causal", {"paraphrase": False})
    with database.write() as session:
        tallies.restore(session, kept)
    assert cache.tallies("temporal") == {"paraphrase": Tally(tried=1, rewarded=1), "keyword_focus": Tally(tried=1)}
    assert cache.tallies("causal") == {}


def test_reward_is_taken_back_and_given_again_within_what_was_tried(database: Database) -> None:
    cache = VariantsCache(database, now=lambda: NOW)
    cache.learn("temporal", {"paraphrase": True, "keyword_focus": False})
    seen = []
    for by in (-1, -1, 1, 1):
        with database.write() as session:
            tallies.correct(session, "temporal", {"paraphrase": True, "keyword_focus": False}, by=by)
        seen.append(cache.tallies("temporal")["paraphrase"].rewarded)
    assert seen == [0, 0, 1, 1]
    assert cache.tallies("temporal")["keyword_focus"] == Tally(tried=1)
