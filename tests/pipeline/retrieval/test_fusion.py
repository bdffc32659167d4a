"""Merging rankings."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import Hit
from pipeline.documents.rerank import rrf
from pipeline.retrieval.fusion import (
    ACROSS_LANGUAGES,
    FOUND_WITHIN,
    VECTOR_WEIGHT,
    fuse_queries,
    minmax,
    vector_weight,
    with_queries,
)
from store.embedders.bundled import Combined
from tests.fakes import passage


def text_hit(id: int, bm25: float, *, rank: int = 1, similarity: float | None = None) -> Hit:
    item = passage(f"text {id}", page_id=id)
    return Hit(passage=item, score=bm25, scale="bm25", rank=rank, bm25=bm25, similarity=similarity)


def vector_hit(id: int, similarity: float, *, rank: int = 1) -> Hit:
    item = passage(f"text {id}", page_id=id)
    return Hit(passage=item, score=similarity, scale="similarity", rank=rank, similarity=similarity)


legs = st.tuples(
    st.dictionaries(st.integers(0, 9), st.floats(0, 40), max_size=6),
    st.dictionaries(st.integers(0, 9), st.floats(-1, 1), max_size=6),
)


def test_minmax_scales_each_leg_and_weighs_them() -> None:
    fused = minmax([text_hit(1, 12), text_hit(2, 2)], [vector_hit(2, 0.9), vector_hit(3, 0.1)], weight=0.5)
    assert [(hit.passage.page_id, hit.score) for hit in fused] == [(1, 0.5), (2, 0.5), (3, 0.0)]
    assert [hit.rank for hit in fused] == [1, 2, 3]
    assert {hit.scale for hit in fused} == {"minmax"}


def test_minmax_keeps_what_only_one_leg_found() -> None:
    fused = minmax([], [vector_hit(1, 0.3), vector_hit(2, 0.2)])
    assert [hit.passage.page_id for hit in fused] == [1, 2]


def test_fused_hit_keeps_both_scores() -> None:
    [hit] = minmax([text_hit(1, 7)], [vector_hit(1, 0.4)])
    assert (hit.bm25, hit.similarity) == (7, 0.4)


@given(legs, st.randoms(use_true_random=False))
def test_minmax_is_order_blind(found: tuple[dict[int, float], dict[int, float]], chance: object) -> None:
    text = [text_hit(id, score) for id, score in found[0].items()]
    vector = [vector_hit(id, score) for id, score in found[1].items()]
    straight = minmax(text, vector)
    chance.shuffle(text)  # type: ignore[attr-defined]
    chance.shuffle(vector)  # type: ignore[attr-defined]
    assert minmax(text, vector) == straight
    assert all(0 <= hit.score <= 1 for hit in straight)
    assert {hit.passage.page_id for hit in straight} == found[0].keys() | found[1].keys()


def test_rrf_sums_reciprocal_ranks() -> None:
    first = [vector_hit(1, 0.9, rank=1), vector_hit(2, 0.8, rank=2)]
    second = [text_hit(2, 9, rank=1)]
    fused = {hit.passage.page_id: hit.score for hit in rrf([first, second])}
    assert fused == {1: pytest.approx(1 / 61), 2: pytest.approx(1 / 62 + 1 / 61)}


@given(st.lists(st.lists(st.integers(0, 9), unique=True, max_size=6), max_size=4), st.randoms(use_true_random=False))
def test_rrf_is_order_blind(rankings: list[list[int]], chance: object) -> None:
    lists = [[text_hit(id, 1.0, rank=rank) for rank, id in enumerate(ids, start=1)] for ids in rankings]
    straight = rrf(lists)
    chance.shuffle(lists)  # type: ignore[attr-defined]
    for hits in lists:
        chance.shuffle(hits)  # type: ignore[attr-defined]
    assert rrf(lists) == straight


def test_queries_are_fused_by_weight_and_duplicates_go() -> None:
    question = [
        replace(hit, scale="minmax", score=score) for hit, score in ((text_hit(1, 5), 1.0), (text_hit(2, 4), 0.4))
    ]
    variant = [replace(text_hit(2, 6), scale="minmax", score=1.0)]
    fused = fuse_queries([question, variant], weights=[2.0, 1.0])
    assert [hit.passage.page_id for hit in fused] == [1, 2]
    assert fused[0].score == pytest.approx(2 / 3)
    assert fused[1].score == pytest.approx((2 * 0.4 + 1.0) / 3)
    assert fused[1].bm25 == 6


def test_fused_hit_names_every_query_that_had_it_among_its_first_hits() -> None:
    question = [replace(text_hit(at, 9 - at, rank=at), query="question") for at in range(1, 8)]
    variant = [replace(text_hit(at, 9 - at, rank=at), query="variant") for at in (1, 2)]
    rankings = [question, variant]
    found_by = {
        hit.passage.page_id: hit.found_by for hit in with_queries(fuse_queries(rankings, weights=[2.0, 1.0]), rankings)
    }
    assert found_by[1] == ("question", "variant")
    assert found_by[FOUND_WITHIN] == ("question",)
    assert found_by[FOUND_WITHIN + 1] == ()


def test_queries_fused_by_rank_stay_on_that_scale() -> None:
    fused = fuse_queries([rrf([[text_hit(1, 5)]]), rrf([[text_hit(2, 4)]])], weights=[2.0, 1.0])
    assert [(hit.passage.page_id, hit.scale) for hit in fused] == [(1, "rrf"), (2, "rrf")]


def test_embedder_that_knows_no_german_counts_less_in_german() -> None:
    german, english = ("de", "de"), ("en", "en")
    assert vector_weight("wellread-en-2-int8", *german) < vector_weight("wellread-en-2-int8", *english)
    assert vector_weight("use-multilingual-v3", *german) > vector_weight("use-multilingual-v3", *english)
    assert vector_weight(Combined.id, *german) > vector_weight(Combined.id, *english)
    assert vector_weight("somebody-elses", "ru", "ru") == VECTOR_WEIGHT


@pytest.mark.parametrize("embedder", [Combined.id, "use-multilingual-v3"])
def test_words_count_little_from_one_language_to_another(embedder: str) -> None:
    assert vector_weight(embedder, "de", "en") == ACROSS_LANGUAGES[embedder] > vector_weight(embedder, "de", "de")
    assert vector_weight(embedder, "de", "und") == vector_weight(embedder, "de", "de")
    assert vector_weight("wellread-en-2-int8", "de", "en") == vector_weight("wellread-en-2-int8", "de", "de")


def test_each_hit_is_weighed_by_itself() -> None:
    text, vector = [text_hit(1, 9), text_hit(2, 8)], [vector_hit(3, 0.9), vector_hit(2, 0.1)]
    fused = minmax(text, vector, weight=lambda hit: 1.0 if hit.passage.page_id == 1 else 0.0)
    assert {hit.passage.page_id: hit.score for hit in fused} == {1: 0.0, 2: pytest.approx(0.0), 3: 0.0}
