"""The examples that a refit learns from, what it returns, and the split into fitted and held-out questions."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from text.analyser import fold

#: one question in three is held out: it shows whether the fit helps
_HELD_OUT = 3


@dataclass(frozen=True, kw_only=True)
class JudgedAnswer:
    """The judge's features of an answer, and whether readers called it right."""

    question: str
    lang: str
    evidence: Mapping[str, float]  #: feature → value
    beside_the_point: bool
    right: bool


@dataclass(frozen=True, kw_only=True)
class RankedHits:
    """The reranker's signals of a question's hits, best first, and which hits answered."""

    question: str
    signals: Sequence[Sequence[float]]  #: per hit, in the order of the signals' names
    right: Sequence[bool]


@dataclass(frozen=True, kw_only=True)
class Refit:
    """The outcome of a refit; without parameters it was refused."""

    reason: str  #: with the metrics that decided
    examples: int
    parameters: Mapping[str, object] | None = None
    #: metric → before and after, on the held-out answers and on the pinned sample
    metrics: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def is_held_out(question: str) -> bool:
    """Return whether a question is held out of the fit; case and spaces do not matter."""
    spelled = " ".join(fold(question).split())
    return hashlib.sha256(spelled.encode()).digest()[-1] % _HELD_OUT == 0


def change(before: float, after: float) -> dict[str, float]:
    """Return a metric before and after, as it is stored."""
    return {"before": round(before, 4), "after": round(after, 4)}
