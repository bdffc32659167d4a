"""Measure what the judge learns on a set: one half of the questions is fed back, the other half is judged.

With ``--wrong`` a share of the feedback is the opposite of the truth, by mistake or on purpose.
"""

from __future__ import annotations

import hashlib
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

import click
import numpy as np

from domain.outcome import Recalibration
from evals.knowledge.judge_cases import Case, Condition, cases_of
from evals.knowledge.vector_cache import CachedEmbedder
from evals.measure.probabilities import auroc, balanced_accuracy, calibration_error, log_loss
from evals.sets.beir import read_set
from pipeline.judging.calibration import calibration_of
from pipeline.judging.recalibrate import JudgedAnswer, recalibrate
from store.embedders import open_embedder

#: the confidence that suffices unless a strategy says otherwise
THRESHOLD = 0.7


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True))
@click.option("--cache", type=click.Path(path_type=Path), required=True, help="Folder of stored vectors.")
@click.option("--embedder", "name", default="minilm+multilingual", show_default=True)
@click.option("--only", multiple=True, type=click.Choice(get_args(Condition)), help="Judge only these conditions.")
@click.option("--feedback", type=int, help="How many answers are fed back, at most.")
@click.option(
    "--wrong",
    "wrongs",
    type=click.FloatRange(0, 1),
    multiple=True,
    help="The share of the feedback that is the opposite.",
)
@click.option("--questions", type=int, default=300, show_default=True, help="How many of the set, at most.")
def main(
    folder: Path,
    cache: Path,
    name: str,
    only: Sequence[Condition],
    feedback: int | None,
    wrongs: Sequence[float],
    questions: int,
) -> None:
    """Feed one half of a set back and print the judge's figures on the other half, before and after."""
    embedder = CachedEmbedder(open_embedder(name, threads=1), cache)
    cases = [case for case in cases_of(read_set(folder), embedder, questions) if not only or case.condition in only]
    halves: dict[str, tuple[list[JudgedAnswer], list[JudgedAnswer]]] = defaultdict(lambda: ([], []))
    for case in cases:
        if judged := _judged(embedder.id, case):
            calibration, answer = judged
            halves[calibration][_is_fed_back(case)].append(answer)
    for calibration, (others, answers) in halves.items():
        for wrong in wrongs or (0.0,):
            chance = random.Random(20)  # noqa: S311 - a sample, not a secret
            some = chance.sample(answers, min(feedback or len(answers), len(answers)))
            _show(calibration, [_spoilt(each, chance, wrong) for each in some], others, wrong)


def _show(calibration: str, answers: Sequence[JudgedAnswer], others: Sequence[JudgedAnswer], wrong: float) -> None:
    fit = recalibrate(answers)
    learned = fit.recalibration
    click.echo(f"{calibration}: {len(answers)} answers fed back, {wrong:.0%} wrong; {len(others)} judged after")
    click.echo(f"  {fit.said}: intercept {learned.intercept:+.2f}, slope {learned.slope:.2f}")
    for label, each in (("shipped", Recalibration()), ("learned", learned)):
        click.echo(f"  {label}: {_figures(each, others)}")


def _is_fed_back(case: Case) -> bool:
    """Return whether a question is in the half that is fed back; learning itself splits that half in another way."""
    return hashlib.sha256(b"half " + case.analysis.text.encode()).digest()[0] % 2 == 0


def _judged(embedder: str, case: Case) -> tuple[str, JudgedAnswer] | None:
    """Return the calibration that judges a case, and its confidence; None where it is capped, or nothing was found."""
    if case.features is None:
        return None
    shipped = calibration_of(embedder, case.lang, case.features)
    confidence = shipped.probability(case.features)
    return shipped.lang, JudgedAnswer(question=case.analysis.text, confidence=confidence, right=case.answered)


def _spoilt(answer: JudgedAnswer, chance: random.Random, wrong: float) -> JudgedAnswer:
    return replace(answer, right=not answer.right) if chance.random() < wrong else answer


def _figures(learned: Recalibration, judged: Sequence[JudgedAnswer]) -> str:
    chances = np.array([learned.apply(answer.confidence) for answer in judged])
    truth = np.array([answer.right for answer in judged])
    figures = {
        "log loss": log_loss(chances, truth),
        "calibration error": calibration_error(chances, truth),
        "AUROC": auroc(chances, truth),
        "balanced accuracy": balanced_accuracy(chances >= THRESHOLD, truth),
    }
    return ", ".join(f"{name} {value:.3f}" for name, value in figures.items())


if __name__ == "__main__":
    main()
