"""Store what was learned: recalibrations of the judge from feedback, and which kinds of variant earned citations."""

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import case, delete, select, update
from sqlalchemy.orm import Session

from domain import Tally, Variant, VariantKey, VariantKind
from domain.outcome import Learned, Recalibration, Recalibrations
from store.sql.database import Database
from store.sql.rows import dialect_insert, to_value
from store.sql.tables import RecalibrationRow, VariantsRow, VariantTallyRow

#: every process notices a change within this time
CHECKED_EVERY_S = 2.0
_KEYS = (RecalibrationRow.embedder, RecalibrationRow.lang, RecalibrationRow.calibration)


def all_learned(session: Session) -> list[Learned]:
    """Return all, by embedder, language and calibration."""
    return [to_value(Learned, row) for row in session.scalars(select(RecalibrationRow).order_by(*_KEYS))]


def save_learned(session: Session, learned: Learned, *, resets: bool = False) -> None:
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
                found = {each.judged: each.recalibration for each in all_learned(session)}
            self._found = {key: each for key, each in found.items() if each != Recalibration()}
            self._checked_at = self._clock()
        return self._found

    def name(self) -> str:
        """Return a text that tells those in use from others; "" while there are none."""
        return ", ".join(f"{key} {each.intercept} {each.slope}" for key, each in sorted(self.now().items()))


#: variants made longer ago are made again
KEPT_FOR: Final = timedelta(days=90)


class VariantsCache:
    """Stores variants and tallies; what two processes write at once is all counted."""

    def __init__(self, database: Database, *, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    def load(self, key: VariantKey) -> tuple[Variant, ...]:
        """Return the variants stored under ``key``; none when there are none, or they are too old."""
        with self._database.read() as session:
            row = session.get(VariantsRow, _hash(key))
        if row is None or row.made_at < self._now() - KEPT_FOR:
            return ()
        return tuple(Variant(**variant) for variant in row.variants)

    def save(self, key: VariantKey, variants: Sequence[Variant]) -> None:
        """Save variants for the next time and delete those that are too old."""
        now = self._now()
        values = {**asdict(key), "variants": [asdict(variant) for variant in variants], "made_at": now}
        with self._database.write() as session:
            session.execute(delete(VariantsRow).where(VariantsRow.made_at < now - KEPT_FOR))
            new = dialect_insert(session, VariantsRow).values(key=_hash(key), **values)
            session.execute(new.on_conflict_do_update(index_elements=[VariantsRow.key], set_=values))

    def tallies(self, question_type: str) -> dict[VariantKind, Tally]:
        """Return the tally of each kind that was tried for this type of question."""
        with self._database.read() as session:
            rows = session.scalars(select(VariantTallyRow).where(VariantTallyRow.question_type == question_type))
            return {row.kind: Tally(tried=row.tried, rewarded=row.rewarded) for row in rows}  # type: ignore[misc]

    def learn(self, question_type: str, rewards: Mapping[VariantKind, bool]) -> None:
        """Count one question for each kind that was tried, and whether it was rewarded."""
        if not rewards:
            return
        with self._database.write() as session:
            for kind, rewarded in sorted(rewards.items()):  # one order for all, so that no two processes deadlock
                table = VariantTallyRow
                count = dialect_insert(session, table).values(
                    question_type=question_type, kind=kind, tried=1, rewarded=int(rewarded)
                )
                more = {"tried": table.tried + 1, "rewarded": table.rewarded + int(rewarded)}
                session.execute(
                    count.on_conflict_do_update(index_elements=[table.question_type, table.kind], set_=more)
                )


def correct(session: Session, question_type: str, rewards: Mapping[str, bool], *, by: int) -> None:
    """Subtract (−1) or add again (1) a question's rewards; a count stays between 0 and the number of tries."""
    table = VariantTallyRow
    for kind in sorted(kind for kind, rewarded in rewards.items() if rewarded):
        possible = (table.rewarded + by >= 0) & (table.rewarded + by <= table.tried)
        mine = update(table).where(table.question_type == question_type, table.kind == kind)
        session.execute(mine.values(rewarded=case((possible, table.rewarded + by), else_=table.rewarded)))


def _hash(key: VariantKey) -> str:
    return hashlib.blake2b(json.dumps(asdict(key), sort_keys=True).encode(), digest_size=16).hexdigest()
