"""The design document of query expansion: its kinds of variant, examples, test queries, counts and fusion."""

from __future__ import annotations

import threading
from concurrent.futures import Executor
from dataclasses import replace
from typing import get_args

import pytest

from domain import Hit, Scope, VariantKind
from pipeline.ask import LookupRequest, second_pass
from pipeline.documents.rerank import RRF_K, rrf
from pipeline.judging.reading import READ_FIRST
from pipeline.models.prompts import VARIANTS
from pipeline.models.replies import MAX_VARIANT_CHARS
from pipeline.question.analysis import analyse_question
from pipeline.question.variants import MAX_COUNT, MIN_COUNT, make_variants
from pipeline.strategies import RetrievalLimits
from tests.fakes import HashingEmbedder, MemorySearch, passage
from tests.pipeline.test_ask import PAGES, tools_for


def by_kind(question: str) -> dict[str, str]:
    return {variant.kind: variant.text for variant in reversed(make_variants(analyse_question(question)))}


def ranked(*ids: int) -> list[Hit]:
    return [
        Hit(passage=passage(f"text {id}", page_id=id), score=1.0 / rank, scale="minmax", rank=rank)
        for rank, id in enumerate(ids, start=1)
    ]


def test_there_are_the_documents_three_strategies_in_its_order() -> None:
    assert get_args(VariantKind) == ("paraphrase", "perspective_shift", "keyword_focus")
    assert [v.kind for v in make_variants(analyse_question("Wie denke ich über Bewusstsein?"))] == list(
        get_args(VariantKind)
    )


def test_number_of_variants_is_two_to_five_and_three_by_default() -> None:
    assert (MIN_COUNT, RetrievalLimits().variants, MAX_COUNT) == (2, 3, 5)


def test_documents_first_example_by_rule() -> None:
    """“Was ist meine Perspektive auf das Bewusstseinskonzept?”, “Meine Meinung zum Thema Bewusstsein wäre...”"""
    made = by_kind("Wie denke ich über Bewusstsein?")
    assert made["paraphrase"] == "Was ist meine Perspektive auf Bewusstsein?"
    assert made["perspective_shift"] == "Meine Meinung zum Thema Bewusstsein wäre"
    assert "Bewusstsein" in made["keyword_focus"]
    assert "?" not in made["keyword_focus"]


def test_documents_second_example_by_rule() -> None:
    """Each noun keeps the case that the question gives it, dative after "von" and accusative after "für"."""
    made = by_kind("Was sind die Implikationen von emergenten Strukturen für Autonomie?")
    assert made["paraphrase"] == "Welche Auswirkungen ergeben sich aus emergenten Strukturen für Autonomie?"
    assert made["perspective_shift"] == "Die Beziehung zwischen emergenten Strukturen und Autonomie"
    assert made["keyword_focus"] == "Implikationen emergenten Strukturen Autonomie"


@pytest.mark.parametrize(
    "question",
    [
        "Was denke ich über Autonomie?",  # short
        "Wie verstehe ich die Beziehung zwischen Bewusstsein und Identität?",  # medium
        "Wenn ich über die philosophischen Implikationen von Autonomie nachdenke...",  # long
        "Bewusstsein",  # a single word
    ],
)
def test_documents_test_queries_each_get_three_variants(question: str) -> None:
    made = make_variants(analyse_question(question))
    assert len({variant.kind for variant in made}) == 3


def test_hundred_tokens_a_variant_are_forty_words_for_the_model() -> None:
    """max_tokens_per_variant 100: said in words, since the model's limit on tokens includes what it thinks.

    The temperature of .7 is not sent: Claude's API takes none any more, and other servers are asked for 0.
    """
    assert "at most 40 words" in VARIANTS
    assert MAX_VARIANT_CHARS == 500


@pytest.mark.parametrize(("count", "queries"), [(2, 3), (3, 4), (5, 6)])
def test_all_queries_are_embedded_in_one_batch(pool: Executor, count: int, queries: int) -> None:
    """The table's costs, €0.00006, €0.00008 and €0.00012, are 3, 4 and 6 embeddings of €0.00002."""
    tools = replace(tools_for(pool), limits=RetrievalLimits(variants=count))
    attempt = second_pass(LookupRequest(text="How do I find the capital of France?"), tools)
    assert len(attempt.queries) == queries
    assert tools.embedder.batches == [queries]  # type: ignore[attr-defined]
    assert queries * 0.00002 == pytest.approx({2: 0.00006, 3: 0.00008, 5: 0.00012}[count])


class Meeting(MemorySearch):
    """A text search that waits until ``wanted`` searches are under way."""

    def __init__(self, wanted: int) -> None:
        super().__init__(PAGES, HashingEmbedder())
        self._all_here = threading.Barrier(wanted)

    def search_text(self, text: str, *, lang: str, k: int, scope: Scope) -> list[Hit]:
        self._all_here.wait(timeout=20)
        return super().search_text(text, lang=lang, k=k, scope=scope)


def test_the_four_queries_are_searched_at_once(pool: Executor) -> None:
    tools = replace(tools_for(pool), search=Meeting(4))
    assert len(second_pass(LookupRequest(text="How do I find the capital of France?"), tools).queries) == 4


def test_rrf_constant_is_sixty() -> None:
    assert RRF_K == 60
    assert [hit.score for hit in rrf([ranked(1, 2)])] == [1 / 61, 1 / 62]


def test_composers_read_more_than_the_five_best_hits_of_the_fusion() -> None:
    """final_top_k is 5; the answer of one question in ten stands in the three hits below, so eight are read."""
    assert READ_FIRST == 8


def test_document_contradicts_itself_duplicates_removed_before_rrf_leave_nothing_to_sum() -> None:
    """Step 4 removes duplicates, step 5 sums over the queries' ranks: built the other way round.

    Passage 2 is second for three queries, passage 1 first for one: agreement should win, and only does when each rank
    is still there.
    """
    rankings = [ranked(1, 2), ranked(3, 2), ranked(4, 2)]
    fused = rrf(rankings)
    assert fused[0].passage.page_id == 2
    assert fused[0].score == pytest.approx(3 / 62)
    seen: set[int] = set()
    deduplicated = [
        [h for h in ranking if not (h.passage.page_id in seen or seen.add(h.passage.page_id))]  # type: ignore[func-returns-value]
        for ranking in rankings
    ]
    assert rrf(deduplicated)[-1].passage.page_id == 2  # the document's order would put it last


def test_duplicates_are_gone_after_fusion(pool: Executor) -> None:
    attempt = second_pass(LookupRequest(text="What is the capital of France?"), tools_for(pool))
    ids = [hit.passage.id for hit in attempt.hits]
    assert len(ids) == len(set(ids))
    assert any(len(hit.found_by) > 1 for hit in attempt.hits)
