"""Converts stored versions into the pipeline's values."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.judging.calibration import Calibration
from pipeline.judging.learned import Learned, LearnedJudge, LearnedReranker
from store.learned.versions import Version


def to_learned(versions: Sequence[Version]) -> Learned:
    """Return the versions in use as one value."""
    judges = {version.embedder: to_judge(version) for version in versions if version.kind == "judge"}
    rerankers = [version for version in versions if version.kind == "reranker"]
    return Learned(judges=judges, reranker=to_reranker(rerankers[0]) if rerankers else None)


def to_judge(version: Version) -> LearnedJudge:
    """Return a version of the judge."""
    calibrations = {
        lang: Calibration(
            embedder=version.embedder, lang=lang, weights=fitted["weights"], intercept=fitted["intercept"]
        )
        for lang, fitted in version.parameters["calibrations"].items()
    }
    return LearnedJudge(number=version.number, embedder=version.embedder, calibrations=calibrations)


def to_reranker(version: Version) -> LearnedReranker:
    """Return a version of the reranker."""
    return LearnedReranker(number=version.number, weights=version.parameters["weights"])
