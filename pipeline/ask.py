"""Answer a question: a first pass; a second in other words; a final one after reading the web; or abstain.

Each pass retrieves, judges and composes, and returns a :class:`LookupResult`; the caller decides what happens next::

    first_pass ──► sufficient: answer
        └─► second_pass (variants, twice the hits) ──► sufficient: answer
              └─► read the web ──► final_pass ──► sufficient: answer; else read more, or abstain

A pass is local: what a language model does is in :mod:`pipeline.write`. Not here: reading the web, rows, and the page
text that citations are checked against (:mod:`pipeline.answering.citations`).
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise

from domain import Answer, Hit, Passage, Scope, SolvedQuestion, StatedFact, Variant, Verdict
from domain.answer import NextQuestion
from domain.hit import SearchedPages
from domain.options import MAX_K, Overrides
from domain.outcome import Outcome, Recalibrations, outcome_of
from pipeline.answering.compose import AnsweredPart, compose, compose_as_judged, join_parts
from pipeline.answering.few_shot import SolvedQuestions
from pipeline.documents.quality import PageTexts, filter_by_quality
from pipeline.documents.rerank import edges_among, merge_queries, rerank_graph
from pipeline.enhancements import DEFAULT, Enhancement
from pipeline.judging.evidence import Evidence, gather
from pipeline.judging.judge import Cutoff, Judge, Stop, calibrated_judge, cut_off_by_judge
from pipeline.judging.reading import READ_FIRST, READ_WHOLE, Reads, best_first, is_translated, read_and_compare
from pipeline.phrases import say
from pipeline.question.analysis import Analysis, analyse_question
from pipeline.question.follow_up import questions_in
from pipeline.question.variants import COUNT_AT_ONCE, VariantMemory, make_variants, order_of_variants
from pipeline.retrieval.context import ContextAdvice, advise_on_context, build_context, select_for_answer
from pipeline.retrieval.multi_hop import MIN_HITS, KnowledgeGraph, expand, find_facts
from pipeline.retrieval.retrieve import Embed, Observe, QueryHits, Ranking, Search, Vectors, ignore, retrieve
from pipeline.strategies import RetrievalLimits, RetrievalStrategy, strategy_for


@dataclass(frozen=True, kw_only=True)
class LookupRequest:
    """A question, and the conditions it is asked under."""

    text: str
    lang: str = ""  #: ISO 639-1; "" detects it
    task: str = ""  #: a name of TASK_STRATEGIES; "": the general one
    scope: Scope = field(default_factory=Scope)
    overrides: Overrides = field(default_factory=Overrides)
    id: str = ""  #: seeds random choices


@dataclass(frozen=True, kw_only=True)
class Tools:
    """Everything a pass works with."""

    search: Search
    embedder: Embed
    pool: Executor
    clock: Callable[[], float]  #: seconds, monotonic
    reader: Reads | None = None  #: reads the best hits; None: words alone choose the sentences
    translates: bool = True  #: whether it reads other languages than English, translated word by word
    judge: Judge | None = None  #: instead of the one calibrated for the embedder
    limits: RetrievalLimits = field(default_factory=RetrievalLimits)
    ranking: Ranking = field(default_factory=Ranking)  #: how hits are put in order
    observe: Observe = ignore  #: measures retrieval stage by stage
    stop: Stop = cut_off_by_judge  #: decides how many hits are enough
    enhancements: frozenset[Enhancement] = DEFAULT  #: those that are on
    page_texts: PageTexts | None = None  #: for the fallback to pages' whole text
    solved: SolvedQuestions | None = None  #: for a model, as examples
    examples: Sequence[SolvedQuestion] = ()  #: of the operator's
    memory: VariantMemory | None = None  #: of the kinds of variant that helped
    graph: KnowledgeGraph | None = None  #: names that lead from hit to hit, and facts
    learned: Recalibrations = field(default_factory=dict)  #: what feedback makes of the judge's confidence


@dataclass(frozen=True, kw_only=True)
class Timings:
    """Seconds each part of a pass took."""

    embed: float
    search: float
    judge: float
    compose: float


@dataclass(frozen=True, kw_only=True)
class LookupResult:
    """The outcome of one pass."""

    analysis: Analysis
    strategy: RetrievalStrategy
    queries: tuple[str, ...]  #: the question first
    variants: tuple[Variant, ...]
    hits: tuple[Hit, ...]
    context: tuple[Hit, ...] = ()  #: those of the hits that the answer was made from
    verdict: Verdict
    answer: Answer | None  #: composed whenever there are hits, so that it can be given as provisional
    timings: Timings
    facts: tuple[StatedFact, ...] = ()  #: that answer the question
    cutoff: Cutoff | None = None  #: why there are no more hits
    advice: ContextAdvice | None = None  #: what the hits lack as a context, when they do not suffice
    found: tuple[QueryHits, ...] = ()  #: what each query found, before fusion
    related: tuple[NextQuestion, ...] = ()  #: what to ask next
    searched: SearchedPages | None = None  #: where the hits do not suffice
    strict: bool = False  #: whether what is not sure to answer is not given

    @property
    def outcome(self) -> Outcome:
        """Return what the question comes to if this pass is the last."""
        return outcome_of(self.answer, self.verdict, strict=self.strict)


def first_pass(request: LookupRequest, tools: Tools, variants: Sequence[Variant] | None = None) -> LookupResult:
    """Phase 1: look up the question as it was asked; with multi-query, in three wordings. Raises QuestionError.

    ``variants`` are those of a model, for multi-query; None: the rules make them.
    """
    analysis = analyse_question(request.text, request.lang)
    if "multi_query" not in tools.enhancements:
        variants = ()
    elif variants is None:
        variants = make_variants(analysis, COUNT_AT_ONCE)
    return _run_pass(request, analysis, variants, tools, widened=False)


def second_pass(request: LookupRequest, tools: Tools, variants: Sequence[Variant] | None = None) -> LookupResult:
    """Phase 2: look up the question and its variants, for twice as many hits (at most 20). Raises QuestionError.

    ``variants`` are those of a model; None: the rules make them, those of the kinds that helped first.
    """
    analysis = analyse_question(request.text, request.lang)
    if variants is None:
        count = tools.limits.with_overrides(request.overrides).variants
        learned = tools.memory if "learned_variants" in tools.enhancements else None
        variants = make_variants(analysis, count, order_of_variants(analysis, request.id, learned)) if count else ()
    return _run_pass(request, analysis, variants, tools, widened=True)


def final_pass(request: LookupRequest, variants: Sequence[Variant], tools: Tools) -> LookupResult:
    """Phase 4: look up the question after reading, with the variants of phase 2. Raises QuestionError."""
    return _run_pass(request, analyse_question(request.text, request.lang), variants, tools, widened=True)


def without_search(request: LookupRequest, passages: Sequence[Passage], answer: Answer) -> LookupResult:
    """Return the result where passages and the answer in them are known without a search."""
    analysis = analyse_question(request.text, request.lang)
    hits = tuple(
        Hit(passage=passage, score=1.0, scale="rerank", rank=rank) for rank, passage in enumerate(passages[:MAX_K], 1)
    )
    reason = say("answers", analysis.lang)
    return LookupResult(
        analysis=analysis,
        strategy=strategy_for(request.task),
        queries=(analysis.text,),
        variants=(),
        hits=hits,
        context=hits,
        verdict=Verdict(sufficient=True, confidence=answer.confidence, reason=reason, judge="page"),
        answer=answer,
        timings=Timings(embed=0.0, search=0.0, judge=0.0, compose=0.0),
    )


def _run_pass(
    request: LookupRequest, analysis: Analysis, variants: Sequence[Variant], tools: Tools, *, widened: bool
) -> LookupResult:
    """Embed all queries at once, search, fuse, rerank, judge, compose; ``widened`` doubles the hits."""
    limits = tools.limits.with_overrides(request.overrides)
    strategy = limits.strategy(strategy_for(request.task))
    k = limits.top_k(analysis.suggested_k, strategy, widened=widened)
    queries = (analysis.text, *(variant.text for variant in variants))
    times = [tools.clock()]
    vectors = tools.embedder.embed(list(queries))
    times.append(tools.clock())
    retrieved, facts, found = _retrieve(request, analysis, queries, vectors, tools, k)
    if found[0].not_reranked:  # all is as without another reranker
        tools = replace(tools, ranking=replace(tools.ranking, rerank=None))
    merged = merge_queries(retrieved, tools.enhancements, k, widened=widened) if variants else retrieved
    times.append(tools.clock())
    judge = tools.judge or calibrated_judge(tools.embedder.id, tools.learned)
    cutoff, kept, verdict = _judge(analysis, retrieved, merged, tools, judge, strategy, k)
    times.append(tools.clock())
    context = _evidence_for_answer(kept, tools, limits.final_top_k)
    answer, verdict = _compose(request, context, verdict, facts, tools, lambda read: judge(read, strategy.threshold))
    times.append(tools.clock())
    embed, search, judging, composing = (later - earlier for earlier, later in pairwise(times))
    return LookupResult(
        analysis=analysis,
        strategy=strategy,
        queries=queries,
        variants=tuple(variants),
        hits=cutoff.hits,
        context=context.hits,
        verdict=verdict,
        answer=answer,
        timings=Timings(embed=embed, search=search, judge=judging, compose=composing),
        facts=tuple(facts),
        cutoff=cutoff,
        advice=None
        if verdict.sufficient
        else advise_on_context(analysis, build_context(cutoff.hits), answer_quality=verdict.confidence),
        found=found,
        strict=limits.strict,
    )


def _retrieve(
    request: LookupRequest, analysis: Analysis, queries: Sequence[str], vectors: Vectors, tools: Tools, k: int
) -> tuple[list[Hit], list[StatedFact], tuple[QueryHits, ...]]:
    """Return the k best hits, with those that names and facts lead to, those facts, and what each query found."""
    graph, enabled, facts = tools.graph, tools.enhancements, list[StatedFact]()
    hits, found = retrieve(
        queries,
        vectors,
        search=tools.search,
        pool=tools.pool,
        k=max(k, MIN_HITS),
        scope=request.scope,
        lang=analysis.lang,
        embedder_id=tools.embedder.id,
        ranking=tools.ranking,
        observe=tools.observe,
    )
    if graph is not None:
        facts = find_facts(analysis, graph) if "facts" in enabled else []
        names = graph if "graph" in enabled else None
        hits = expand(analysis, vectors, hits, graph=names, passages=graph, scope=request.scope, facts=facts)
        if "page_rank" in enabled:
            edges = edges_among(hits, graph)
            hits = rerank_graph(hits, edges)
    return hits[:k], facts, found


def _judge(
    analysis: Analysis,
    retrieved: Sequence[Hit],
    hits: Sequence[Hit],
    tools: Tools,
    judge: Judge,
    strategy: RetrievalStrategy,
    k: int,
) -> tuple[Cutoff, Evidence, Verdict]:
    """Read the hits, and return which are kept, the evidence in these and the verdict."""
    evidence = _read(analysis, hits, tools, lambda read: judge(read, strategy.threshold))
    cutoff = tools.stop(evidence, strategy=strategy, judge=judge, k=k)
    kept = evidence.of(cutoff.hits)
    # the document's judge counts all that was retrieved
    return cutoff, kept, judge(gather(analysis, retrieved) if tools.judge else kept, strategy.threshold)


def _read(analysis: Analysis, hits: Sequence[Hit], tools: Tools, judge: Callable[[Evidence], Verdict]) -> Evidence:
    """Return the evidence in the hits, those that answer first; only the first three are read if they suffice.

    They suffice for 58 of 75 questions about encyclopedia articles, and for one in six on four harder sets, where .614
    of 271 questions are answered rightly instead of .618, and .030 surely and wrongly instead of .041.
    """
    order = best_first if tools.ranking.rerank is None else read_and_compare  # another reranker's order stays

    def read(count: int) -> Evidence:
        read = order(tools.embedder, tools.reader, analysis, hits[:count], translates=tools.translates)
        return gather(analysis, [*read, *hits[count:]])

    if len(hits) > READ_WHOLE and tools.reader and not any(is_translated(analysis, hit) for hit in hits[:READ_FIRST]):
        evidence = read(READ_WHOLE)
        if evidence.hits[0].reading and judge(evidence).sufficient:
            return evidence
    return read(len(hits))


def _evidence_for_answer(evidence: Evidence, tools: Tools, most: int) -> Evidence:
    """Return the evidence that the answer is made from: of at most so many hits, which are read if none of them was."""
    analysis = evidence.analysis
    hits: Sequence[Hit] = evidence.hits
    if "quality" in tools.enhancements:
        hits = filter_by_quality(hits, analysis.text, lang=analysis.lang, page_texts=tools.page_texts)
    hits = select_for_answer(analysis, hits, tools.enhancements)[:most]
    if any(hit.reading for hit in hits[:READ_FIRST]):
        return evidence.of(hits)
    return gather(analysis, read_and_compare(tools.embedder, tools.reader, analysis, hits, translates=tools.translates))


def _compose(
    request: LookupRequest,
    context: Evidence,
    verdict: Verdict,
    facts: Sequence[StatedFact],
    tools: Tools,
    judge: Callable[[Evidence], Verdict],
) -> tuple[Answer | None, Verdict]:
    """Return the answer and the verdict on it: to both parts of a question that has two, or else to the whole."""
    several = "multi_document" in tools.enhancements
    composed = partial(compose, several=several, facts=facts, length=request.overrides.length)
    parts = []
    for part in questions_in(context.analysis):  # for which the hits are read and judged anew
        hits = [replace(hit, nearness={}, near_terms={}) for hit in context.hits]
        read = gather(part, read_and_compare(tools.embedder, tools.reader, part, hits, translates=tools.translates))
        judged = judge(read)
        answer = compose_as_judged(judged, composed, read, is_part=True)
        parts.append(AnsweredPart(question=part, answer=answer, verdict=judged))
    if joined := join_parts(parts, needs_all=verdict.sufficient):
        return joined
    answer = compose_as_judged(verdict, composed, context)
    if answer is None and verdict.sufficient:
        verdict = replace(verdict, sufficient=False, reason=say("unknown", context.analysis.lang))
    return answer, verdict
