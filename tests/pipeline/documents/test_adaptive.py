"""The design document of adaptive retrieval (Stop-RAG): its constants, formula, stop rule and what is built instead."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import Hit, Verdict
from pipeline.ask import LookupRequest, Tools, first_pass, second_pass
from pipeline.documents import judge as document
from pipeline.documents.judge import compute_confidence, cut_off_by_document, document_stop
from pipeline.judging.evidence import Evidence, gather
from pipeline.judging.judge import Cutoff, Judge, cut_off_by_judge, keep_all
from pipeline.question.analysis import analyse_question
from pipeline.strategies import MAX_K, TASK_STRATEGIES, RetrievalLimits
from tests.fakes import HashingEmbedder, MemorySearch, passage
from tests.pipeline.test_ask import PAGES

GENERAL = TASK_STRATEGIES["general"]
ANALYSIS = analyse_question("Who built the lighthouse of Vierburg?")


def hits(*similarities: float, text: str = "Some text.") -> list[Hit]:
    return [
        Hit(passage=passage(text, page_id=at), score=s, scale="minmax", rank=at, similarity=s)
        for at, s in enumerate(similarities, start=1)
    ]


def test_constants_are_the_documents() -> None:
    assert document.SIMILARITY_FLOOR == 0.2
    assert (document.DEFAULT_THRESHOLD, document.DEFAULT_MIN_K, document.DEFAULT_MAX_K) == (0.7, 1, 8)
    assert (document.SIMILARITY_WEIGHT, document.COVERAGE_WEIGHT) == (0.6, 0.4)


def test_confidence_without_entities_is_the_mean_similarity() -> None:
    assert compute_confidence(hits(0.9, 0.7, 0.5)) == pytest.approx(0.7)


def test_confidence_with_entities_is_six_tenths_similarity_and_four_tenths_coverage() -> None:
    found = hits(0.8, 0.6, text="The keeper of Vierburg, Ada Brandt, lit it in 1874.")
    expected = 0.6 * 0.7 + 0.4 * 2 / 3  # Vierburg and 1874, not Paris
    assert compute_confidence(found, ["Vierburg", "1874", "Paris"]) == pytest.approx(expected)


def test_entity_counts_as_a_whole_word_in_any_case() -> None:
    assert compute_confidence(hits(0.0, text="the RATE of vierburg"), ["rat"]) == 0.0
    assert compute_confidence(hits(0.0, text="the RATE of vierburg"), ["Rate", "Vierburg"]) == pytest.approx(0.4)
    assert compute_confidence(hits(0.0, text="東京タワーは東京にある。"), ["東京"]) == pytest.approx(0.4)


def test_nothing_found_is_no_results() -> None:
    kept = cut_off_by_document([])
    assert (kept.hits, kept.confidence, kept.stop_reason, kept.chunks_retrieved) == ((), 0.0, "no_results", 0)


def test_hits_below_the_floor_are_left_out() -> None:
    assert cut_off_by_document(hits(0.19, 0.1)).stop_reason == "no_results"
    kept = cut_off_by_document(hits(0.5, 0.2, 0.19))
    assert [hit.similarity for hit in kept.hits] == [0.5, 0.2]
    assert kept.stop_reason == "exhausted"


def test_rule_stops_at_the_threshold_once_there_are_min_k() -> None:
    assert cut_off_by_document(hits(0.9, 0.8, 0.8)).chunks_retrieved == 1
    kept = cut_off_by_document(hits(0.9, 0.8, 0.8), min_k=2)
    assert (kept.chunks_retrieved, kept.stop_reason) == (2, "threshold")
    assert kept.confidence == pytest.approx(0.85)


def test_rule_stops_at_max_k_and_says_so() -> None:
    kept = cut_off_by_document(hits(*[0.5] * 10), max_k=4)
    assert (kept.chunks_retrieved, kept.stop_reason, kept.found) == (4, "max_k", 10)


def test_threshold_that_is_reached_with_the_last_allowed_hit_is_the_reason() -> None:
    assert cut_off_by_document(hits(0.9, 0.8), min_k=2, max_k=2).stop_reason == "threshold"


def test_more_entities_found_let_the_rule_stop_later_than_min_k() -> None:
    found = [
        replace(hit, passage=replace(hit.passage, text=text))
        for hit, text in zip(hits(0.9, 0.85), ("The lighthouse.", "Vierburg."), strict=True)
    ]
    kept = cut_off_by_document(found, entities=["Vierburg"])
    assert (kept.chunks_retrieved, kept.stop_reason) == (2, "threshold")


@given(st.lists(st.floats(0.2, 1.0), min_size=1, max_size=12), st.integers(1, 4), st.floats(0, 1))
def test_document_contradicts_itself_without_entities_its_rule_stops_at_min_k_or_never(
    similarities: list[float], min_k: int, threshold: float
) -> None:
    """The mean of numbers that fall never rises: built as written, and therefore not the default."""
    ordered = sorted(similarities, reverse=True)
    means = [fmean(ordered[:count]) for count in range(1, len(ordered) + 1)]
    assert all(later <= earlier + 1e-12 for earlier, later in pairwise(means))
    kept = cut_off_by_document(hits(*similarities), min_k=min_k, max_k=8, threshold=threshold)
    if kept.stop_reason == "threshold" and kept.confidence > threshold + 1e-12:
        assert kept.chunks_retrieved == min_k


@given(st.lists(st.floats(-1, 1), max_size=12), st.integers(1, 3), st.integers(3, 9), st.floats(0, 1), st.booleans())
def test_rule_keeps_the_most_similar_within_its_bounds(
    similarities: list[float], min_k: int, max_k: int, threshold: float, named: bool
) -> None:
    entities = ["Vierburg"] if named else []
    kept = cut_off_by_document(hits(*similarities), min_k=min_k, max_k=max_k, threshold=threshold, entities=entities)
    near = sorted((s for s in similarities if s >= document.SIMILARITY_FLOOR), reverse=True)
    assert [hit.similarity for hit in kept.hits] == near[: kept.chunks_retrieved]
    assert kept.chunks_retrieved <= max_k
    assert [hit.rank for hit in kept.hits] == list(range(1, kept.chunks_retrieved + 1))
    if kept.stop_reason == "threshold":
        assert kept.chunks_retrieved >= min_k
        assert kept.confidence >= threshold


@pytest.mark.parametrize("task", sorted(TASK_STRATEGIES))
def test_rule_takes_threshold_and_min_k_from_the_tasks_strategy(task: str) -> None:
    strategy = TASK_STRATEGIES[task]
    judge = _judge_by_count({})
    analysis = analyse_question("what is it?")
    kept = document_stop()(gather(analysis, hits(*[0.99] * 10)), strategy=strategy, judge=judge, k=strategy.max_k)
    assert (kept.chunks_retrieved, kept.stop_reason) == (strategy.min_k, "threshold")


def test_kept_hits_stay_in_the_order_of_the_reranker() -> None:
    found = [replace(hit, rank=rank) for rank, hit in enumerate(reversed(hits(0.9, 0.8, 0.3, 0.1)), start=1)]
    kept = document_stop()(gather(ANALYSIS, found), strategy=GENERAL, judge=_judge_by_count({}), k=3)
    assert [(hit.similarity, hit.rank) for hit in kept.hits] == [(0.3, 1), (0.8, 2), (0.9, 3)]


def test_rule_reads_similarities_on_the_documents_scale() -> None:
    doubled = lambda hit: 2 * (hit.similarity or 0.0)  # noqa: E731 - a scale
    kept = cut_off_by_document(hits(0.4, 0.35, 0.09), min_k=2, similarity=doubled)
    assert (kept.chunks_retrieved, kept.stop_reason, kept.found) == (2, "threshold", 3)
    assert kept.confidence == pytest.approx(0.75)


class CountingSearch(MemorySearch):
    """Counts how often it is searched."""

    searches = 0

    def search_text(self, *args: object, **kwargs: object) -> list[Hit]:
        self.searches += 1
        return super().search_text(*args, **kwargs)  # type: ignore[arg-type]

    def search_vectors(self, *args: object, **kwargs: object) -> list[list[Hit]]:
        self.searches += 1
        return super().search_vectors(*args, **kwargs)  # type: ignore[arg-type]


def _tools(pool: ThreadPoolExecutor, pages: object = PAGES) -> tuple[Tools, HashingEmbedder, CountingSearch]:
    embedder = HashingEmbedder()
    search = CountingSearch(pages, embedder)  # type: ignore[arg-type]
    embedder.batches.clear()
    return Tools(search=search, embedder=embedder, pool=pool, clock=lambda: 0.0), embedder, search


def test_a_look_embeds_once_and_searches_once_whatever_the_rule_keeps() -> None:
    with ThreadPoolExecutor(2) as pool:
        for stop in (document_stop(), cut_off_by_judge, keep_all):
            tools, embedder, search = _tools(pool)
            attempt = first_pass(LookupRequest(text="What is the capital of France?"), replace(tools, stop=stop))
            assert embedder.batches == [1]
            assert search.searches == 2  # the two legs of one hybrid search
            assert attempt.cutoff is not None
            assert attempt.cutoff.chunks_retrieved == len(attempt.hits)


def test_document_rule_asks_for_the_strategys_max_k_and_a_second_look_for_twice_as_many() -> None:
    many = [passage(f"Paris, note {at} on the capital.", page_id=at, title="Paris") for at in range(60)]
    with ThreadPoolExecutor(2) as pool:
        tools = replace(_tools(pool, many)[0], stop=document_stop(), limits=RetrievalLimits(by_strategy=True))
        question = LookupRequest(text="Name the capital", task="debugging")
        strategy = TASK_STRATEGIES["debugging"]
        first, second = first_pass(question, tools), second_pass(question, tools)
    assert first.cutoff is not None
    assert second.cutoff is not None
    assert first.cutoff.found == strategy.max_k
    assert second.cutoff.found == min(MAX_K, 2 * strategy.max_k)


def _judge_by_count(confidences: dict[int, float], default: float = 0.5) -> Judge:
    """A judge that is as sure as the number of hits says."""

    def judge(evidence: Evidence, threshold: float) -> Verdict:
        confidence = confidences.get(len(evidence.hits), default)
        return Verdict(sufficient=confidence >= threshold, confidence=confidence, reason="so many hits")

    return judge


def _by_judge(found: list[Hit], confidences: dict[int, float], *, k: int = 8, default: float = 0.5) -> Cutoff:
    judge = _judge_by_count(confidences, default)
    return cut_off_by_judge(gather(ANALYSIS, found), strategy=GENERAL, judge=judge, k=k)


def test_default_stops_where_more_hits_would_change_nothing() -> None:
    kept = _by_judge(hits(*[0.5] * 8), {3: 0.95, 8: 0.96})
    assert (kept.chunks_retrieved, kept.stop_reason, kept.found) == (3, "no_gain", 8)


def test_default_stops_at_the_threshold_when_more_hits_would_only_dilute() -> None:
    kept = _by_judge(hits(*[0.5] * 8), {3: 0.97, 8: 0.9})
    assert (kept.chunks_retrieved, kept.stop_reason) == (3, "threshold")


def test_default_goes_on_while_hits_add_to_the_confidence() -> None:
    kept = _by_judge(hits(*[0.5] * 8), {3: 0.91, 5: 0.97, 8: 0.98})
    assert kept.chunks_retrieved == 5


@pytest.mark.parametrize(("found", "reason"), [(8, "max_k"), (6, "exhausted"), (0, "no_results")])
def test_default_keeps_everything_when_it_does_not_suffice(found: int, reason: str) -> None:
    kept = _by_judge(hits(*[0.5] * found), {3: 0.99}, default=0.3)
    assert (kept.chunks_retrieved, kept.stop_reason) == (found, reason)


def test_default_does_not_cut_off_a_page_that_a_better_hit_names() -> None:
    found = hits(*[0.5] * 8)
    found[0] = replace(found[0], passage=replace(found[0].passage, text="It was built by Ada Brandt."))
    found[5] = replace(found[5], passage=replace(found[5].passage, title="Ada Brandt (engineer)"))
    kept = _by_judge(found, dict.fromkeys(range(1, 9), 0.95))
    assert kept.chunks_retrieved == 6


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9), st.integers(0, 9))
def test_default_never_changes_whether_hits_suffice(confidences: list[float], more: int) -> None:
    found = hits(*[0.5] * len(confidences))
    judge = _judge_by_count(dict(enumerate(confidences, start=1)))
    kept = cut_off_by_judge(gather(ANALYSIS, found), strategy=GENERAL, judge=judge, k=len(found) + more)
    everything = judge(gather(ANALYSIS, found), GENERAL.threshold)
    assert judge(gather(ANALYSIS, kept.hits), GENERAL.threshold).sufficient == everything.sufficient
    assert list(kept.hits) == found[: kept.chunks_retrieved]
