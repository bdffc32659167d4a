"""Fit a recalibration of the judge to readers' feedback, or say why there is none.

The intercept is pulled to 0 and the slope to 1, so that few answers change little, and both are bounded. The fit is
used only if it predicts the answers that were held out better than the shipped judge does. So feedback that is mistaken
or meant to harm moves a confidence a little at most, and feedback that contradicts the judge altogether is refused.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from domain.outcome import Recalibration, logit
from text.terms import fold

#: answers called right, and answers called wrong, that are needed: in all, and among those held out
MIN_EACH, MIN_EACH_HELD_OUT = 20, 5
#: what the intercept and the slope stay within
INTERCEPTS, SLOPES = (-1.5, 1.5), (0.5, 2.0)
#: precision of the normal priors of intercept and slope; 10 and 40 did about as well on SQuAD 2.0 and XQuAD
RIDGE = 20.0
#: after which the fit changes no more
_ROUNDS = 100
#: one question in three is held out
_HELD_OUT = 3
#: AUROC of guessing: feedback that agrees less with the judge is wrong or meant to harm
_COIN_AUROC = 0.5

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class JudgedAnswer:
    """The shipped judge's confidence in an answer, and whether readers called it right."""

    question: str
    confidence: float
    right: bool


@dataclass(frozen=True, kw_only=True)
class Fit:
    """A recalibration, which changes nothing if it was refused, and what it was fitted to."""

    recalibration: Recalibration = field(default_factory=Recalibration)
    said: str  #: that it is in use, or why there is none
    right: int
    wrong: int
    held_out: int
    loss_before: float | None = None  #: log loss on the held-out answers by the shipped judge
    loss_after: float | None = None  #: and by the fitted one


def recalibrate(judged: Sequence[JudgedAnswer]) -> Fit:
    """Return the recalibration for one embedder, language and calibration."""
    held_out = [answer for answer in judged if is_held_out(answer.question)]
    right, held_right = (sum(answer.right for answer in answers) for answers in (judged, held_out))
    wrong, held_wrong = len(judged) - right, len(held_out) - held_right
    fit = Fit(said="in use", right=right, wrong=wrong, held_out=len(held_out))
    if min(right, wrong) < MIN_EACH or min(held_right, held_wrong) < MIN_EACH_HELD_OUT:
        needed = f"{MIN_EACH} right and {MIN_EACH} wrong are needed, {MIN_EACH_HELD_OUT} of each held out"
        return replace(fit, said=f"too few: {needed}")
    if _auroc(judged) < _COIN_AUROC:
        return replace(fit, said="refused: the feedback contradicts the judge altogether")
    fitted = fit_recalibration([answer for answer in judged if not is_held_out(answer.question)])
    before, after = (_losses(held_out, each) for each in (Recalibration(), fitted))
    fit = replace(fit, loss_before=round(float(before.mean()), 4), loss_after=round(float(after.mean()), 4))
    if not is_better(before, after):
        return replace(fit, said="refused: no better than the shipped judge")
    return replace(fit, recalibration=fitted)


def fit_recalibration(judged: Sequence[JudgedAnswer]) -> Recalibration:
    """Return the most probable intercept and slope within their bounds.

    Newton's step for each in turn, cut at the bound: what is minimised is convex.
    """
    logits, truth = _logits_and_truth(judged)
    rows, shipped = np.stack([np.ones(len(logits)), logits]), np.array([0.0, 1.0])
    found = shipped.copy()
    for _ in range(_ROUNDS):
        for at, bounds in enumerate((INTERCEPTS, SLOPES)):
            probable = 1 / (1 + np.exp(-found @ rows))
            slope = rows[at] @ (probable - truth) + RIDGE * (found[at] - shipped[at])
            curvature = rows[at] ** 2 @ (probable * (1 - probable)) + RIDGE
            found[at] = np.clip(found[at] - slope / curvature, *bounds)
    return Recalibration(intercept=round(float(found[0]), 3), slope=round(float(found[1]), 3))


def is_held_out(question: str) -> bool:
    """Return whether a question is held out of the fit; case and spaces do not matter."""
    spelled = " ".join(fold(question).split())
    return hashlib.sha256(spelled.encode()).digest()[-1] % _HELD_OUT == 0


def is_better(before: Floats, after: Floats) -> bool:
    """Return whether the losses fell by more than the standard error of their mean difference."""
    gains = before - after
    return len(gains) > 1 and bool(gains.mean() > gains.std(ddof=1) / np.sqrt(len(gains)))


def _losses(judged: Sequence[JudgedAnswer], recalibration: Recalibration) -> Floats:
    """Return the log loss of each answer, in nats."""
    logits, truth = _logits_and_truth(judged)
    scores = recalibration.intercept + recalibration.slope * logits
    losses: Floats = np.logaddexp(0, np.where(truth, -scores, scores))
    return losses


def _auroc(judged: Sequence[JudgedAnswer]) -> float:
    """Return the share of pairs of a right and a wrong answer in which the right one is surer; ties count half."""
    logits, truth = _logits_and_truth(judged)
    _, places, counts = np.unique(logits, return_inverse=True, return_counts=True)
    ranks, right = (np.cumsum(counts) - (counts - 1) / 2)[places], int(truth.sum())
    return float((ranks[truth].sum() - right * (right + 1) / 2) / (right * (len(truth) - right)))


def _logits_and_truth(judged: Sequence[JudgedAnswer]) -> tuple[Floats, NDArray[np.bool_]]:
    return np.array([logit(each.confidence) for each in judged]), np.array([each.right for each in judged], dtype=bool)
