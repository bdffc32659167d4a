"""Fit the judge's calibrations and write ``pipeline/calibration.json``.

A question is asked once with the passages of its gold titles in the knowledge base, once with all of them taken out,
and both again in a knowledge base of a few pages only. One half of the titles is fitted on, the other reported.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from evals.logistic import auroc, calibration_error, false_positives, fit_logistic
from evals.memory import MemoryKnowledge
from evals.python_docs import read_python_docs
from evals.sets import EvalQuestion, EvalSet, is_for_fitting, read_set
from pipeline.calibration import ANY_EMBEDDER, FEATURES, OTHER, WITHOUT_SIMILARITY
from pipeline.evidence import Evidence, weigh
from pipeline.question import analyse_question
from pipeline.retrieve import Embed, Vectors, retrieve
from store.embedder import open_embedder
from store.types import Scope

FITTED = Path(__file__).parent.parent / "pipeline" / "calibration.json"
EMBEDDERS = ("minilm", "multilingual")
#: an unknown embedder's probability is taken for less than the words alone say
_CAUTION = 0.7
_K = 10


@dataclass(frozen=True, kw_only=True)
class Case:
    """A question asked in one knowledge base."""

    set: str
    lang: str
    tiny: bool
    fitted: bool
    answered: bool  #: whether the gold passages were in
    evidence: Evidence


@click.command()
@click.option("--data", type=click.Path(path_type=Path, exists=True), required=True, help="Folder of BEIR sets.")
@click.option("--docs", type=click.Path(path_type=Path, exists=True), required=True, help="Python's HTML docs.")
@click.option("--models", type=click.Path(path_type=Path), required=True, help="Where converted models are kept.")
@click.option("--questions", type=int, default=500, help="How many of each set, at most.")
def main(data: Path, docs: Path, models: Path, questions: int) -> None:
    """Fit on one half of the titles, report on the other, write the coefficients."""
    sets = [read_set(data / name) for name in ("squad2", "xquad-en", "xquad-de", "hotpotqa")]
    sets.append(read_python_docs(docs))
    fitted, every = [], []
    for name in EMBEDDERS:
        embedder = open_embedder(name, models_dir=models, threads=2)
        cases = [case for each in sets for case in cases_of(each, embedder, questions)]
        every += cases
        click.echo(f"{embedder.id}: {len(cases)} cases")
        fitted += [_model(embedder.id, lang, cases, FEATURES) for lang in ("en", "de", OTHER)]
    fitted += [_model(ANY_EMBEDDER, lang, every, WITHOUT_SIMILARITY) for lang in ("en", "de", OTHER)]
    report = {"fitted_by": "evals/fit_judge.py", "sets": [each.name for each in sets], "models": fitted}
    FITTED.write_text(json.dumps(report, indent=1) + "\n", "utf-8")


def cases_of(each: EvalSet, embedder: Embed, at_most: int) -> Iterator[Case]:
    """Yield every question of the set in large and tiny knowledge bases, with and without what answers it."""
    chance = random.Random(20)  # noqa: S311 - a sample, not a secret
    rows = embedder.embed([f"{passage.title}\n{passage.text}" for passage in each.passages])
    everything = MemoryKnowledge(each.passages, rows)
    asked = [question for question in each.questions if question.answerable or not question.gold]
    asked = chance.sample(asked, min(at_most, len(asked)))
    vectors = embedder.embed([question.text for question in asked])
    with ThreadPoolExecutor(1) as pool:
        for question, vector in zip(asked, vectors, strict=True):
            yield from _of_question(each, everything, question, vector, chance, pool)


def _of_question(
    each: EvalSet,
    everything: MemoryKnowledge,
    question: EvalQuestion,
    vector: Vectors,
    chance: random.Random,
    pool: ThreadPoolExecutor,
) -> Iterator[Case]:
    analysis = analyse_question(question.text, each.lang)
    titles = {each.passages[at].title for at in question.gold}
    few = _few_pages(each, titles, chance)
    fitted = is_for_fitting(min(titles, default=question.text)) and each.name != "hotpotqa"
    small = few | question.gold
    for tiny, base in ((False, everything), (True, everything.where(lambda passage: passage.page_id in small))):
        for answered in {bool(titles), False}:
            kept = base if answered else base.without(titles)
            hits = retrieve(
                [analysis.text],
                vector[None],
                search=kept,
                pool=pool,
                k=_K,
                scope=Scope(),
                lang=each.lang,
            )
            if evidence := weigh(analysis, hits):
                yield Case(
                    set=each.name,
                    lang=each.lang,
                    tiny=tiny,
                    fitted=fitted,
                    answered=answered,
                    evidence=evidence,
                )


def _few_pages(each: EvalSet, titles: set[str], chance: random.Random) -> set[int]:
    """Give 1–12 other passages: of one or two titles (a site just begun), or of anything."""
    others = [passage for passage in each.passages if passage.title not in titles]
    if chance.random() < 0.5:
        some = {passage.title for passage in chance.sample(others, 2)}
        others = [passage for passage in others if passage.title in some]
    count = min(chance.randint(1, 12), len(others))
    return {passage.page_id for passage in chance.sample(others, count)}


def _model(embedder_id: str, lang: str, cases: Sequence[Case], features: Sequence[str]) -> dict[str, object]:
    mine = [case for case in cases if lang in (case.lang, OTHER)]
    fitted = [case for case in mine if case.fitted]
    fitted += [case for case in fitted if case.set == "python-docs"]  # few cases, and the hardest kind: twice
    weights, intercept = fit_logistic(_rows(fitted, features), _answered(fitted))
    if embedder_id == ANY_EMBEDDER:
        intercept -= _CAUTION
    tested = [case for case in mine if not case.fitted]
    chances = 1 / (1 + np.exp(-(_rows(tested, features) @ weights + intercept)))
    report = dict(_reports(tested, chances))
    click.echo(f"{embedder_id} {lang} (AUROC, false positives at 95 % recall, ECE, recall and false positives at .7)")
    for name, figures in report.items():
        click.echo(f"  {name:18} {figures}")
    return {
        "embedder": embedder_id,
        "lang": lang,
        "cases": len(fitted),
        "weights": dict(zip(features, (round(float(weight), 4) for weight in weights), strict=True)),
        "intercept": round(intercept, 4),
        "tested": report,
    }


def _reports(cases: Sequence[Case], chances: NDArray[np.float64]) -> Iterator[tuple[str, list[float]]]:
    for name in dict.fromkeys(case.set for case in cases):
        for tiny in (False, True):
            chosen = [at for at, case in enumerate(cases) if case.set == name and case.tiny is tiny]
            given, truth = chances[chosen], _answered([cases[at] for at in chosen])
            figures = [
                auroc(given, truth),
                false_positives(given, truth, recall=0.95),
                calibration_error(given, truth),
                float((given[truth] >= 0.7).mean()),
                float((given[~truth] >= 0.7).mean()),
            ]
            yield f"{name}{' tiny' if tiny else ''}", [round(figure, 3) for figure in figures]


def _rows(cases: Sequence[Case], features: Sequence[str]) -> NDArray[np.float64]:
    return np.array([[getattr(case.evidence, feature) for feature in features] for case in cases], dtype=np.float64)


def _answered(cases: Sequence[Case]) -> NDArray[np.bool_]:
    return np.array([case.answered for case in cases], dtype=np.bool_)


if __name__ == "__main__":
    main()
