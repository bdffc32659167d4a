"""Hits."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, replace
from typing import get_type_hints

import pytest

from domain import Hit
from domain.hit import Ranked
from tests.fakes import passage

HIT = Hit(passage=passage("text", page_id=1), score=1.0, scale="bm25", rank=1, bm25=1.0, original_rank=3, via="graph")
VALUES = Ranked(
    score=0.5,
    scale="rerank",
    rank=2,
    original_rank=4,
    similarity=0.1,
    bm25=None,
    query="q",
    found_by=("q", "r"),
    sentence_cosines=(0.3, 0.6),
)


def test_ranking_a_hit_makes_another_one_as_replacing_its_values_does() -> None:
    before = replace(HIT)
    assert HIT.ranked(**VALUES) == replace(HIT, **VALUES)
    assert HIT.ranked(rank=7) == replace(HIT, rank=7)
    assert before == HIT


def test_a_ranked_hit_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        HIT.ranked(rank=2).rank = 3  # type: ignore[misc]


def test_ranking_sets_only_values_that_a_hit_has() -> None:
    assert get_type_hints(Ranked).keys() == VALUES.keys() <= {field.name for field in fields(Hit)}
