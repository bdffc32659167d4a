"""From a question to an answer: look once; look again in other words; look again after reading; or abstain.

Each look retrieves, judges and composes, and gives an :class:`Attempt`; whoever calls decides what happens next::

    first_look ──► sufficient: answer
        └─► second_look (variants, twice the hits) ──► sufficient: answer
              └─► read the web ──► look_again ──► sufficient: answer; else read more, or abstain

Not here: reading, rows, and the page text that citations are checked against (:mod:`pipeline.answering.citations`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace

from domain import Answer, Cost, Hit, Scope, StatedFact, Variant, Verdict
from pipeline.answering.few_shot import SolvedQuestions, examples_for
from pipeline.enhancements import DEFAULT, Enhancement
from pipeline.fallback import Made, VariantMemory, judge_hits, vary, write_answer
from pipeline.judging.cutoff import Cutoff, StopRule, cut_off, remember_verdicts
from pipeline.judging.judge import Judge, JudgeName, judge_named
from pipeline.judging.learned import SHIPPED, Learned
from pipeline.llm import Model, Tell
from pipeline.multi_query import alternatives, merge_by_title
from pipeline.question.analysis import Analysis, analyse_question
from pipeline.question.strategy import RetrievalStrategy, strategy_for
from pipeline.question.variants import DEFAULT_COUNT
from pipeline.retrieval.context import ContextAdvice, advise_on_context, build_context, select_for_answer
from pipeline.retrieval.facts import find_facts
from pipeline.retrieval.multi_document import prompt_notes
from pipeline.retrieval.multi_hop import MIN_HITS, expand
from pipeline.retrieval.pagerank import KnowledgeGraph, edges_among, rerank_graph
from pipeline.retrieval.quality import PageTexts
from pipeline.retrieval.retrieve import Embed, Observe, Ranking, Search, Vectors, embed_queries, retrieve

#: the most hits any look asks for [retry_top_k]
MAX_K = 20


@dataclass(frozen=True, kw_only=True)
class Query:
    """What is asked, and how."""

    text: str
    lang: str = ""  #: ISO 639-1; "" detects it
    task: str = ""  #: a name of TASK_STRATEGIES; "" infers it
    scope: Scope = field(default_factory=Scope)
    id: str = ""  #: seeds what is left to chance


@dataclass(frozen=True, kw_only=True)
class Tools:
    """What a look works with."""

    search: Search
    embedder: Embed
    pool: Executor
    clock: Callable[[], float]  #: seconds, monotonic
    model: Model | None = None
    judge: JudgeName = "calibrated"
    variant_count: int = DEFAULT_COUNT
    ranking: Ranking = field(default_factory=Ranking)  #: how hits are put in order
    observe: Observe | None = None  #: whoever measures retrieval stage by stage
    stop: StopRule = "judge"  #: the rule that says how many hits are enough
    enhancements: frozenset[Enhancement] = DEFAULT  #: those that are on
    page_texts: PageTexts | None = None  #: for the fallback to pages' whole text
    solved: SolvedQuestions | None = None  #: for examples
    memory: VariantMemory | None = None  #: of variants made before, and of which kinds helped
    graph: KnowledgeGraph | None = None  #: names that lead from hit to hit, and facts
    learned: Learned = field(default_factory=Learned)  #: the versions of judge and reranker in use
    tell: Tell | None = None  #: hears the answer while the model writes it


@dataclass(frozen=True, kw_only=True)
class Timings:
    """Seconds each part of a look took."""

    embed: float
    search: float
    judge: float
    compose: float


@dataclass(frozen=True, kw_only=True)
class LookupResult:
    """What one look found."""

    analysis: Analysis
    strategy: RetrievalStrategy
    queries: tuple[str, ...]  #: the question first
    variants: tuple[Variant, ...]
    hits: tuple[Hit, ...]
    verdict: Verdict
    answer: Answer | None  #: composed whenever there are hits, so that it can be given as provisional
    cost: Cost
    timings: Timings
    facts: tuple[StatedFact, ...] = ()  #: that answer the question
    kept: Cutoff | None = None  #: why no more hits were kept
    advice: ContextAdvice | None = None  #: what the hits lack as a context, when they do not suffice
    ranked_by: int = SHIPPED  #: the version of the learned reranker


def first_look(question: Query, tools: Tools) -> LookupResult:
    """Phase 1: the question as it was asked; with multi-query, in three wordings. Raises QuestionError."""
    analysis, strategy = _understand(question)
    made: Made[tuple[Variant, ...]] = Made(value=())
    if "multi_query" in tools.enhancements:
        made = alternatives(analysis, tools.model)
    return _look(question, analysis, strategy, made, tools, k=_first_k(analysis, strategy, tools))


def second_look(question: Query, tools: Tools) -> LookupResult:
    """Phase 2: the question and its variants, twice as many hits (at most 20). Raises QuestionError."""
    analysis, strategy = _understand(question)
    memory = tools.memory if "learned_variants" in tools.enhancements else None
    variants = vary(
        analysis, model=tools.model, count=tools.variant_count, memory=tools.memory, learned=memory, seed=question.id
    )
    return _look(question, analysis, strategy, variants, tools, k=_second_k(analysis, strategy, tools))


def look_again(question: Query, variants: Sequence[Variant], tools: Tools) -> LookupResult:
    """Phase 4: after reading, with the variants that phase 2 made. Raises QuestionError."""
    analysis, strategy = _understand(question)
    return _look(
        question, analysis, strategy, Made(value=tuple(variants)), tools, k=_second_k(analysis, strategy, tools)
    )


def _understand(question: Query) -> tuple[Analysis, RetrievalStrategy]:
    analysis = analyse_question(question.text, question.lang)
    return analysis, strategy_for(analysis.text, question.task)


def _first_k(analysis: Analysis, strategy: RetrievalStrategy, tools: Tools) -> int:
    return strategy.max_k if tools.stop == "document" else max(analysis.suggested_k, strategy.max_k)


def _second_k(analysis: Analysis, strategy: RetrievalStrategy, tools: Tools) -> int:
    return min(MAX_K, 2 * _first_k(analysis, strategy, tools))


def _look(
    question: Query,
    analysis: Analysis,
    strategy: RetrievalStrategy,
    variants: Made[tuple[Variant, ...]],
    tools: Tools,
    *,
    k: int,
) -> LookupResult:
    """Embed all queries at once, search, fuse, rerank, keep what is enough, judge, compose."""
    queries = (analysis.text, *(variant.text for variant in variants.value))
    times = [tools.clock()]
    vectors = embed_queries(queries, tools.embedder)
    times.append(tools.clock())
    hits, facts = _find(question, analysis, queries, vectors, tools, k)
    times.append(tools.clock())
    judge = remember_verdicts(_judge(tools))
    kept = cut_off(tools.stop, analysis, hits, strategy=strategy, judge=judge, k=k)
    judged = judge_hits(analysis, kept.hits, model=tools.model, judge=judge, threshold=strategy.threshold)
    times.append(tools.clock())
    written = _write(analysis, kept.hits, judged.value, tools)
    times.append(tools.clock())
    answer, verdict = written.value
    return LookupResult(
        analysis=analysis,
        strategy=strategy,
        queries=queries,
        variants=variants.value,
        hits=kept.hits,
        verdict=verdict,
        answer=_noted(answer, variants.notice, judged.notice, written.notice),
        cost=variants.cost + judged.cost + written.cost,
        timings=_timings(times),
        facts=tuple(facts),
        kept=kept,
        advice=None if verdict.sufficient else _advice(analysis, kept.hits, verdict),
        ranked_by=tools.learned.reranker.number if tools.learned.reranker else SHIPPED,
    )


def _judge(tools: Tools) -> Judge:
    embedder = tools.embedder.id
    return judge_named(tools.judge, embedder, tools.learned.judges.get(embedder))


def _ranking(tools: Tools) -> Ranking:
    learned = tools.learned.reranker
    return replace(tools.ranking, learned=learned.weights) if learned else tools.ranking


def _find(
    question: Query, analysis: Analysis, queries: Sequence[str], vectors: Vectors, tools: Tools, k: int
) -> tuple[list[Hit], list[StatedFact]]:
    """The k best hits, with what names and facts lead to, and those facts."""
    hits = retrieve(
        queries,
        vectors,
        search=tools.search,
        pool=tools.pool,
        k=max(k, MIN_HITS),
        scope=question.scope,
        lang=analysis.lang,
        embedder_id=tools.embedder.id,
        ranking=_ranking(tools),
        observe=tools.observe,
    )
    hits, facts = _follow(question, analysis, vectors, hits, tools)
    by_title = "by_title" in tools.enhancements and len(queries) > 1
    return (merge_by_title(hits[:k], k) if by_title else hits[:k]), facts


def _follow(
    question: Query, analysis: Analysis, vectors: Vectors, hits: list[Hit], tools: Tools
) -> tuple[list[Hit], list[StatedFact]]:
    """The hits with what names and facts lead to, and those facts."""
    graph, on = tools.graph, tools.enhancements
    if graph is None:
        return hits, []
    facts = find_facts(analysis, graph) if "facts" in on else []
    names = graph if "graph" in on else None
    hits = expand(analysis, vectors, hits, graph=names, passages=graph, scope=question.scope, facts=facts)
    return (rerank_graph(hits, edges_among(hits, graph)) if "page_rank" in on else hits), facts


def _write(
    analysis: Analysis, hits: Sequence[Hit], verdict: Verdict, tools: Tools
) -> Made[tuple[Answer | None, Verdict]]:
    read, on = select_for_answer(analysis, hits, tools.enhancements, tools.page_texts), tools.enhancements
    return write_answer(
        analysis,
        read,
        verdict,
        model=tools.model,
        notes=prompt_notes(analysis, read) if "multi_document" in on else (),
        examples=examples_for(analysis, tools.solved) if "few_shot" in on else "",
        several="multi_document" in on,
        tell=tools.tell,
    )


def _advice(analysis: Analysis, hits: Sequence[Hit], verdict: Verdict) -> ContextAdvice:
    context = build_context(hits)
    return advise_on_context(analysis.text, context, lang=analysis.lang, answer_quality=verdict.confidence)


def _noted(answer: Answer | None, *notices: str) -> Answer | None:
    if answer is None:
        return None
    return replace(answer, notice=" ".join(dict.fromkeys(filter(None, (answer.notice, *notices)))))


def _timings(times: Sequence[float]) -> Timings:
    started, embedded, searched, judged, composed = times
    return Timings(
        embed=embedded - started, search=searched - embedded, judge=judged - searched, compose=composed - judged
    )
