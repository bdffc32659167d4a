"""What the asker gets at the end: an answer, one that is perhaps right, or an honest "not known".

The two borders of confidence are here: the judge compares with the first, :func:`outcome_of` with both. So does
:class:`Recalibration`, which is what readers' feedback makes of the confidence (Platt scaling).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, NamedTuple

from domain.answer import Answer, Verdict
from domain.file import ATTACHED, address_of
from domain.flow import Status
from domain.published import described, published

Outcome = Literal["answered", "unsure", "unknown"]

#: the least confidence of `answered`: on eight sets, each judged by a model fitted without it, .58 of the questions
#: get such an answer, and .845 of these are right; from .8 a third and .90, from .9 a fifth and .92. From .65, less is
#: right (.50 of all instead of .52, with what is unsure) and more is wrong (.112, .107): one quote says less than
#: several. A question's `threshold` or strategy, or the operator, may set another
ANSWERED_FROM: Final = 0.6
#: the least confidence of `unsure` in its one quote; never above the border of `answered`: on those sets .63 are right
UNSURE_FROM: Final = 0.35
#: the same where the hits were neither read nor compared
UNSURE_FROM_UNREAD: Final = 0.5
#: the least confidence in the first quote of an answer that needs no other
FIRST_SUFFICES: Final = 0.8
#: such a line, with those that lead to it, has all of the question's words, as the row of a table has with its header.
#: A document that came with the question is the only one that may answer, and judges of pages rate tables low: of 14
#: questions that such tables answer it gives 4 more, of 14 that they do not none
_ALL_WORDS: Final = 0.95
#: what is less is on another subject: the weighted share of the question's words that the best sentence, what leads to
#: it and its title hold; the reader's logit that its passage answers; the similarity of sentence and question where
#: sentences were compared instead. On the demonstration's site, of what it does not treat: mostly below .13, −2.9, .17
_WORDS, _READ, _COMPARED = 0.15, -2.0, 0.22


def outcome_of(answer: Answer | None, verdict: Verdict, *, strict: bool) -> Outcome:
    """Return what a question comes to if it ends with this answer; ``strict`` makes `unsure` `unknown`.

    What a model judged insufficient is unknown (it read the hits), and so is what has no citation.
    """
    if answer is None or not answer.citations:
        return "unknown"
    if verdict.sufficient:
        return "answered"
    return "unsure" if verdict.judge == "calibrated" and not strict and _may_be_right(answer, verdict) else "unknown"


def outcome_at_end(status: Status, *, sufficient: bool) -> Outcome | None:
    """Return the outcome of a question by its status and the verdict on its answer; None if it has none."""
    if status is Status.ANSWERED:
        return "answered" if sufficient else "unsure"
    return "unknown" if status is Status.ABSTAINED else None


def is_far(weighed: Mapping[str, float]) -> bool:
    """Return whether the best hit is on another subject, by its words and by who read it; False where nobody did."""
    if weighed.get("led_coverage", 1.0) >= _WORDS:
        return False
    if weighed.get("is_compared"):
        return weighed["near"] < _COMPARED
    return bool(weighed.get("is_read")) and weighed["answers"] < _READ


def _may_be_right(answer: Answer, verdict: Verdict) -> bool:
    weighed = verdict.evidence
    is_read = weighed.get("is_read") or weighed.get("is_compared")
    if verdict.of_first_quote >= (UNSURE_FROM if is_read else UNSURE_FROM_UNREAD):
        return True
    is_own = all(citation.url.startswith(address_of(ATTACHED, "")) for citation in answer.citations)
    return is_own and weighed.get("led_coverage", 0.0) >= _ALL_WORDS


#: confidences are clipped this far from 0 and 1
_CLIP = 1e-6


class Judged(NamedTuple):
    """The answers that one recalibration is for."""

    embedder: str
    lang: str  #: of the question, ISO 639-1
    calibration: str  #: the key of the shipped calibration, such as "shown"


@dataclass(frozen=True, kw_only=True)
class Recalibration:
    """A logistic function of the logit of the judge's confidence; by default it changes nothing."""

    intercept: float = 0.0
    slope: float = 1.0

    def apply(self, confidence: float) -> float:
        """Return the corrected confidence, (0, 1)."""
        return 1 / (1 + math.exp(-(self.intercept + self.slope * logit(confidence))))


@published
class Learned:
    """How readers' feedback corrects the judge's confidence in some answers."""

    embedder: str
    lang: str = described("Of the questions, ISO 639-1.")
    calibration: str = described("The shipped calibration that is corrected, by how the hits were read.")
    intercept: float = described("Added to the log odds; 0: nothing is.")
    slope: float = described("What the log odds are multiplied by; 1: they stay.")
    said: str = described("That it is in use, or why there is no correction.")
    right: int = described("How many answers were called right.")
    wrong: int = described("How many were called wrong.")
    held_out: int = described("How many of both were not fitted to, and show whether the correction helps.")
    loss_before: float | None = described("Log loss on those by the shipped judge.")
    loss_after: float | None = described("And by the fitted one.")
    since: datetime | None = described("When it was reset: feedback before no longer counts.")
    learned_at: datetime

    @property
    def judged(self) -> Judged:
        """The answers that it is for."""
        return Judged(self.embedder, self.lang, self.calibration)

    @property
    def recalibration(self) -> Recalibration:
        """What it makes of a confidence."""
        return Recalibration(intercept=self.intercept, slope=self.slope)


#: those that change something
Recalibrations = Mapping[Judged, Recalibration]


def logit(confidence: float) -> float:
    """Return the logarithm of the odds."""
    clipped = min(1 - _CLIP, max(_CLIP, confidence))
    return math.log(clipped / (1 - clipped))
