"""Variants that were paid for are kept, and which kinds helped is counted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from domain import Tally, Variant, VariantKey
from store.learned import KEPT_FOR, VariantsCache, correct
from store.sql.database import Database

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
KEY = VariantKey(question="who was the first keeper?", lang="en", maker="model", count=3)
VARIANTS = (
    Variant(kind="paraphrase", text="Which person was the first keeper?"),
    Variant(kind="keyword_focus", text="first keeper"),
)


@pytest.fixture
def cache(database: Database) -> VariantsCache:
    return VariantsCache(database, now=lambda: NOW)


def test_variants_come_back_under_their_key_only(cache: VariantsCache) -> None:
    cache.save(KEY, VARIANTS)
    assert cache.load(KEY) == VARIANTS
    for other in ({"question": "who?"}, {"lang": "de"}, {"maker": "other"}, {"count": 2}):
        assert cache.load(replace(KEY, **other)) == ()  # type: ignore[arg-type]


def test_variants_made_again_take_the_place_of_the_old(cache: VariantsCache) -> None:
    cache.save(KEY, VARIANTS)
    cache.save(KEY, VARIANTS[:1])
    assert cache.load(KEY) == VARIANTS[:1]


def test_old_variants_are_forgotten(database: Database, cache: VariantsCache) -> None:
    cache.save(KEY, VARIANTS)
    later = VariantsCache(database, now=lambda: NOW + KEPT_FOR + timedelta(seconds=1))
    assert later.load(KEY) == ()
    later.save(replace(KEY, count=5), VARIANTS)
    assert cache.load(KEY) == ()


def test_tallies_are_counted_by_type_and_kind(cache: VariantsCache) -> None:
    cache.learn("temporal", {"paraphrase": True, "keyword_focus": False})
    cache.learn("temporal", {"paraphrase": False})
    cache.learn("causal", {})
    assert cache.tallies("temporal") == {"paraphrase": Tally(tried=2, rewarded=1), "keyword_focus": Tally(tried=1)}
    assert cache.tallies("causal") == {}


def test_no_count_is_lost_when_several_learn_at_once(cache: VariantsCache) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda at: cache.learn("general", {"paraphrase": at % 2 == 0, "keyword_focus": True}), range(20)))
    assert cache.tallies("general") == {
        "paraphrase": Tally(tried=20, rewarded=10),
        "keyword_focus": Tally(tried=20, rewarded=20),
    }


def test_reward_is_taken_back_and_given_again_within_what_was_tried(database: Database, cache: VariantsCache) -> None:
    cache.learn("temporal", {"paraphrase": True, "keyword_focus": False})
    seen = []
    for by in (-1, -1, 1, 1):
        with database.write() as session:
            correct(session, "temporal", {"paraphrase": True, "keyword_focus": False}, by=by)
        seen.append(cache.tallies("temporal")["paraphrase"].rewarded)
    assert seen == [0, 0, 1, 1]
    assert cache.tallies("temporal")["keyword_focus"] == Tally(tried=1)
