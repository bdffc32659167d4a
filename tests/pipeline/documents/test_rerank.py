"""Reordering hits: the design document's methods."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain import Hit, KnownName
from pipeline.documents.rerank import (
    DAMPING,
    RERANKERS,
    bm25_scores,
    edges_among,
    keyword_jaccard,
    page_rank,
    rerank_bm25,
    rerank_graph,
    rerank_hybrid,
    rerank_tfidf,
    tfidf_cosines,
)
from pipeline.retrieval.rerank import rerank_learned
from tests.fakes import passage
from text.terms import jaccard

QUESTION = "How do Python decorators work?"
BY_NAME = {"learned": rerank_learned, **RERANKERS}


def hit(text: str, *, id: int = 1, title: str = "", similarity: float | None = None, bm25: float | None = None) -> Hit:
    item = passage(text, page_id=id, title=title)
    return Hit(passage=item, score=1 / id, scale="minmax", rank=id, similarity=similarity, bm25=bm25)


def hits_of(texts: list[str], similarities: list[float]) -> list[Hit]:
    pairs = zip(texts, similarities, strict=False)
    return [hit(text, id=id, similarity=similarity) for id, (text, similarity) in enumerate(pairs, start=1)]


def test_hybrid_weighs_similarity_tfidf_and_overlap() -> None:
    hits = hits_of(["bananas are yellow", "python decorators wrap functions"], [0.5, 0.5])
    first, second = rerank_hybrid(QUESTION, "en", hits)
    assert (first.passage.page_id, first.original_rank, first.rank) == (2, 2, 1)
    assert second.score == pytest.approx(0.25)
    expected = 0.25 + 0.3 * tfidf_cosines(QUESTION, [h.passage.text for h in hits])[1] + 0.2 * 2 / 7
    assert first.score == pytest.approx(expected)


def test_tfidf_alone_leaves_similarity_out() -> None:
    hits = hits_of(["bananas are yellow", "python decorators wrap functions"], [0.9, 0.1])
    assert [each.passage.page_id for each in rerank_tfidf(QUESTION, "en", hits)] == [2, 1]


def test_tfidf_cosine_is_one_for_the_same_words_and_nought_for_others() -> None:
    assert tfidf_cosines("python decorators", ["Python decorators", "yellow bananas"]) == [pytest.approx(1.0), 0.0]


def test_tfidf_is_that_of_scikit_learn() -> None:
    # smoothed: ln((1 + texts) / (1 + texts with it)) + 1; three texts count, the question among them
    red, rare = 1.0, math.log(4 / 2) + 1
    pair = math.log(4 / 3) + 1  # "bridge" and "red bridge" stand in two
    norms = math.sqrt(red**2 + 2 * pair**2) * math.sqrt(red**2 + 2 * rare**2)
    same, other = tfidf_cosines("the red bridge", ["Red bridge!", "a red boat"])
    assert same == pytest.approx(1.0)
    assert other == pytest.approx(red * red / norms)


def test_tfidf_keeps_the_most_frequent_words() -> None:
    rare = " ".join(f"word{at}" for at in range(2000))
    assert tfidf_cosines("bridge", [f"bridge bridge {rare}"]) != [0.0]
    frequent = " ".join(f"word{at} word{at}" for at in range(2000))
    assert tfidf_cosines("bridge", [frequent]) == [0.0]


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("what is it", ["it is what it is"]),  # stop words only
        ("", ["", "."]),
        ("桥是什么时候建的？", ["这座桥建于一七八九年。"]),  # no two characters between spaces are the same
        ("a b c", ["a b c"]),  # a word has two letters or more
        ("bridge", []),
    ],
)
def test_tfidf_of_nothing_in_common_is_nought(question: str, texts: list[str]) -> None:
    assert tfidf_cosines(question, texts) == [0.0] * len(texts)


def test_scikit_learn_is_imported_by_the_rerankers_that_need_it_alone() -> None:
    code = """
import sys
import pipeline.ask, workers.learning
from tests.pipeline.documents.test_rerank import BY_NAME
for name in ("learned", "bm25", "none", "tfidf"):
    BY_NAME[name]("warm", "en", [])
    print(name, sorted({"sklearn", "scipy"} & set(sys.modules)))
"""
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.splitlines() == ["learned []", "bm25 []", "none []", "tfidf ['scipy', 'sklearn']"]


def test_keyword_overlap_is_jaccard() -> None:
    assert keyword_jaccard("a b c", ["b c d"]) == [0.5]
    assert jaccard(set(), set()) == 0.0


def test_bm25_is_okapis() -> None:
    # two texts of 2 and 4 terms, mean 3; "wrap" stands once in the second only: idf ln(1 + 1.5/1.5) = ln 2
    scores = bm25_scores(["wrap"], [["banana", "yellow"], ["decor", "wrap", "function", "python"]])
    assert scores == [0.0, pytest.approx(0.693147 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 4 / 3)))]


def test_bm25_reads_titles_and_stems_in_the_questions_language() -> None:
    hits = [hit("Ein Text über nichts.", id=1), hit("Ein Text.", id=2, title="Die Häuser")]
    assert [each.passage.page_id for each in rerank_bm25("Welches Haus?", "de", hits)] == [2, 1]


@pytest.mark.parametrize("name", BY_NAME)
@given(
    st.lists(st.text("ab cde.", max_size=30), max_size=6),
    st.lists(st.floats(-1, 1), min_size=6, max_size=6),
    st.text("abc d?", max_size=20),
)
@settings(deadline=None)  # scikit-learn takes a second to import
def test_every_reranker_only_reorders(name: str, texts: list[str], similarities: list[float], question: str) -> None:
    hits = hits_of(texts, similarities)
    reranked = BY_NAME[name](question, "en", hits)
    assert sorted(each.passage.id for each in reranked) == sorted(each.passage.id for each in hits)
    assert [each.rank for each in reranked] == list(range(1, len(hits) + 1))
    assert [each.score for each in reranked] == sorted((each.score for each in reranked), reverse=True)


@pytest.mark.parametrize("name", ["learned", "hybrid", "tfidf", "bm25"])
def test_reranked_hit_keeps_its_rank_from_before(name: str) -> None:
    hits = hits_of(["bananas are yellow", "python decorators wrap functions"], [0.1, 0.9])
    first, second = BY_NAME[name](QUESTION, "en", hits)
    assert (first.original_rank, second.original_rank) == (2, 1)
    assert {first.scale, second.scale} == {"rerank"}


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
