"""A passage one sentence of which is near the question comes before one that is near it as a whole."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from domain import Hit
from pipeline.retrieval.retrieve import order_by_sentence
from tests.fakes import passage

_SHARES = st.floats(0, 1)


def hits(*scores: float) -> list[Hit]:
    return [
        Hit(passage=passage(f"text {at}", ord=at), score=score, scale="rerank", rank=at + 1)
        for at, score in enumerate(scores)
    ]


def test_the_nearest_sentence_moves_a_passage_up() -> None:
    first, second = given_hits = hits(0.6, 0.5)
    ordered = order_by_sentence(given_hits, {first.passage.id: 0.2, second.passage.id: 0.7})
    assert [hit.passage.id for hit in ordered] == [second.passage.id, first.passage.id]
    assert [hit.rank for hit in ordered] == [1, 2]


def test_a_passage_without_sentences_counts_as_the_mean() -> None:
    first, second, third = given_hits = hits(0.5, 0.5, 0.5)
    ordered = order_by_sentence(given_hits, {first.passage.id: 0.1, third.passage.id: 0.5})
    assert [hit.passage.id for hit in ordered] == [each.passage.id for each in (third, second, first)]


def test_nothing_changes_where_no_sentence_is_known() -> None:
    assert order_by_sentence(hits(0.2, 0.9), {}) == hits(0.2, 0.9)


@given(st.lists(st.tuples(_SHARES, st.floats(-1, 1)), min_size=1, max_size=12))
def test_all_hits_stay_in_order_of_their_score(each: list[tuple[float, float]]) -> None:
    some = hits(*(score for score, _ in each))
    ordered = order_by_sentence(some, {hit.passage.id: cosine for hit, (_, cosine) in zip(some, each, strict=True)})
    assert {hit.passage.id for hit in ordered} == {hit.passage.id for hit in some}
    assert all(one.score >= other.score for one, other in pairwise(ordered))
    assert all(0 <= hit.score <= 1 for hit in ordered)
