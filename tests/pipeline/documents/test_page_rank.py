"""PageRank over the links and names between hits [GraphReranker]; the document names it, the formula is PageRank's."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import Hit, KnownName
from pipeline.documents.rerank import DAMPING, edges_among, page_rank, rerank_graph
from tests.fakes import passage


def hits(*scores: float) -> list[Hit]:
    return [
        Hit(passage=passage(f"Text {at}.", page_id=at), score=score, scale="minmax", rank=at + 1)
        for at, score in enumerate(scores)
    ]


def test_two_places_that_lead_to_each_other_share_the_time() -> None:
    assert page_rank([1, 1], [(0, 1), (1, 0)]) == pytest.approx([0.5, 0.5])


def test_ranks_solve_page_ranks_equation() -> None:
    first, second, third = page_rank([0.5, 0.3, 0.2], [(0, 2), (1, 2), (2, 0)])
    assert first == pytest.approx((1 - DAMPING) * 0.5 + DAMPING * third, abs=1e-3)
    assert second == pytest.approx((1 - DAMPING) * 0.3, abs=1e-3)
    assert third == pytest.approx((1 - DAMPING) * 0.2 + DAMPING * (first + second), abs=1e-3)


def test_without_an_edge_hits_keep_their_order_and_know_their_former_rank() -> None:
    ranked = rerank_graph(hits(0.9, 0.5, 0.5, 0.1), [])
    assert [hit.passage.page_id for hit in ranked] == [0, 1, 2, 3]
    assert [hit.original_rank for hit in ranked] == [1, 2, 3, 4]
    assert ranked[0].score == 1.0
    assert {hit.scale for hit in ranked} == {"rerank"}


def test_a_hit_that_others_lead_to_rises() -> None:
    ranked = rerank_graph(hits(0.9, 0.8, 0.3), [(0, 2), (1, 2)])
    assert [hit.passage.page_id for hit in ranked] == [2, 0, 1]
    assert ranked[0].original_rank == 3


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=40),
)
def test_ranks_are_shares_whatever_leads_where(scores: list[float], edges: list[tuple[int, int]]) -> None:
    inside = [(one, other) for one, other in edges if max(one, other) < len(scores)]
    ranks = page_rank(scores, inside)
    assert sum(ranks) == pytest.approx(1)
    assert all(rank >= 0 for rank in ranks)
    assert sorted(hit.passage.page_id for hit in rerank_graph(hits(*scores), inside)) == list(range(len(scores)))


class Pages:
    """Page 0 names what page 1 is called; page 2 links to page 0."""

    def pages_named(self, names: Collection[str]) -> Sequence[KnownName]:
        return []

    def mentioned_in(self, passage_ids: Collection[str]) -> Mapping[str, Sequence[KnownName]]:
        return {"0-0": [KnownName(name="one", pages=(1,), mentions=1, among=3)]}

    def mentioning(self, page_ids: Collection[int], *, most: int) -> Mapping[int, Sequence[KnownName]]:
        return {}

    def links_between(self, urls: Collection[str]) -> Sequence[tuple[str, str]]:
        return [("https://example.org/2", "https://example.org/0")]


def test_edges_are_names_and_links_between_the_hits() -> None:
    assert sorted(edges_among(hits(0.9, 0.5, 0.1), Pages())) == [(0, 1), (2, 0)]
    assert edges_among([], Pages()) == []
