"""What readers' feedback makes of the judge's confidence: Platt scaling of the shipped calibration."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

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


#: those that change something
Recalibrations = Mapping[Judged, Recalibration]


def logit(confidence: float) -> float:
    """Return the logarithm of the odds."""
    clipped = min(1 - _CLIP, max(_CLIP, confidence))
    return math.log(clipped / (1 - clipped))
