"""Retrieval with several queries."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from domain import Hit, Passage, Scope
from pipeline.documents.rerank import keep_order, rrf
from pipeline.retrieval.retrieve import Ranking, Stage, order_by_sentence, retrieve
from tests.fakes import HashingEmbedder, MemorySearch, passage

PAGES = [
    passage("Paris is the capital of France.", page_id=1),
    passage("Berlin is the capital of Germany.", page_id=2),
    passage("The Seine runs through the city.", page_id=3),
]


class NearestOnly(MemorySearch):
    """Gives one hit by vector and counts how it is asked."""

    def __init__(self, passages: Sequence[Passage], embedder: HashingEmbedder) -> None:
        super().__init__(passages, embedder)
        self.asked_for: list[set[str]] = []

    def search_vectors(self, vectors: NDArray[np.float32], *, k: int, scope: Scope) -> list[list[Hit]]:
        return [hits[:1] for hits in super().search_vectors(vectors, k=k, scope=scope)]

    def similarities(self, vectors: NDArray[np.float32], ids: Collection[str]) -> dict[str, NDArray[np.float32]]:
        self.asked_for.append(set(ids))
        return super().similarities(vectors, ids)


def hits_for(queries: list[str], search: MemorySearch, embedder: HashingEmbedder, k: int = 5) -> list[Hit]:
    with ThreadPoolExecutor(2) as pool:
        vectors = embedder.embed(queries)
        return retrieve(queries, vectors, search=search, pool=pool, k=k, scope=Scope(), lang="en")[0]


def test_passage_that_only_the_text_leg_finds_gets_its_exact_similarity() -> None:
    embedder = HashingEmbedder()
    search = NearestOnly(PAGES, embedder)
    hits = hits_for(["capital of France"], search, embedder)
    assert search.asked_for == [{"2-0"}]
    assert all(hit.similarity is not None for hit in hits)


def test_passage_without_a_word_of_the_query_is_kept_when_it_is_near() -> None:
    embedder = HashingEmbedder()
    hits = hits_for(["Hauptstadt"], MemorySearch(PAGES, embedder), embedder)
    assert len(hits) == 3
    assert all(hit.bm25 is None for hit in hits)


def test_each_passage_comes_once_and_knows_the_query_that_found_it_best() -> None:
    embedder = HashingEmbedder()
    hits = hits_for(["capital of France", "river Seine city"], MemorySearch(PAGES, embedder), embedder)
    assert sorted(hit.passage.page_id for hit in hits) == [1, 2, 3]
    assert {hit.passage.page_id: hit.query for hit in hits}[3] == "river Seine city"
    assert [hit.rank for hit in hits] == [1, 2, 3]


def test_no_more_than_k_hits() -> None:
    embedder = HashingEmbedder()
    assert len(hits_for(["capital", "city"], MemorySearch(PAGES, embedder), embedder, k=2)) == 2


def test_whoever_measures_is_told_what_each_stage_gave() -> None:
    embedder, seen = HashingEmbedder(), dict[Stage, list[str]]()
    with ThreadPoolExecutor(2) as pool:
        hits, _ = retrieve(
            ["capital of France"],
            embedder.embed(["capital of France"]),
            search=MemorySearch(PAGES, embedder),
            pool=pool,
            k=2,
            scope=Scope(),
            lang="en",
            observe=lambda stage, given: seen.update({stage: [hit.passage.id for hit in given]}),
        )
    assert set(seen) == {"bm25", "dense", "fused", "reranked"}
    assert set(seen["bm25"]) <= set(seen["dense"]) == set(seen["fused"])
    assert [hit.passage.id for hit in hits] == seen["reranked"][:2]


def test_fusion_and_reranker_are_chosen() -> None:
    embedder = HashingEmbedder()
    search = MemorySearch(PAGES, embedder)
    vectors = embedder.embed(["capital of France"])

    def scales(ranking: Ranking) -> set[str]:
        with ThreadPoolExecutor(2) as pool:
            hits, _ = retrieve(
                ["capital of France"], vectors, search=search, pool=pool, k=5, scope=Scope(), lang="en", ranking=ranking
            )
        return {hit.scale for hit in hits}

    assert scales(Ranking()) == {"rerank"}
    assert scales(Ranking(rerank=keep_order)) == {"minmax"}
    assert scales(Ranking(fuse=rrf, rerank=keep_order)) == {"rrf"}


class Ordered(MemorySearch):
    """Gives the pages in one order by text, and in another by vectors."""

    def __init__(self, by_text: Sequence[int], by_vector: Sequence[int]) -> None:
        ids = sorted({*by_text, *by_vector})
        super().__init__([passage(f"text {id}", page_id=id) for id in ids], HashingEmbedder())
        self._of = {item.page_id: item for item in self.passages}
        self._by_text, self._by_vector = by_text, by_vector

    def search_text(self, text: str, *, lang: str, k: int, scope: Scope) -> list[Hit]:
        return [
            Hit(passage=self._of[id], score=1 / rank, scale="bm25", rank=rank, bm25=1 / rank)
            for rank, id in enumerate(self._by_text, start=1)
        ]

    def search_vectors(self, vectors: NDArray[np.float32], *, k: int, scope: Scope) -> list[list[Hit]]:
        return [
            [
                Hit(passage=self._of[id], score=1 / rank, scale="similarity", rank=rank, similarity=1 / rank)
                for rank, id in enumerate(self._by_vector, start=1)
            ]
            for _ in vectors
        ]


@pytest.mark.parametrize(("rrf_k", "first"), [(60, 5), (1, 1)])
def test_constant_of_fusion_by_rank_weighs_a_first_place_against_two_lower_ones(rrf_k: int, first: int) -> None:
    """Page 5 is fifth for both legs, page 1 first for one: 2/65 > 1/61, but 2/6 < 1/2."""
    ranking = Ranking(fuse=partial(rrf, k=rrf_k), rerank=keep_order)
    vectors = HashingEmbedder().embed(["text"])
    search = Ordered((1, 2, 3, 4, 5), (6, 7, 8, 9, 5))
    with ThreadPoolExecutor(2) as pool:
        hits, _ = retrieve(["text"], vectors, search=search, pool=pool, k=5, scope=Scope(), lang="en", ranking=ranking)
    assert hits[0].passage.page_id == first


_SHARES = st.floats(0, 1)


def hits(*scores: float) -> list[Hit]:
    return [
        Hit(passage=passage(f"text {at}", ord=at), score=score, scale="rerank", rank=at + 1)
        for at, score in enumerate(scores)
    ]


def nearest(*cosines: tuple[Hit, float]) -> dict[str, NDArray[np.float32]]:
    """Return each hit's cosines: of its nearest sentence, and of one further away."""
    return {hit.passage.id: np.array([cosine - 0.1, cosine], np.float32) for hit, cosine in cosines}


def test_the_nearest_sentence_moves_a_passage_up() -> None:
    first, second = given_hits = hits(0.6, 0.5)
    ordered = order_by_sentence(given_hits, nearest((first, 0.2), (second, 0.7)))
    assert [hit.passage.id for hit in ordered] == [second.passage.id, first.passage.id]
    assert [hit.rank for hit in ordered] == [1, 2]


def test_a_passage_without_sentences_counts_as_the_mean() -> None:
    first, second, third = given_hits = hits(0.5, 0.5, 0.5)
    ordered = order_by_sentence(given_hits, nearest((first, 0.1), (third, 0.5)))
    assert [hit.passage.id for hit in ordered] == [each.passage.id for each in (third, second, first)]


def test_nothing_changes_where_no_sentence_is_known() -> None:
    assert order_by_sentence(hits(0.2, 0.9), {}) == hits(0.2, 0.9)


@given(st.lists(st.tuples(_SHARES, st.floats(-1, 1)), min_size=1, max_size=12))
def test_all_hits_stay_in_order_of_their_score(each: list[tuple[float, float]]) -> None:
    some = hits(*(score for score, _ in each))
    known = {hit.passage.id: np.array([cosine, -1.0], np.float32) for hit, (_, cosine) in zip(some, each, strict=True)}
    ordered = order_by_sentence(some, known)
    assert {hit.passage.id for hit in ordered} == {hit.passage.id for hit in some}
    assert all(one.score >= other.score for one, other in pairwise(ordered))
    assert all(0 <= hit.score <= 1 for hit in ordered)
