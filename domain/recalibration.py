"""What readers' feedback makes of the judge's confidence: Platt scaling of the shipped calibration."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from domain.published import described

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


@dataclass(frozen=True, kw_only=True)
class Learned:
    """How readers' feedback corrects the judge's confidence in some answers."""

    embedder: str
    lang: str = field(metadata=described("Of the questions, ISO 639-1."))
    calibration: str = field(
        metadata=described("The shipped calibration that is corrected, by how the hits were read.")
    )
    intercept: float = field(metadata=described("Added to the log odds; 0: nothing is."))
    slope: float = field(metadata=described("What the log odds are multiplied by; 1: they stay."))
    said: str = field(metadata=described("That it is in use, or why there is no correction."))
    right: int = field(metadata=described("How many answers were called right."))
    wrong: int = field(metadata=described("How many were called wrong."))
    held_out: int = field(
        metadata=described("How many of both were not fitted to, and show whether the correction helps.")
    )
    loss_before: float | None = field(metadata=described("Log loss on those by the shipped judge."))
    loss_after: float | None = field(metadata=described("And by the fitted one."))
    since: datetime | None = field(metadata=described("When it was reset: feedback before no longer counts."))
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
