"""The versions of judge and reranker in use, read again soon after another one is chosen; no restart is needed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from store.learned import versions
from store.learned.versions import Version
from store.sql.database import Database

if TYPE_CHECKING:
    from pipeline.judging.learned import Learned

#: a choice is noticed within this time, everywhere
CHECKED_EVERY_S = 2.0


class LearnedVersions:
    """What is in use, asked for no more often than every ``every_s`` seconds, and read when it changed."""

    def __init__(self, database: Database, *, every_s: float = CHECKED_EVERY_S) -> None:
        self._database = database
        self._every_s = every_s
        self._checked_at = float("-inf")
        self._ids: tuple[int, ...] = ()
        self._versions: list[Version] = []
        self._learned: Learned | None = None

    def now(self) -> Learned:
        """What is in use now, as the pipeline takes it."""
        from workers.services.learned_values import (
            to_learned,  # brings the judge along, which who only asks does without
        )

        versions = self._look()
        if self._learned is None:
            self._learned = to_learned(versions)
        return self._learned

    def name(self) -> str:
        """What is in use, in words that differ when it does; "" while all is as shipped."""
        used = sorted((version.kind, version.number) for version in self._look() if version.kind != "variants")
        return ", ".join(f"{kind} {number}" for kind, number in used)

    def _look(self) -> list[Version]:
        if time.monotonic() - self._checked_at >= self._every_s:
            with self._database.read() as session:
                ids = versions.active_ids(session)
                if ids != self._ids:
                    self._versions, self._learned, self._ids = versions.active(session), None, ids
            self._checked_at = time.monotonic()
        return self._versions
