"""What was learned here, as the pipeline takes it: a judge and a reranker in the place of the shipped ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pipeline.judging.calibration import Calibration

#: the number of what is shipped; what is learned counts from 1
SHIPPED = 0


@dataclass(frozen=True, kw_only=True)
class LearnedJudge:
    """A version of the judge: calibrations of one embedder, for the languages there was enough feedback in."""

    number: int
    embedder: str
    calibrations: Mapping[str, Calibration]  #: by language


@dataclass(frozen=True, kw_only=True)
class LearnedReranker:
    """A version of the learned reranker."""

    number: int
    weights: Mapping[str, float]  #: of the signals, 1 together


@dataclass(frozen=True, kw_only=True)
class Learned:
    """The versions that serve; what is None is as shipped."""

    judges: Mapping[str, LearnedJudge] = field(default_factory=dict)  #: by embedder
    reranker: LearnedReranker | None = None
