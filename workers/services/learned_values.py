"""Stored versions as the pipeline takes them."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.judging.calibration import Calibration
from pipeline.judging.learned import Learned, LearnedJudge, LearnedReranker
from store.learned.versions import Version


def to_learned(versions: Sequence[Version]) -> Learned:
    """The versions in use together."""
    judges = {version.embedder: to_judge(version) for version in versions if version.kind == "judge"}
    rerankers = [version for version in versions if version.kind == "reranker"]
    return Learned(judges=judges, reranker=to_reranker(rerankers[0]) if rerankers else None)


def to_judge(version: Version) -> LearnedJudge:
    """A version of the judge."""
    calibrations = {
        lang: Calibration(embedder=version.embedder, lang=lang, weights=kept["weights"], intercept=kept["intercept"])
        for lang, kept in version.parameters["calibrations"].items()
    }
    return LearnedJudge(number=version.number, embedder=version.embedder, calibrations=calibrations)


def to_reranker(version: Version) -> LearnedReranker:
    """A version of the reranker."""
    return LearnedReranker(number=version.number, weights=version.parameters["weights"])
