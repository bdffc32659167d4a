"""Fit the confidence in what was read; write it into ``pipeline/judging/calibration.json``.

Two probabilities come from the same evidence: that what a sure answer shows is right, and that its first quote alone
is. The cases are the questions of the sets that choices are made on, each as it was asked; without the pages that
answer it; and with few passages, as early in a crawl. A set is reported on by models that were fitted without it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click
import numpy as np

from api.operations.bench import plain
from evals.asked.grade import is_right
from evals.asked.questions import CHOOSE, SHIPPED, Question, QuestionSet, page_of, read_question_set
from evals.asked.quick import addresses_of, best_passes
from evals.fit.judge import write
from evals.fit.judge_models import SHOWN_FEATURES, fit_logistic
from evals.knowledge.vector_cache import CachedEmbedder
from evals.measure.answers import of_first_quote
from evals.measure.probabilities import Floats, Truth, auroc, calibration_error
from pipeline.answering.compose import compose
from pipeline.ask import LookupResult
from pipeline.judging.calibration import ANY_EMBEDDER, FIRST_QUOTE, SHOWN, Features, features_of, from_store
from pipeline.judging.evidence import Evidence, gather
from store.embedders import open_embedder

#: the weight of a case beside a question as it was asked
_LACKING, _FEW = 0.3, 0.3
#: the features of an embedder without a model of its own: its similarities are on another scale
_OF_ANY: Final = tuple(name for name in SHOWN_FEATURES if name != "margin")


@dataclass(frozen=True, kw_only=True)
class Case:
    """What was read for a question, and whether what it gives is right."""

    set: str
    features: Features
    shown: bool  #: the answer with its further quotes
    first: bool  #: its first quote alone
    weight: float


@click.command()
@click.option("--cache", type=click.Path(path_type=Path), required=True, help="Folder of stored vectors.")
def main(cache: Path) -> None:
    """Fit both models on the sets that choices are made on, and write them."""
    embedder = CachedEmbedder(open_embedder("auto", threads=1), cache)
    sets = [read_question_set(SHIPPED / name) for name in CHOOSE]
    write(fitted(embedder.id, [case for of in sets for case in cases_of(of, best_passes(of, embedder, cache=cache))]))


def cases_of(of: QuestionSet, results: Sequence[LookupResult]) -> Iterator[Case]:
    """Yield the cases of each question of a set that could be read; those that follow up another are left out."""
    chance = random.Random(7)  # noqa: S311 - a sample, not a secret
    for question, result in zip(of.questions, results, strict=True):
        features = from_store(result.verdict.evidence)
        if question.after or features is None or not features.is_read:
            continue
        yield _case(of, question, gather(result.analysis, result.context), features, 1.0)
        hits = result.context or result.hits
        gold = [hit for hit in hits if of.is_gold(page_of(hit.passage.url, addresses_of(of)), question)]
        others = [hit for hit in hits if hit not in gold]
        few = chance.randint(1, 3)
        for chosen, weight in ((others, _LACKING), (others[:few], _FEW), ((*gold, *others)[:few], _FEW)):
            evidence = gather(result.analysis, chosen)
            if question.gold and (read := features_of(evidence)) and read.is_read:
                yield _case(of, question, evidence, read, weight)


def _case(of: QuestionSet, question: Question, evidence: Evidence, features: Features, weight: float) -> Case:
    answer = compose(evidence, confidence=1.0, further=True)
    first = plain(of_first_quote(answer.sentences) or answer.text) if answer else ""
    return Case(
        set=of.name,
        features=features,
        shown=bool(answer and question.gold) and is_right(question.golds, plain(answer.text if answer else "")),
        first=bool(question.gold) and is_right(question.golds, first),
        weight=weight,
    )


def fitted(embedder_id: str, cases: Sequence[Case]) -> list[dict[str, object]]:
    """Return the models in their stored form; print how they do on each set when fitted without it."""
    models: list[dict[str, object]] = []
    for key, truth in (
        (SHOWN, np.array([case.shown for case in cases])),
        (FIRST_QUOTE, np.array([case.first for case in cases])),
    ):
        for embedder, names in ((embedder_id, SHOWN_FEATURES), (ANY_EMBEDDER, _OF_ANY)):
            weights, intercept = _fit(cases, truth, names)
            tested = _report(cases, truth, names)
            click.echo(f"{embedder} {key}: {tested}")
            models.append(
                {
                    "embedder": embedder,
                    "lang": key,
                    "sets": sorted({case.set for case in cases}),
                    "weights": {name: round(float(each), 4) for name, each in zip(names, weights, strict=True)},
                    "intercept": round(intercept, 4),
                    "tested": tested,
                }
            )
    return models


def _report(cases: Sequence[Case], truth: Truth, names: Sequence[str]) -> dict[str, object]:
    """Return how good the probabilities are of questions as they were asked, each by a model without its set."""
    sets = np.array([case.set for case in cases])
    asked = np.array([case.weight == 1.0 for case in cases])
    chances = np.zeros(len(cases))
    for name in dict.fromkeys(sets):
        without = [case for case in cases if case.set != name]
        weights, intercept = _fit(without, truth[sets != name], names)
        rows = _rows([case for case in cases if case.set == name], names)
        chances[sets == name] = 1 / (1 + np.exp(-(rows @ weights + intercept)))
    given = {border: asked & (chances >= border) for border in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)}
    return {
        "AUROC": round(auroc(chances[asked], truth[asked]), 3),
        "calibration error": round(calibration_error(chances[asked], truth[asked]), 3),
        "precision": {str(border): round(float(truth[of].mean()), 2) for border, of in given.items() if of.any()},
        "share": {str(border): round(float(of.sum() / asked.sum()), 2) for border, of in given.items()},
    }


def _fit(cases: Sequence[Case], truth: Truth, names: Sequence[str]) -> tuple[Floats, float]:
    return fit_logistic(_rows(cases, names), truth, np.array([case.weight for case in cases]), ridge=3.0)


def _rows(cases: Sequence[Case], names: Sequence[str]) -> Floats:
    return np.array([[float(getattr(case.features, name)) for name in names] for case in cases])


if __name__ == "__main__":
    main()
