"""Fit which words of a sentence say just what was asked; write ``pipeline/answering/focus/focus.json``.

From each question's gold passage the sentence with the answer is taken. One half of the titles is used to fit, the
other to report. Words that overlap the gold answer well count as right in part.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import click
import numpy as np
from numpy.typing import NDArray

from domain import Hit, Passage
from evals.measure.metrics import contains, exact, f1
from evals.sets.beir import EvalQuestion, EvalSet, is_for_fitting, read_set
from pipeline.answering.focus.features import candidates
from pipeline.judging.coverage import cover
from pipeline.judging.sentence_score import score
from pipeline.question.analysis import analyse_question

FITTED = Path(__file__).parents[2] / "pipeline" / "answering" / "focus" / "focus.json"
SETS = ("squad2", "xquad-en", "xquad-de")
#: words whose F1 with the gold answer is at least this are right in part
_PARTLY = 0.66
#: a feature that fewer cases have is not fitted
_RARE = 60
_RIDGE, _STEPS, _RATE = 0.003, 400, 0.05

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Case:
    """The runs of words in a sentence that answers, and how well each matches the gold answer."""

    set: str
    fitted: bool
    features: tuple[dict[str, float], ...]
    f1: Floats
    exact: Floats


@click.command()
@click.option("--data", type=click.Path(path_type=Path, exists=True), required=True, help="Folder of BEIR sets.")
@click.option("--questions", type=int, default=1200, help="How many of each set, at most.")
def main(data: Path, questions: int) -> None:
    """Fit on one half of the titles, report on the other, write the weights."""
    cases = [case for name in SETS for case in cases_of(read_set(data / name), questions)]
    fitted = [case for case in cases if case.fitted]
    counts = Counter(name for case in fitted for each in case.features for name, value in each.items() if value)
    names = sorted(name for name, count in counts.items() if count >= _RARE)
    weights = dict(zip(names, (round(float(weight), 3) for weight in _fit(fitted, names)), strict=True))
    tested = {name: _report([case for case in cases if case.set == name and not case.fitted], weights) for name in SETS}
    for name, figures in tested.items():
        click.echo(f"{name:10} {figures}")
    stored = {"fitted_by": "evals/fit/answer_span.py", "cases": len(fitted), "tested": tested, "weights": weights}
    FITTED.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")


def cases_of(eval_set: EvalSet, at_most: int) -> Iterator[Case]:
    """Yield a case for each answerable question whose answer is in a sentence of its gold passage."""
    answerable = [question for question in eval_set.questions if question.answerable and question.answers]
    chosen = random.Random(3).sample(answerable, min(at_most, len(answerable)))  # noqa: S311 - no secret
    for question in chosen:
        passage = eval_set.passages[min(question.gold)]
        sentence = _sentence(question, passage)
        runs = list(candidates(analyse_question(question.text, eval_set.lang), sentence)) if sentence else []
        if runs:
            texts = [sentence[run.start : run.end] for run in runs]
            yield Case(
                set=eval_set.name,
                fitted=is_for_fitting(passage.title),
                features=tuple(dict(run.features) for run in runs),
                f1=np.array([max(f1(text, gold) for gold in question.answers) for text in texts]),
                exact=np.array([float(max(exact(text, gold) for gold in question.answers)) for text in texts]),
            )


def _sentence(question: EvalQuestion, passage: Passage) -> str:
    hit = Hit(passage=passage, score=1.0, scale="minmax", rank=1, similarity=0.5)
    spans = cover(analyse_question(question.text, passage.lang), [hit], top=1).spans
    answering = [each for each in spans if any(contains(each.span.text, gold) for gold in question.answers)]
    return max(answering, key=score).span.text if answering else ""


def _fit(cases: Sequence[Case], names: Sequence[str]) -> Floats:
    """Maximise the log chance of the right words with Adam (Kingma 2015), all cases at once."""
    places = {name: at for at, name in enumerate(names)}
    entries = [
        (row, places[name], value)
        for row, features in enumerate(features for case in cases for features in case.features)
        for name, value in features.items()
        if value and name in places
    ]
    rows, columns = (np.array([entry[at] for entry in entries]) for at in (0, 1))
    values = np.array([entry[2] for entry in entries])
    starts = np.cumsum([0, *(len(case.features) for case in cases)])[:-1]
    sizes = np.diff([*starts, sum(len(case.features) for case in cases)])
    right = np.concatenate([_right(case) for case in cases])
    weights, mean, square = np.zeros(len(names)), np.zeros(len(names)), np.zeros(len(names))
    for step in range(1, _STEPS + 1):
        scores = np.bincount(rows, values * weights[columns], len(right))
        scores -= np.repeat(np.maximum.reduceat(scores, starts), sizes)
        chances = np.exp(scores)
        chances /= np.repeat(np.add.reduceat(chances, starts), sizes)
        chances *= np.repeat(np.add.reduceat(right, starts), sizes)  # a case without right words has no slope
        slope = np.bincount(columns, values * (chances - right)[rows], len(names)) / len(cases) + _RIDGE * weights
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        weights -= _RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return weights


def _right(case: Case) -> Floats:
    parts = np.where(case.f1 >= _PARTLY, case.f1**2, 0.0) + case.exact
    total = parts.sum()
    return parts / total if total else parts


def _report(cases: Sequence[Case], weights: dict[str, float]) -> dict[str, float]:
    best = [
        int(np.argmax([sum(weights.get(n, 0.0) * v for n, v in each.items()) for each in c.features])) for c in cases
    ]
    return {
        "questions": len(cases),
        "exact": round(fmean(float(case.exact[at]) for case, at in zip(cases, best, strict=True)), 3),
        "f1": round(fmean(float(case.f1[at]) for case, at in zip(cases, best, strict=True)), 3),
    }


if __name__ == "__main__":
    main()
