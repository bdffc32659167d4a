"""Measure, part by part, the way from a question to its hits, verdict and answer; embedding and reading are left out.

The references are the least work of a search in plain numpy.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchmarks.corpus.knowledge_base import make_knowledge_base, synthetic_language
from benchmarks.corpus.multiplied import multiplied
from benchmarks.corpus.synthetic import questions
from benchmarks.corpus.word_vectors import WordVectors
from benchmarks.report import Figure, Options, Report, ratio, spread
from domain import Hit, Scope, Variant
from evals.knowledge.in_memory import Bm25Index
from evals.knowledge.stored import services_on
from evals.measure.stopwatch import Stopwatch, seconds_of
from pipeline import ask
from pipeline.ask import LookupResult, Tools
from pipeline.documents.rerank import keep_order
from pipeline.retrieval.multi_hop import MIN_HITS
from pipeline.retrieval.retrieve import LEG_DEPTH, Ranking, retrieve
from text.terms import analyse
from workers.services import Services

#: pages that questions are made from
_ASKED_ABOUT = 2_000
_RECALL_AT = 10
#: questions asked before measuring
_WARM = 10


@dataclass(frozen=True, kw_only=True)
class _KnownVectors:
    """An embedder that has the vectors already."""

    id: str
    vectors: dict[str, NDArray[np.float32]]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([self.vectors[text] for text in texts])


def measure(options: Options) -> Report:
    """Search for each question with one query and with four, in turn with the references."""
    services = services_on(multiplied(make_knowledge_base(options), options.copies), WordVectors())
    asked = questions(list(islice(synthetic_language(options.passages).pages(), _ASKED_ABOUT)), options.rounds + _WARM)
    tools = replace(services.tools, embedder=_known_vectors(services, asked), reader=None)
    table = services.passages._table()
    exact, postings = Exact(table), Postings(table, [text for wordings in asked for text in wordings], "en")
    rounds = [_round(tools, wordings, exact, postings) for wordings in asked][_WARM:]
    recall = _recall(tools, [wordings[0] for wordings in asked], exact)
    tools.pool.shutdown()
    services.close()
    return Report(
        title=f"retrieval: {len(exact.ids):,} passages, {len(rounds)} questions, embedding and reading left out",
        figures=[*_figures(rounds, at_10k=options.passages <= 10_000), recall],
        notes=(
            "× is the ratio of medians to one product of all vectors with one, in float32 numpy on one thread, or to "
            "bm25 by added postings in numpy, made for these questions alone; taken in turn with ours, question by "
            "question",
            "text and vectors are searched at the same time, so their times overlap",
            "processor time adds up all threads: on a busy machine it says more than the time waited",
        ),
    )


def _known_vectors(services: Services, asked: Sequence[Sequence[str]]) -> _KnownVectors:
    texts = [text for wordings in asked for text in wordings]
    return _KnownVectors(id=WordVectors.id, vectors=dict(zip(texts, services.embedder.embed(texts), strict=True)))


def _round(tools: Tools, wordings: Sequence[str], exact: Exact, postings: Postings) -> dict[str, float]:
    """Return the seconds of each part of one question's passes."""
    vector = tools.embedder.embed(wordings[:1])[0]
    spent = {"product": exact.product_s(vector), "postings": postings.best_s(wordings[0], LEG_DEPTH)}
    spent |= _timed_pass("1 query", tools, lambda timed: ask.first_pass(ask.LookupRequest(text=wordings[0]), timed))
    spent["product again"] = exact.product_s(vector)
    spent["hits of 4"] = seconds_of(lambda: _hits(tools, wordings))
    variants = [Variant(kind="paraphrase", text=text) for text in wordings[1:]]
    spent |= _timed_pass(
        "4 queries", tools, lambda timed: ask.final_pass(ask.LookupRequest(text=wordings[0]), variants, timed)
    )
    return spent


def _hits(tools: Tools, wordings: Sequence[str]) -> list[Hit]:
    """Search with every wording, fuse and fetch, nothing more."""
    hits, _ = retrieve(
        wordings,
        tools.embedder.embed(wordings),
        search=tools.search,
        pool=tools.pool,
        k=MIN_HITS,
        scope=Scope(),
        lang="en",
        embedder_id=tools.embedder.id,
        ranking=Ranking(rerank=keep_order),
    )
    return hits


def _timed_pass(name: str, tools: Tools, run: Callable[[Tools], LookupResult]) -> dict[str, float]:
    search, graph = Stopwatch(tools.search), Stopwatch(tools.graph)
    timed = replace(tools, search=cast("Any", search), graph=cast("Any", graph))
    started, worked = time.perf_counter(), time.process_time()
    attempt = run(timed)
    whole, worked, took = time.perf_counter() - started, time.process_time() - worked, attempt.timings
    names = sum(spent for call, spent in graph.spent_s.items())
    parts = {
        "": whole,
        "processor time": worked,
        "text search": search.spent_s["search_text"],
        "vector search": search.spent_s["search_vectors"],
        "exact similarities": search.spent_s["similarities"],
        "names and facts: stores": names,
        "search, fusion, reranking, hop": took.search,
        "judge": took.judge,
        "compose": took.compose,
    }
    return {f"{name}{': ' if part else ''}{part}": spent for part, spent in parts.items()}


def _figures(rounds: Sequence[dict[str, float]], *, at_10k: bool) -> list[Figure]:
    spent = {name: [each[name] for each in rounds] for name in rounds[0]}
    product = spent.pop("product") + spent.pop("product again")
    postings, hits = spent.pop("postings"), spent.pop("hits of 4")
    figures = [*spread("one product", product), *spread("bm25 by postings", postings)]
    figures += [*spread("4 queries searched, fused, fetched", hits)]
    figures.append(
        ratio("4 queries searched, fused, fetched / one product", hits, product, at_most=None if at_10k else 5)
    )
    figures.append(ratio("text search of 1 query / bm25 by postings", spent["1 query: text search"], postings))
    for name, seconds in spent.items():
        figures += spread(name, seconds, p50=30 if at_10k and name == "1 query" else None)
    return figures


def _recall(tools: Tools, texts: Sequence[str], exact: Exact) -> Figure:
    """Return the share of the exact nearest passages that the vector search finds."""
    vectors = tools.embedder.embed(texts)
    found = tools.search.search_vectors(vectors, k=LEG_DEPTH, scope=Scope())
    shares = []
    for vector, hits in zip(vectors, found, strict=True):
        nearest = exact.nearest(vector, _RECALL_AT)
        shares.append(len({hit.passage.id for hit in hits[:_RECALL_AT]} & set(nearest)) / _RECALL_AT)
    return Figure(name=f"vector search: recall@{_RECALL_AT} of the exact", value=float(np.mean(shares)), at_least=0.97)


class Exact:
    """Every vector of a passages table in one float32 matrix."""

    def __init__(self, table: Any) -> None:
        rows = table.search().select(["id", "vector"]).limit(None).to_arrow().combine_chunks()
        self.ids: list[str] = rows["id"].to_pylist()
        self._rows = rows["vector"].combine_chunks().flatten().to_numpy().reshape(rows.num_rows, -1)

    def product_s(self, vector: NDArray[np.float32]) -> float:
        """Return the seconds of one product with the matrix, on one thread; nothing is ranked."""
        with threadpool_limits(1, user_api="blas"):
            return seconds_of(lambda: self._rows @ vector)

    def nearest(self, vector: NDArray[np.float32], k: int) -> list[str]:
        """Return the ids of the k nearest."""
        return [self.ids[at] for at in np.argsort(-(self._rows @ vector), kind="stable")[:k]]


class Postings:
    """BM25 by added postings, computed beforehand for the terms of some questions."""

    def __init__(self, table: Any, texts: Collection[str], lang: str) -> None:
        wanted = {term for text in texts for term in analyse(text, lang)}
        stored = table.search().select(["search_text"]).limit(None).to_arrow()["search_text"].to_pylist()
        passages = [text.split(" ") for text in stored]
        counts = [Counter(term for term in terms if term in wanted) for terms in passages]
        self._bm25, self._lang = Bm25Index(counts, [len(terms) for terms in passages]), lang

    def best_s(self, text: str, k: int) -> float:
        """Return the seconds to analyse a query, add up its scores and take the k best."""
        return seconds_of(lambda: np.argpartition(-self.scores(text), k)[:k])

    def scores(self, text: str) -> NDArray[np.float64]:
        """Return every passage's score for a query, in the order of the table."""
        return self._bm25.scores(set(analyse(text, self._lang)))
