"""Measure the judge: how well its confidence separates answered questions from unanswered ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from domain import Verdict
from evals.knowledge.stored import Knowledge
from evals.measure.probabilities import Floats, Truth, auroc, balanced_accuracy, calibration_error
from evals.sets.beir import EvalQuestion

#: shares of the answerable questions that a stricter threshold would withhold as well
_WITHHELD = (0.05, 0.1, 0.2, 0.3)


def measure_judge(knowledge: Knowledge, questions: Sequence[EvalQuestion]) -> dict[str, dict[str, float | None]]:
    """Return the figures of the first pass's verdict.

    must_crawl: each answerable question with everything in (true) and with all pages under its gold documents' titles
    out (false). answerable: the answerable (true) against the unanswerable, everything in; ``abstained@0.1`` is the
    share of the unanswerable withheld by the threshold that withholds a tenth of the answerable.
    """
    answerable = [question for question in questions if question.answerable and question.gold]
    unanswerable = [question for question in questions if not question.answerable]
    known = [knowledge.first_pass(question.text).verdict for question in answerable]
    unknown = [knowledge.first_pass(question.text).verdict for question in unanswerable]
    absent = list(_with_titles_out(knowledge, answerable))
    separation = {"auroc": _figures(known, unknown)["auroc"], **_curve(known, unknown)}
    return {"must_crawl": _figures(known, absent), "answerable": separation}


def _curve(known: Sequence[Verdict], unknown: Sequence[Verdict]) -> dict[str, float | None]:
    if not known or not unknown:
        return {f"abstained@{share}": None for share in _WITHHELD}
    answerable, unanswerable = ([verdict.confidence for verdict in verdicts] for verdicts in (known, unknown))
    thresholds = np.quantile(answerable, _WITHHELD, method="lower")
    withheld = np.mean(np.array(unanswerable)[:, None] < thresholds, axis=0)
    return {f"abstained@{share}": float(of_them) for share, of_them in zip(_WITHHELD, withheld, strict=True)}


def _with_titles_out(knowledge: Knowledge, questions: Sequence[EvalQuestion]) -> Iterator[Verdict]:
    """Yield each question's verdict with its titles out; questions on the same titles are asked together."""
    by_titles: dict[frozenset[str], list[EvalQuestion]] = defaultdict(list)
    for question in questions:
        by_titles[frozenset(knowledge.titles[at] for at in question.gold)].append(question)
    for titles, of_titles in by_titles.items():
        with knowledge.without(titles):
            yield from [knowledge.first_pass(question.text).verdict for question in of_titles]


def _figures(true: Sequence[Verdict], false: Sequence[Verdict]) -> dict[str, float | None]:
    """Compare the verdicts of true and false cases; each figure is None where there are none of a kind."""
    names = ("auroc", "balanced_accuracy", "fpr_at_tpr95", "ece")
    if not true or not false:
        return dict.fromkeys(names)
    verdicts = [*true, *false]
    chances = np.array([verdict.confidence for verdict in verdicts], dtype=np.float64)
    passed = np.array([verdict.sufficient for verdict in verdicts], dtype=np.bool_)
    truth = np.arange(len(verdicts)) < len(true)
    figures = (
        auroc(chances, truth),
        balanced_accuracy(passed, truth),
        false_positives(chances, truth, recall=0.95),
        calibration_error(chances, truth),
    )
    return dict(zip(names, figures, strict=True))


def false_positives(scores: Floats, truth: Truth, *, recall: float) -> float:
    """Return the share of false cases above the threshold that a share ``recall`` of the true cases passes."""
    threshold = np.quantile(scores[truth], 1 - recall)
    return float((scores[~truth] >= threshold).mean())
