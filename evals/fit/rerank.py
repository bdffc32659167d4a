"""Fit the learned reranker; write ``pipeline/retrieval/learned.json``.

One half of the titles is used to fit, the other to report, beside each leg, each fusion and each other reranker. The
last lines report each set with weights fitted on the other sets alone.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from statistics import fmean

import click
import numpy as np

from domain import Hit
from evals.knowledge.in_memory import MemoryKnowledge, embed_questions
from evals.knowledge.vector_cache import CachedEmbedder
from evals.measure.metrics import recall_at, reciprocal_rank_at
from evals.measure.probabilities import Floats
from evals.sets.beir import EvalQuestion, EvalSet, is_for_fitting, read_set
from pipeline.documents.rerank import RERANKERS, keep_order, rrf
from pipeline.retrieval.fusion import minmax
from pipeline.retrieval.rerank import Signals, signals, weighted_mean
from pipeline.retrieval.retrieve import RERANKED, Ranking, Stage
from store.embedders import Embedder, open_embedder

FITTED = Path(__file__).parents[2] / "pipeline" / "retrieval" / "learned.json"
EMBEDDERS = ("minilm", "multilingual", "minilm+multilingual")
SETS = ("squad2", "xquad-en", "xquad-de", "hotpotqa")
SIGNALS = tuple(field.name for field in fields(Signals))
_RERANKERS = ("hybrid", "tfidf", "bm25")
_WEIGHTS = (0.2, 0.3, 0.4, 0.5, 0.6)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A question with its hits."""

    set: str
    lang: str
    fitted: bool  #: used to fit, else to report
    question: EvalQuestion
    legs: Mapping[Stage, Sequence[Hit]]
    hits: tuple[Hit, ...]  #: fused, not reranked
    signals: tuple[Signals, ...]


@click.command()
@click.option("--data", type=click.Path(path_type=Path, exists=True), required=True, help="Folder of BEIR sets.")
@click.option("--cache", type=click.Path(path_type=Path), required=True, help="Folder of stored vectors.")
@click.option("--questions", type=int, default=1200, help="How many of each set, at most.")
@click.option("--write/--no-write", default=True, help="Write the weights.")
def main(data: Path, cache: Path, questions: int, write: bool) -> None:
    """Fit on one half of the titles, report on the other, write the weights."""
    sets = [read_set(data / name) for name in SETS]
    of_embedder: dict[str, list[Case]] = {}
    for name in EMBEDDERS:
        embedder = CachedEmbedder(open_embedder(name, threads=2), cache)
        of_embedder[embedder.id] = [case for each in sets for case in cases_of(each, embedder, questions)]
    all_cases = [case for cases in of_embedder.values() for case in cases]
    weights = fit([case for case in all_cases if case.fitted])
    report = {id: dict(_report(cases, weights)) for id, cases in of_embedder.items()}
    click.echo(json.dumps(weights))
    for left_out in SETS:
        others = fit([case for case in all_cases if case.set != left_out])
        mine = [case for case in all_cases if case.set == left_out]
        click.echo(f"{left_out}, fitted on the others: {_figures(mine, [_learned(case, others) for case in mine])}")
    if write:
        stored = {"fitted_by": "evals/fit/rerank.py", "sets": SETS, "weights": weights, "tested": report}
        FITTED.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")


def cases_of(eval_set: EvalSet, embedder: Embedder, at_most: int) -> Iterator[Case]:
    """Yield up to ``at_most`` answerable questions of the set, with their hits."""
    knowledge = MemoryKnowledge.embedded(eval_set.passages, embedder)
    answerable = [question for question in eval_set.questions if question.answerable and question.gold]
    sample = random.Random(20).sample(answerable, min(at_most, len(answerable)))  # noqa: S311 - no secret
    for embedded in embed_questions(eval_set, sample, embedder):
        question, legs = embedded.question, dict[Stage, Sequence[Hit]]()
        ranking = Ranking(rerank=keep_order)
        hits = embedded.find(question.text, knowledge, k=RERANKED, ranking=ranking, observe=legs.__setitem__)
        yield Case(
            set=eval_set.name,
            lang=eval_set.lang,
            fitted=is_for_fitting(min(eval_set.passages[at].title for at in question.gold)),
            question=question,
            legs=legs,
            hits=hits,
            signals=tuple(signals(question.text, hits, lang=eval_set.lang)),
        )


def fit(cases: Sequence[Case]) -> dict[str, float]:
    """Return the weights of the signals, 1 together; a set counts by the root of its size."""
    sizes = {name: sum(case.set == name for case in cases) for name in SETS}
    right = [np.array([hit.passage.page_id in case.question.gold for hit in case.hits], np.float64) for case in cases]
    used = [at for at, each in enumerate(right) if each.any()]
    weights = fit_listwise(
        padded([_rows(cases[at]) for at in used], RERANKED, filler=-1.0),
        padded([right[at] for at in used], RERANKED, filler=0.0),
        np.array([sizes[cases[at].set] ** -0.5 for at in used]),
    )
    return {name: round(float(weight), 4) for name, weight in zip(SIGNALS, weights / weights.sum(), strict=True)}


def fit_listwise(rows: Floats, right: Floats, counts: Floats, *, ridge: float = 3.0) -> Floats:
    """Fit a conditional softmax and return the weight of each feature, none below 0.

    ``rows`` are (questions, hits, features), ``right`` (questions, hits) is 1 where the hit is right, and ``counts``
    (questions,) says the weight of each question. The fit is pulled to 0 by ``ridge``.
    scikit-learn has no loss over lists, so SciPy minimises it.
    """
    from scipy.optimize import minimize

    spread = rows.reshape(-1, rows.shape[2]).std(0) + 1e-9
    scaled, counts = rows / spread, counts / counts.mean()

    def loss(weights: Floats) -> tuple[float, Floats]:
        costs, chance, chance_of_right = _chances(scaled, right, weights)
        slope = np.einsum("qhf,qh->f", scaled, counts[:, None] * (chance - chance_of_right))
        return float(counts @ costs + ridge / 2 * weights @ weights), slope + ridge * weights

    start = np.zeros(rows.shape[2])
    bounds = [(0, None)] * len(start)
    fitted = minimize(loss, start, jac=True, bounds=bounds, options={"ftol": 1e-14, "gtol": 1e-8}).x
    weights: Floats = fitted / spread
    return weights


def padded(lists: Sequence[Floats], length: int, *, filler: float) -> Floats:
    """Stack lists of up to ``length`` rows into one array, the missing rows filled."""
    stacked = np.full((len(lists), length, *lists[0].shape[1:]), filler)
    for place, rows in enumerate(lists):
        stacked[place, : len(rows)] = rows
    return stacked


def _chances(rows: Floats, right: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Return each question's loss, the chance of each hit, and the same if the chosen hit is a right one."""
    scores = rows @ weights
    chance = np.exp(scores - scores.max(1, keepdims=True))
    chance /= chance.sum(1, keepdims=True)
    of_right = (chance * right).sum(1) + 1e-12
    costs: Floats = -np.log(of_right)
    return costs, chance, chance * right / of_right[:, None]


def _rows(case: Case) -> Floats:
    return np.array([[getattr(each, name) for name in SIGNALS] for each in case.signals], dtype=np.float64)


def _report(cases: Sequence[Case], weights: Mapping[str, float]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield for each set the figures of each way of ranking on the half that reports; print them."""
    for name in SETS:
        mine = [case for case in cases if case.set == name and not case.fitted]
        ways = {way: [tuple(hit.passage.page_id for hit in rank(case)) for case in mine] for way, rank in _WAYS.items()}
        ways["rerank learned"] = [_learned(case, weights) for case in mine]
        figures = {way: _figures(mine, rankings) for way, rankings in ways.items()}
        click.echo(f"\n{name}: {len(mine)} questions, recall@1 / MRR@10 / recall@5")
        for way, text in figures.items():
            click.echo(f"  {way:16} {text}")
        yield name, figures


def _minmax(weight: float, case: Case) -> Sequence[Hit]:
    return minmax(case.legs["bm25"], case.legs["dense"], weight=weight)


def _reranked(name: str, case: Case) -> Sequence[Hit]:
    return RERANKERS[name](case.question.text, case.lang, case.hits)


#: ways of ranking without the fitted weights
_WAYS: dict[str, Callable[[Case], Sequence[Hit]]] = {
    "bm25": lambda case: case.legs["bm25"],
    "dense": lambda case: case.legs["dense"],
    "rrf": lambda case: rrf([case.legs["bm25"], case.legs["dense"]]),
    **{f"minmax {weight}": partial(_minmax, weight) for weight in _WEIGHTS},
    "minmax": lambda case: case.hits,
    **{f"rerank {name}": partial(_reranked, name) for name in _RERANKERS},
}


def _learned(case: Case, weights: Mapping[str, float]) -> tuple[int, ...]:
    scores = [weighted_mean(each, weights) for each in case.signals]
    return tuple(case.hits[at].passage.page_id for at in sorted(range(len(scores)), key=lambda at: -scores[at]))


def _figures(cases: Sequence[Case], rankings: Sequence[Sequence[int]]) -> str:
    """Return recall@1 (one right page first), MRR@10 and recall@5."""
    pairs = [(ranking, case.question.gold) for case, ranking in zip(cases, rankings, strict=True)]
    first = fmean(ranking[:1] != () and ranking[0] in gold for ranking, gold in pairs)
    mrr = fmean(reciprocal_rank_at(10, ranking, gold) for ranking, gold in pairs)
    return f"{first:.3f} / {mrr:.3f} / {fmean(recall_at(5, ranking, gold) for ranking, gold in pairs):.3f}"


if __name__ == "__main__":
    main()
