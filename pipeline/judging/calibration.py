"""Turn evidence into a calibrated probability: a logistic regression for each embedder and language.

English hits that were read have a model of their own; so have hits of other languages whose sentences were compared
with the question, and those in another language than it, whose words were translated; both again where they were also
read, in a gloss. Feedback corrects what these models say: :mod:`pipeline.judging.recalibrate`.

Similarities of two embedders do not compare, nor do those of two languages. For an embedder without a fitted
model there is one that leaves similarity out and asks for more. ``calibration.json`` holds the coefficients, the
sets they were fitted on and their metrics; ``evals/fit/judge.py`` writes it.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files

from pipeline.judging.features import Evidence

#: the features that only a reader gives
READ_FEATURES = ("answers", "evidence", "ahead", "rivals")
#: and those that only comparing sentences gives
COMPARED_FEATURES = ("near", "near_margin")
#: the features of a model for a known embedder: the other numbers among the evidence; and those for an unknown one
_BY_MEANING = frozenset((*READ_FEATURES, *COMPARED_FEATURES, "translated"))
FEATURES = tuple(
    field.name for field in fields(Evidence) if field.type in (float, "float") and field.name not in _BY_MEANING
)
#: the keys of the models for an unknown embedder and for another language
ANY_EMBEDDER, OTHER = "*", "other"
#: the keys of the models for English hits that were read, for those of other languages that were compared, and for
#: those in another language than the question
READ, COMPARED, CROSSED = "en, read", "compared", "crossed"
#: and of the last two where they were read in a gloss
GLOSSED, CROSSED_GLOSSED = "glossed", "crossed, glossed"


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """A fitted logistic regression."""

    embedder: str
    lang: str
    weights: Mapping[str, float]  #: feature → coefficient
    intercept: float

    def probability(self, evidence: Evidence) -> float:
        """Return the probability that the hits answer the question, (0, 1)."""
        score = self.intercept + sum(
            weight * float(getattr(evidence, feature)) for feature, weight in self.weights.items()
        )
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))


def calibration_for(embedder_id: str, lang: str) -> Calibration:
    """Return the calibration of an embedder and a language, or the nearest that exists."""
    fitted = _fitted()
    embedder = embedder_id if (embedder_id, OTHER) in fitted else ANY_EMBEDDER
    return fitted.get((embedder, lang)) or fitted[embedder, OTHER]


def calibration_of(embedder_id: str, lang: str, evidence: Evidence) -> Calibration:
    """Return the calibration for hits as they were read or compared, if the embedder has one; else the language's."""
    known: tuple[str, ...] = ()
    if evidence.is_compared:
        glossed, compared = (CROSSED_GLOSSED, CROSSED) if evidence.is_crossed else (GLOSSED, COMPARED)
        known = (glossed, compared) if evidence.is_read else (compared,)
    elif evidence.is_read:
        known = (READ,)
    fitted = _fitted()
    found = (fitted.get((embedder_id, each)) for each in known)
    return next(filter(None, found), None) or calibration_for(embedder_id, lang)


@cache
def _fitted() -> dict[tuple[str, str], Calibration]:
    stored = json.loads(files(__package__).joinpath("calibration.json").read_text("utf-8"))
    return {
        (model["embedder"], model["lang"]): Calibration(
            embedder=model["embedder"], lang=model["lang"], weights=model["weights"], intercept=model["intercept"]
        )
        for model in stored["models"]
    }
