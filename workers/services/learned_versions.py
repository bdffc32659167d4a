"""Keeps the versions of judge and reranker in use; notices a new choice within seconds, without a restart."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from store.learned import versions
from store.learned.versions import Version
from store.sql.database import Database

if TYPE_CHECKING:
    from pipeline.judging.learned import Learned, LearnedJudge, LearnedReranker

#: every process notices a choice within this time
CHECKED_EVERY_S = 2.0


class LearnedVersions:
    """The versions in use; checked at most every ``every_s`` seconds, and read when they changed."""

    def __init__(self, database: Database, *, every_s: float = CHECKED_EVERY_S) -> None:
        self._database = database
        self._every_s = every_s
        self._checked_at = float("-inf")
        self._ids: tuple[int, ...] = ()
        self._versions: list[Version] = []
        self._learned: Learned | None = None

    def now(self) -> Learned:
        """Return the versions in use, as the pipeline takes them."""
        current = self._current()
        if self._learned is None:
            self._learned = _to_learned(current)
        return self._learned

    def name(self) -> str:
        """Return a text that names the versions in use; "" while all are as shipped."""
        used = sorted((version.kind, version.number) for version in self._current() if version.kind != "variants")
        return ", ".join(f"{kind} {number}" for kind, number in used)

    def _current(self) -> list[Version]:
        if time.monotonic() - self._checked_at >= self._every_s:
            with self._database.read() as session:
                ids = versions.active_ids(session)
                if ids != self._ids:
                    self._versions, self._learned, self._ids = versions.active(session), None, ids
            self._checked_at = time.monotonic()
        return self._versions


def _to_learned(versions: Sequence[Version]) -> Learned:
    """Return the versions in use as one value."""
    from pipeline.judging.learned import Learned  # imports the judge, which a process that only asks need not load

    judges = {version.embedder: to_judge(version) for version in versions if version.kind == "judge"}
    rerankers = [version for version in versions if version.kind == "reranker"]
    return Learned(judges=judges, reranker=to_reranker(rerankers[0]) if rerankers else None)


def to_judge(version: Version) -> LearnedJudge:
    """Return a version of the judge."""
    from pipeline.judging.calibration import Calibration
    from pipeline.judging.learned import LearnedJudge

    calibrations = {
        lang: Calibration(
            embedder=version.embedder, lang=lang, weights=fitted["weights"], intercept=fitted["intercept"]
        )
        for lang, fitted in version.parameters["calibrations"].items()
    }
    return LearnedJudge(number=version.number, embedder=version.embedder, calibrations=calibrations)


def to_reranker(version: Version) -> LearnedReranker:
    """Return a version of the reranker."""
    from pipeline.judging.learned import LearnedReranker

    return LearnedReranker(number=version.number, weights=version.parameters["weights"])
