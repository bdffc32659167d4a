"""Measure retrieval stage by stage: how high the gold documents rank, and how long that took."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import cast

from domain import Hit
from evals.knowledge.stored import Knowledge
from evals.measure.metrics import all_at, ndcg_at, recall_at, reciprocal_rank_at
from evals.measure.stopwatch import Stopwatch
from evals.sets.beir import EvalQuestion
from pipeline.retrieval.retrieve import Search, Stage

#: bm25 and dense: each leg alone; final: the hits that the first pass is judged and answered from
ARMS = ("bm25", "dense", "fused", "reranked", "final")
Ranking = Sequence[int]
Gold = frozenset[int]

FIGURES: Mapping[str, Callable[[Ranking, Gold], float]] = {
    **{f"recall@{k}": partial(recall_at, k) for k in (1, 2, 5, 10)},
    "mrr@10": partial(reciprocal_rank_at, 10),
    "ndcg@10": partial(ndcg_at, 10),
    **{f"all@{k}": partial(all_at, k) for k in (8, 10)},
}


def measure_retrieval(knowledge: Knowledge, questions: Sequence[EvalQuestion]) -> dict[str, dict[str, float]]:
    """Return {arm: {figure: mean over the questions}}; each question has a gold document.

    ms is the time until the arm's ranking is ready: of bm25 the full-text search, of dense the question's embedding
    and the vector search, of the others everything before them (both legs run at once).
    """
    rows: dict[str, list[dict[str, float]]] = {arm: [] for arm in ARMS}
    for question in questions:
        gold = knowledge.gold(question.gold)
        for arm, (ranking, spent_s) in _arms(knowledge, question.text).items():
            figures = {name: figure(ranking, gold) for name, figure in FIGURES.items()}
            rows[arm].append(figures | {"ms": 1000 * spent_s})
    return {arm: {name: fmean(row[name] for row in of_arm) for name in of_arm[0]} for arm, of_arm in rows.items()}


def _arms(knowledge: Knowledge, text: str) -> dict[str, tuple[list[int], float]]:
    """Return each arm's documents and the seconds it took."""
    timed = Stopwatch(knowledge.search)
    stages: dict[str, tuple[Sequence[Hit], float]] = {}

    def observe(stage: Stage, hits: Sequence[Hit]) -> None:
        stages[stage] = hits, time.perf_counter() - started

    started = time.perf_counter()
    attempt = knowledge.first_pass(text, search=cast("Search", timed), observe=observe)
    timings = attempt.timings
    spent_s = {
        "bm25": timed.spent_s["search_text"],
        "dense": timings.embed + timed.spent_s["search_vectors"],
        "fused": stages["fused"][1],
        "reranked": stages["reranked"][1],
        "final": timings.embed + timings.search,
    }
    hits: dict[str, Sequence[Hit]] = {stage: found for stage, (found, _) in stages.items()} | {"final": attempt.hits}
    return {arm: (knowledge.ranking(hits[arm]), spent_s[arm]) for arm in ARMS}
