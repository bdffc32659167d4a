"""The learned versions of the judge and the reranker that replace the shipped ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pipeline.judging.calibration import Calibration

#: the version number of the shipped judge and reranker; learned versions count from 1
SHIPPED = 0


@dataclass(frozen=True, kw_only=True)
class LearnedJudge:
    """A version of the judge: calibrations of one embedder, for the languages with enough feedback."""

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
    """The versions in use; None: the shipped one."""

    judges: Mapping[str, LearnedJudge] = field(default_factory=dict)  #: by embedder
    reranker: LearnedReranker | None = None
