"""From a question to an answer: look once; look again in other words; look again after reading; or abstain.

Each look retrieves, judges and composes, and gives an :class:`Attempt`. Who calls decides what happens next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

from pipeline.compose import compose
from pipeline.judge import Judge, coverage_judge
from pipeline.question import Analysis, analyse_question
from pipeline.retrieve import Embed, Search, embed_queries, retrieve
from pipeline.strategy import RetrievalStrategy, strategy_for
from pipeline.variants import DEFAULT_COUNT, make_variants
from store.types import Answer, Cost, Hit, Scope, Variant, Verdict

#: the most hits any look asks for [retry_top_k]
MAX_K = 20


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked, and how."""

    text: str
    lang: str = ""  #: ISO 639-1; "" detects it
    task: str = ""  #: a name of TASK_STRATEGIES; "" infers it
    scope: Scope = field(default_factory=Scope)


@dataclass(frozen=True, kw_only=True)
class Tools:
    """What a look works with."""

    search: Search
    embedder: Embed
    pool: Executor
    clock: Callable[[], float]  #: seconds, monotonic
    judge: Judge = coverage_judge
    variant_count: int = DEFAULT_COUNT


@dataclass(frozen=True, kw_only=True)
class Timings:
    """Seconds each part of a look took."""

    embed: float
    search: float
    judge: float
    compose: float


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """What one look found."""

    analysis: Analysis
    queries: tuple[str, ...]  #: the question first
    variants: tuple[Variant, ...]
    hits: tuple[Hit, ...]
    verdict: Verdict
    answer: Answer | None  #: composed whenever there are hits, so that it can be given as provisional
    cost: Cost
    timings: Timings


def first_look(question: Question, tools: Tools) -> Attempt:
    """Phase 1: the question as it was asked."""
    analysis = analyse_question(question.text, question.lang)
    strategy = strategy_for(analysis.text, question.task)
    return _look(question, analysis, strategy, (), tools, k=_first_k(analysis, strategy))


def second_look(question: Question, tools: Tools) -> Attempt:
    """Phase 2: the question and its variants, twice as many hits (at most 20)."""
    analysis = analyse_question(question.text, question.lang)
    strategy = strategy_for(analysis.text, question.task)
    variants = make_variants(analysis, tools.variant_count)
    return _look(question, analysis, strategy, variants, tools, k=min(MAX_K, 2 * _first_k(analysis, strategy)))


def look_again(question: Question, variants: Sequence[Variant], tools: Tools) -> Attempt:
    """Phase 4: after reading, with the variants that are known already."""
    analysis = analyse_question(question.text, question.lang)
    strategy = strategy_for(analysis.text, question.task)
    return _look(question, analysis, strategy, variants, tools, k=min(MAX_K, 2 * _first_k(analysis, strategy)))


def _first_k(analysis: Analysis, strategy: RetrievalStrategy) -> int:
    return max(analysis.suggested_k, strategy.max_k)


def _look(
    question: Question,
    analysis: Analysis,
    strategy: RetrievalStrategy,
    variants: Sequence[Variant],
    tools: Tools,
    *,
    k: int,
) -> Attempt:
    queries = (analysis.text, *(variant.text for variant in variants))
    started = tools.clock()
    vectors = embed_queries(queries, tools.embedder)
    embedded = tools.clock()
    hits = retrieve(
        queries, vectors, search=tools.search, pool=tools.pool, k=k, scope=question.scope, lang=analysis.lang
    )
    searched = tools.clock()
    verdict = tools.judge(analysis, hits, strategy.threshold)
    judged = tools.clock()
    answer = compose(analysis, hits, question_vector=vectors[0], embedder=tools.embedder, confidence=verdict.confidence)
    composed = tools.clock()
    return Attempt(
        analysis=analysis,
        queries=queries,
        variants=tuple(variants),
        hits=tuple(hits),
        verdict=verdict,
        answer=answer,
        cost=Cost(),
        timings=Timings(
            embed=embedded - started,
            search=searched - embedded,
            judge=judged - searched,
            compose=composed - judged,
        ),
    )
