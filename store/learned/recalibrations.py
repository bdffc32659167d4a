"""Store what was learned from feedback about the judge's confidence, and give it to the processes that judge."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from domain.outcome import Judged, Recalibration, Recalibrations
from store.sql.database import Database
from store.sql.rows import dialect_insert, to_value
from store.sql.tables import RecalibrationRow

#: every process notices a change within this time
CHECKED_EVERY_S = 2.0
_KEYS = (RecalibrationRow.embedder, RecalibrationRow.lang, RecalibrationRow.calibration)


@dataclass(frozen=True, kw_only=True)
class Learned:
    """A recalibration, and what it was fitted to."""

    embedder: str
    lang: str
    calibration: str
    intercept: float = 0.0
    slope: float = 1.0
    said: str  #: that it is in use, or why there is none
    right: int = 0
    wrong: int = 0
    held_out: int = 0
    loss_before: float | None = None
    loss_after: float | None = None
    since: datetime | None = None  #: feedback before it teaches nothing: it was reset then
    learned_at: datetime

    @property
    def judged(self) -> Judged:
        """The answers that it is for."""
        return Judged(self.embedder, self.lang, self.calibration)

    @property
    def recalibration(self) -> Recalibration:
        """What it makes of a confidence."""
        return Recalibration(intercept=self.intercept, slope=self.slope)


def every(session: Session) -> list[Learned]:
    """Return all, by embedder, language and calibration."""
    return [to_value(Learned, row) for row in session.scalars(select(RecalibrationRow).order_by(*_KEYS))]


def save(session: Session, learned: Learned, *, resets: bool = False) -> None:
    """Save what was learned, unless it was reset while it was learned."""
    values = asdict(learned)
    same = None if resets else RecalibrationRow.since.is_not_distinct_from(learned.since)
    new = dialect_insert(session, RecalibrationRow).values(values)
    session.execute(new.on_conflict_do_update(index_elements=_KEYS, set_=values, where=same))


class RecalibrationsInUse:
    """The recalibrations in use; SQL is asked at most every ``every_s`` seconds."""

    def __init__(
        self, database: Database, *, every_s: float = CHECKED_EVERY_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._database, self._every_s, self._clock = database, every_s, clock
        self._checked_at = float("-inf")
        self._found: Recalibrations = {}

    def now(self) -> Recalibrations:
        """Return those that change something."""
        if self._clock() - self._checked_at >= self._every_s:
            with self._database.read() as session:
                found = {each.judged: each.recalibration for each in every(session)}
            self._found = {key: each for key, each in found.items() if each != Recalibration()}
            self._checked_at = self._clock()
        return self._found

    def name(self) -> str:
        """Return a text that tells those in use from others; "" while there are none."""
        return ", ".join(f"{key} {each.intercept} {each.slope}" for key, each in sorted(self.now().items()))
