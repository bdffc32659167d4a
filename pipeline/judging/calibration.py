"""Turn evidence into a calibrated probability: a logistic regression for each embedder and language.

Hits that were read have one model for all languages, for what a sure answer shows, and another for its first quote
alone (``evals/fit/confidence.py``). Hits of other languages that could not be read, but whose sentences were compared
with the question, have models of their own. Feedback corrects what they say: :mod:`pipeline.judging.recalibrate`.

Similarities of two embedders do not compare, nor do those of two languages. For an embedder without a fitted
model there is one that leaves similarity out and asks for more. ``calibration.json`` holds the coefficients, the
sets they were fitted on and their metrics; ``evals/fit`` writes it.
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
#: the keys of the models for hits that were compared and not read, in the question's language and in another
COMPARED, CROSSED = "compared", "crossed"
#: and for hits that were read: what a sure answer shows is right; its first quote alone is
SHOWN, FIRST_QUOTE = "shown", "first quote"
#: what these two weigh
SHOWN_FEATURES = ("margin", *READ_FEATURES, "is_compared", "is_crossed")


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
    if evidence.is_read:
        return _of_read(embedder_id, SHOWN)
    fitted = _fitted()
    compared = (embedder_id, CROSSED if evidence.is_crossed else COMPARED)
    return (fitted.get(compared) if evidence.is_compared else None) or calibration_for(embedder_id, lang)


def first_quote_calibration(embedder_id: str) -> Calibration:
    """Return the calibration of what was read for the first quote of an answer alone."""
    return _of_read(embedder_id, FIRST_QUOTE)


def _of_read(embedder_id: str, key: str) -> Calibration:
    fitted = _fitted()
    return fitted.get((embedder_id, key)) or fitted[ANY_EMBEDDER, key]


@cache
def _fitted() -> dict[tuple[str, str], Calibration]:
    stored = json.loads(files(__package__).joinpath("calibration.json").read_text("utf-8"))
    return {
        (model["embedder"], model["lang"]): Calibration(
            embedder=model["embedder"], lang=model["lang"], weights=model["weights"], intercept=model["intercept"]
        )
        for model in stored["models"]
    }
