"""The figures of graded questions: shares, classes of failure, and rows by kind, language and site."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean, median
from typing import Any

import numpy as np

from evals.asked.grade import FAILURES, FIRST_HITS, Graded
from evals.asked.questions import OWN_WORDS
from evals.measure.probabilities import auroc, calibration_error
from evals.modes import Figures

Test = Callable[[Graded], bool]

#: what a question comes to, and what of that is an answer
GIVEN = ("answered", "unsure")
OUTCOMES = (*GIVEN, "unknown")


def figures_of(graded: Sequence[Graded]) -> Figures:
    """Return the figures; a share without any case is None."""
    answerable = [one for one in graded if one.question.gold]
    unanswerable = [one for one in graded if not one.question.gold]
    wrong = [one for one in graded if one.outcome == "wrong"]
    right = [one for one in answerable if one.outcome == "right"]
    given = [one for one in graded if _is_given(one)]
    words = [len(one.reply.answer.split()) for one in given]
    return {
        "questions": len(graded),
        "answerable": len(answerable),
        "right": _share(answerable, _is("right")),
        "right_first": _share(answerable, lambda one: one.first_is_right),
        "right_shown": _share_shown(answerable),
        "right_own_words": _share([one for one in answerable if one.question.kind in OWN_WORDS], _is("right")),
        "right_page_words": _share([one for one in answerable if one.question.kind == "page_words"], _is("right")),
        "abstained": _share(answerable, _is("abstained")),
        "wrong": _share(answerable, _is("wrong")),
        **{outcome: _share(graded, _ended_as(outcome)) for outcome in OUTCOMES},
        **{f"{outcome}_right": _share([*filter(_ended_as(outcome), graded)], _is("right")) for outcome in GIVEN},
        "sure_and_wrong": _share(graded, lambda one: one.is_sure_and_wrong),
        "unanswerable_withheld": _share(unanswerable, _is("right")),
        "unanswerable_withheld_or_unsure": _share(unanswerable, lambda one: one.reply.ended_as != "answered"),
        **{f"gold_page_in_{k}": _share(answerable, _within(k)) for k in (1, 3, FIRST_HITS)},
        f"gold_text_in_{FIRST_HITS}": _share(answerable, lambda one: one.gold_in_context),
        "auroc": _auroc([one.reply.confidence for one in right], [one.reply.confidence for one in wrong]),
        "ece": _calibration_error(given),
        "answer_words": fmean(words) if words else None,
        "seconds": median(one.reply.seconds for one in graded) if graded else None,
    }


def curve_of(graded: Sequence[Graded]) -> Figures:
    """Return for each border of confidence the share of all questions that is answered from there, and is right."""
    borders = [tenths / 10 for tenths in range(1, 10)]
    given = {border: [one for one in graded if _is_given(one) and one.reply.confidence >= border] for border in borders}
    return {
        f"{border:.1f}": {"given": len(of) / len(graded) if graded else None, "right": _share(of, _is("right"))}
        for border, of in given.items()
    }


def failures_of(graded: Sequence[Graded]) -> dict[str, int]:
    """Return how many questions failed in each way, and how many are wrong though sure."""
    counts = {name: sum(one.failure == name for one in graded) for name in FAILURES}
    return {name: count for name, count in counts.items() if count} | {
        "sure_and_wrong": sum(one.is_sure_and_wrong for one in graded)
    }


def rows_by(graded: Sequence[Graded], field: str) -> Figures:
    """Return the counts for each kind, language or site."""
    names = sorted({str(getattr(one.question, field)) for one in graded})
    parts = {name: [one for one in graded if getattr(one.question, field) == name] for name in names}
    return {name: _counts(part) for name, part in [*parts.items(), ("all", list(graded))]}


def crawl_figures(graded: Sequence[Graded]) -> Figures:
    """Return the figures of questions asked of an empty knowledge base."""
    return {
        "questions": len(graded),
        **{outcome: _share(graded, _is(outcome)) for outcome in ("right", "wrong", "abstained")},
        "pages_read": fmean(one.reply.pages_read for one in graded) if graded else None,
        "seconds": fmean(one.reply.seconds for one in graded) if graded else None,
    }


def _counts(graded: Sequence[Graded]) -> dict[str, int]:
    outcomes = {name: sum(map(_is(name), graded)) for name in ("right", "wrong", "abstained")}
    tops = {f"page in {k}": sum(map(_within(k), graded)) for k in (1, 3, FIRST_HITS)}
    text = sum(bool(one.question.gold) and one.gold_in_context for one in graded)
    return {"questions": len(graded), **outcomes, **tops, f"text in {FIRST_HITS}": text}


def _is(grade: str) -> Test:
    return lambda one: one.outcome == grade


def _ended_as(outcome: str) -> Test:
    return lambda one: one.reply.ended_as == outcome


def _is_given(one: Graded) -> bool:
    return one.reply.status == "ANSWERED"


def _within(k: int) -> Test:
    return lambda one: one.gold_rank is not None and one.gold_rank <= k


def _share(of: Sequence[Any], test: Test) -> float | None:
    return fmean(map(test, of)) if of else None


def _share_shown(answerable: Sequence[Graded]) -> float | None:
    """Return the share whose answer is right whether or not it was withheld; None where that is not known."""
    known = [one.shown_is_right for one in answerable if one.shown_is_right is not None]
    return fmean(known) if known and len(known) == len(answerable) else None


def _auroc(good: Sequence[float], bad: Sequence[float]) -> float | None:
    """Return the probability that a right answer has more confidence than a wrong one."""
    if not good or not bad:
        return None
    return auroc(np.array([*good, *bad]), np.array([True] * len(good) + [False] * len(bad)))


def _calibration_error(given: Sequence[Graded]) -> float | None:
    """Return how far the confidence of the answers given is from the share of them that is right."""
    if not given:
        return None
    confidences = np.array([one.reply.confidence for one in given])
    return calibration_error(confidences, np.array([one.outcome == "right" for one in given]))
