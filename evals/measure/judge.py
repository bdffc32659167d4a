"""The judge: whether its confidence tells a question that the knowledge base answers from one that it does not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from domain import Verdict
from evals.knowledge.stored import Knowledge
from evals.sets.beir import EvalQuestion
from pipeline.learning.metrics import auroc, balanced_accuracy, calibration_error, false_positives

#: shares of the answerable questions that a stricter threshold would withhold as well
_WITHHELD = (0.05, 0.1, 0.2, 0.3)


def measure_judge(
    knowledge: Knowledge, questions: Sequence[EvalQuestion], *, tick: Callable[[], None] = lambda: None
) -> dict[str, dict[str, float | None]]:
    """Return the figures of the first look's verdict.

    must_crawl: each answerable question with everything in (true) and with all pages under its gold documents' titles
    out (false). answerable: the answerable (true) against the unanswerable, everything in; ``abstained@0.1`` is the
    share of the unanswerable withheld by the threshold that withholds a tenth of the answerable.
    """
    answerable = [question for question in questions if question.answerable and question.gold]
    unanswerable = [question for question in questions if not question.answerable]
    known = [_verdict(knowledge, question, tick) for question in answerable]
    unknown = [_verdict(knowledge, question, tick) for question in unanswerable]
    absent = list(_with_titles_out(knowledge, answerable, tick))
    told = {"auroc": _figures(known, unknown)["auroc"], **_curve(known, unknown)}
    return {"must_crawl": _figures(known, absent), "answerable": told}


def _curve(known: Sequence[Verdict], unknown: Sequence[Verdict]) -> dict[str, float | None]:
    if not known or not unknown:
        return {f"abstained@{share}": None for share in _WITHHELD}
    answerable, unanswerable = ([verdict.confidence for verdict in each] for each in (known, unknown))
    thresholds = np.quantile(answerable, _WITHHELD, method="lower")
    shares = np.mean(np.array(unanswerable)[:, None] < thresholds, axis=0)
    return {f"abstained@{share}": float(found) for share, found in zip(_WITHHELD, shares, strict=True)}


def _with_titles_out(
    knowledge: Knowledge, questions: Sequence[EvalQuestion], tick: Callable[[], None]
) -> Iterable[Verdict]:
    """Yield each question's verdict with its titles out; those of the same titles are asked together."""
    by_titles: dict[frozenset[str], list[EvalQuestion]] = defaultdict(list)
    for question in questions:
        by_titles[frozenset(knowledge.titles[at] for at in question.gold)].append(question)
    for titles, asked in by_titles.items():
        with knowledge.without(titles):
            for question in asked:
                yield _verdict(knowledge, question, tick)


def _verdict(knowledge: Knowledge, question: EvalQuestion, tick: Callable[[], None]) -> Verdict:
    tick()
    return knowledge.first_look(question.text).verdict


def _figures(true: Sequence[Verdict], false: Sequence[Verdict]) -> dict[str, float | None]:
    """Compare the verdicts of true and false cases; None where there are none of a kind."""
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
