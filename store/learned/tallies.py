"""Read, restore and correct the counts of which kinds of variant earned citations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import case, delete, select, update
from sqlalchemy.orm import Session

from store.sql.tables import VariantTallyRow

#: question type → kind → (tried, rewarded)
Counts = dict[str, dict[str, list[int]]]


def counts(session: Session) -> Counts:
    """Return all counts."""
    found: Counts = {}
    order = select(VariantTallyRow).order_by(VariantTallyRow.question_type, VariantTallyRow.kind)
    for row in session.scalars(order):
        found.setdefault(row.question_type, {})[row.kind] = [row.tried, row.rewarded]
    return found


def restore(session: Session, saved: Mapping[str, Any]) -> None:
    """Replace all counts by those saved in a version."""
    session.execute(delete(VariantTallyRow))
    session.add_all(
        VariantTallyRow(question_type=question_type, kind=kind, tried=tried, rewarded=rewarded)
        for question_type, kinds in saved.items()
        for kind, (tried, rewarded) in kinds.items()
    )
    session.flush()


def correct(session: Session, question_type: str, rewards: Mapping[str, bool], *, by: int) -> None:
    """Subtract (−1) or add again (1) a question's rewards; a count stays between 0 and the number of tries."""
    table = VariantTallyRow
    for kind in sorted(kind for kind, rewarded in rewards.items() if rewarded):
        possible = (table.rewarded + by >= 0) & (table.rewarded + by <= table.tried)
        mine = update(table).where(table.question_type == question_type, table.kind == kind)
        session.execute(mine.values(rewarded=case((possible, table.rewarded + by), else_=table.rewarded)))
