"""How much a pass looks up and keeps: what the operator set, and what one question sets for itself."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import replace

import pytest

from domain.options import Overrides
from domain.outcome import ANSWERED_FROM
from pipeline.ask import LookupRequest, first_pass, second_pass
from pipeline.judging.judge import keep_all
from pipeline.strategies import MAX_K, TASK_STRATEGIES, RetrievalLimits, strategy_for
from tests.fakes import passage
from tests.pipeline.test_ask import tools_for
from tests.tables import each_row

QUESTION = "What is the capital of France?"
MANY = [passage(f"Paris fact {at} of the capital.", page_id=at, title="Paris") for at in range(30)]


@pytest.mark.parametrize(
    ("limits", "first", "second"),
    [
        (RetrievalLimits(initial_top_k=6), 6, 12),
        (RetrievalLimits(initial_top_k=6, retry_top_k=9), 6, 9),
        (RetrievalLimits(initial_top_k=16), 16, MAX_K),
        (RetrievalLimits(retry_top_k=1), 7, 7),  # a later pass never asks for fewer
    ],
)
def test_hits_of_both_looks_are_those_that_were_set(
    pool: Executor, limits: RetrievalLimits, first: int, second: int
) -> None:
    tools = replace(tools_for(pool, pages=MANY), limits=limits, stop=keep_all)
    assert len(first_pass(LookupRequest(text=QUESTION), tools).hits) == first
    assert len(second_pass(LookupRequest(text=QUESTION), tools).hits) == second


@pytest.mark.parametrize(("variants", "queries"), [(0, 1), (2, 3), (5, 6)])
def test_second_look_asks_in_as_many_other_words_as_were_set(pool: Executor, variants: int, queries: int) -> None:
    by_setting = replace(tools_for(pool), limits=RetrievalLimits(variants=variants))
    by_question = LookupRequest(text="How do I find the capital of France?", overrides=Overrides(variants=variants))
    assert len(second_pass(replace(by_question, overrides=Overrides()), by_setting).queries) == queries
    assert len(second_pass(by_question, tools_for(pool)).queries) == queries


def test_without_expansion_there_are_no_variants(pool: Executor) -> None:
    tools = replace(tools_for(pool), limits=RetrievalLimits(variants=0))
    attempt = second_pass(LookupRequest(text="Who won the 1998 World Cup?"), tools)
    assert attempt.variants == ()


def test_answer_is_made_from_the_hits_that_the_context_has(pool: Executor) -> None:
    tools = replace(
        tools_for(pool, pages=MANY), limits=RetrievalLimits(final_top_k=2), enhancements=frozenset(), stop=keep_all
    )
    attempt = first_pass(LookupRequest(text=QUESTION), tools)
    assert attempt.context == attempt.hits[:2]
    assert attempt.answer is not None
    assert {citation.passage_id for citation in attempt.answer.citations} <= {hit.passage.id for hit in attempt.context}


@pytest.mark.parametrize(("threshold", "sufficient"), [(0.0, True), (1.0, False)])
def test_threshold_of_a_question_holds_instead_of_its_strategys(
    pool: Executor, threshold: float, *, sufficient: bool
) -> None:
    usual = first_pass(LookupRequest(text=QUESTION), tools_for(pool))
    own = LookupRequest(text=QUESTION, overrides=Overrides(threshold=threshold))
    attempt = first_pass(own, tools_for(pool))
    assert attempt.verdict.sufficient is sufficient
    assert attempt.verdict.confidence == usual.verdict.confidence
    set_for_all = replace(tools_for(pool), limits=RetrievalLimits(threshold=threshold))
    assert first_pass(LookupRequest(text=QUESTION), set_for_all).verdict.sufficient is sufficient


def test_each_query_says_what_it_found_before_fusion(pool: Executor) -> None:
    attempt = second_pass(LookupRequest(text=QUESTION), tools_for(pool))
    assert tuple(found.query for found in attempt.found) == attempt.queries
    assert all(max(found.text, found.vectors) <= found.hits <= found.text + found.vectors for found in attempt.found)
    assert attempt.found[0].best[0].passage.id in {hit.passage.id for hit in attempt.hits}


@each_row(
    ("task", "threshold", "min_k", "max_k"),
    [
        ("debugging", 0.6, 2, 8),
        ("code_review", 0.7, 1, 5),
        ("architecture", 0.5, 2, 8),
        ("explanation", 0.8, 1, 4),
        ("testing", 0.7, 1, 5),
        ("devops", 0.6, 1, 6),
        ("ml_engineering", 0.6, 2, 8),
        ("general", ANSWERED_FROM, 1, 5),  # the document says .7
    ],
)
def test_strategies_are_the_documents_table(task: str, threshold: float, min_k: int, max_k: int) -> None:
    strategy = TASK_STRATEGIES[task]
    assert (strategy.threshold, strategy.min_k, strategy.max_k) == (threshold, min_k, max_k)


def test_task_is_the_general_one_unless_the_caller_names_another() -> None:
    assert strategy_for("").task == "general"
    assert strategy_for("explanation").threshold == 0.8
