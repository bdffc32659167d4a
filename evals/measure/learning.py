"""Measure what the judge learns on a set: one half of the questions is fed back, the other half is judged.

With ``--wrong`` a share of the feedback is the opposite of the truth, by mistake or on purpose.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

import click

from evals.knowledge.judge_cases import Case, Condition, cases_of
from evals.knowledge.vector_cache import CachedEmbedder
from evals.sets.beir import read_set
from pipeline.judging.calibration import Calibration, calibration_for
from pipeline.judging.features import features_of
from pipeline.learning.feedback import JudgedAnswer, Refit
from pipeline.learning.judge import predict, refit_judge, to_cases
from pipeline.learning.judge_floor import THRESHOLD
from pipeline.learning.metrics import auroc, balanced_accuracy, calibration_error, log_losses
from store.embedders import open_embedder


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True))
@click.option("--cache", type=click.Path(path_type=Path), required=True, help="Folder of stored vectors.")
@click.option("--embedder", "name", default="minilm+multilingual", show_default=True)
@click.option("--only", multiple=True, type=click.Choice(get_args(Condition)), help="Judge only these conditions.")
@click.option("--feedback", type=int, help="How many answers are fed back, at most.")
@click.option(
    "--wrong", type=click.FloatRange(0, 1), default=0.0, help="The share of the feedback that is the opposite."
)
@click.option("--questions", type=int, default=300, show_default=True, help="How many of the set, at most.")
def main(
    folder: Path,
    cache: Path,
    name: str,
    only: Sequence[Condition],
    feedback: int | None,
    wrong: float,
    questions: int,
) -> None:
    """Feed one half of a set back and print the judge's figures on the other half, before and after."""
    embedder = CachedEmbedder(open_embedder(name, threads=1), cache)
    cases = [case for case in cases_of(read_set(folder), embedder, questions) if not only or case.condition in only]
    chance = random.Random(20)  # noqa: S311 - a sample, not a secret
    answers = [_judged(case) for case in cases if _is_fed_back(case)]
    answers = chance.sample(answers, min(feedback or len(answers), len(answers)))
    answers = [replace(each, right=not each.right) if chance.random() < wrong else each for each in answers]
    others = [_judged(case) for case in cases if not _is_fed_back(case)]
    lang = cases[0].lang
    refit = refit_judge(embedder.id, lang, answers)
    click.echo(f"{len(answers)} answers fed back, {len(others)} judged after; learned: {refit.parameters is not None}")
    click.echo(f"  {refit.reason}")
    shipped = calibration_for(embedder.id, lang)
    for label, judge in (("shipped", shipped), ("learned", _learned(shipped, refit))):
        click.echo(f"  {label}: {_figures(judge, others)}")


def _is_fed_back(case: Case) -> bool:
    """Return whether a question is in the half that is fed back; learning itself splits that half in another way."""
    return hashlib.sha256(b"half " + case.analysis.text.encode()).digest()[0] % 2 == 0


def _judged(case: Case) -> JudgedAnswer:
    features = features_of(case.evidence) if case.evidence else {}
    return JudgedAnswer(
        question=case.analysis.text,
        lang=case.lang,
        evidence=features,
        beside_the_point=bool(features.get("beside_the_point")),
        right=case.answered,
    )


def _learned(shipped: Calibration, refit: Refit) -> Calibration:
    learned = refit.parameters
    return replace(shipped, weights=learned["weights"], intercept=learned["intercept"]) if learned else shipped  # type: ignore[arg-type]


def _figures(judge: Calibration, judged: Sequence[JudgedAnswer]) -> str:
    cases = to_cases(judged)
    chances, truth = predict(judge, cases), cases.truth
    figures = {
        "log loss": float(log_losses(chances, truth).mean()),
        "calibration error": calibration_error(chances, truth),
        "AUROC": auroc(chances, truth),
        "balanced accuracy": balanced_accuracy(chances >= THRESHOLD, truth),
    }
    return ", ".join(f"{name} {value:.3f}" for name, value in figures.items())


if __name__ == "__main__":
    main()
