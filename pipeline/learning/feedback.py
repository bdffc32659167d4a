"""What there is to learn from: answers that readers judged; and which questions are left out of a fit."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from text.analyser import fold

#: one question in three is not fitted on, but shows whether the fit helps
_HELD_OUT = 3


@dataclass(frozen=True, kw_only=True)
class JudgedAnswer:
    """An answer as the judge saw its hits, and whether these held it."""

    question: str
    lang: str
    evidence: Mapping[str, float]  #: feature → value
    beside_the_point: bool
    right: bool


@dataclass(frozen=True, kw_only=True)
class RankedHits:
    """The hits of a question as the reranker saw them, best first, and which of them answered."""

    question: str
    signals: Sequence[Sequence[float]]  #: of each hit, in the order of the signals' names
    right: Sequence[bool]


@dataclass(frozen=True, kw_only=True)
class Refit:
    """What came of fitting anew; without parameters it was refused."""

    said: str  #: why, with the figures that decided
    examples: int
    parameters: Mapping[str, object] | None = None
    #: figure → before and after, on what was not fitted on and on the pinned sample
    metrics: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def is_held_out(question: str) -> bool:
    """Return whether a question is left out of the fit; the same question always is, however it is spelled."""
    spelled = " ".join(fold(question).split())
    return hashlib.sha256(spelled.encode()).digest()[-1] % _HELD_OUT == 0
