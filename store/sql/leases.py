"""Leases: a row is worked on by one process at a time, and by another when that process dies.

A claim takes the row for some seconds; the lease renewer renews it while the work goes on; whoever still holds it may
record what came out. Attempts are counted when work begins, so that work which kills its process counts too.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, CursorResult, or_, update
from sqlalchemy.orm import Session

from store.sql.tables import CandidateRow, PageRow, QuestionRow, WebhookRow

LeasedRow = type[QuestionRow] | type[CandidateRow] | type[PageRow] | type[WebhookRow]

#: a dead worker's step is free again after this long
LEASE_S = 20.0
#: a step that fails this often is given up
MAX_ATTEMPTS = 5


@dataclass(frozen=True, kw_only=True)
class Lease:
    """The right to work on one row."""

    row: LeasedRow
    row_id: str | int
    token: str


def is_free(row: LeasedRow, now: datetime) -> ColumnElement[bool]:
    """Return whether a row is due and nobody works on it."""
    return (row.due_at <= now) & is_unleased(row, now)


def is_unleased(row: LeasedRow, now: datetime) -> ColumnElement[bool]:
    """Return whether nobody works on a row, due or not."""
    return or_(row.lease_until.is_(None), row.lease_until < now)


def claim(
    session: Session, row: LeasedRow, row_id: str | int, waits: ColumnElement[bool], now: datetime
) -> Lease | None:
    """Take the row if it still waits for this work and is free; None when it is not."""
    token = uuid.uuid4().hex
    taken: CursorResult[Any] = session.execute(  # type: ignore[assignment]
        update(row)
        .where(row.id == row_id, waits, is_free(row, now))
        .values(lease_by=token, lease_until=now + timedelta(seconds=LEASE_S), attempts=row.attempts + 1)
        .execution_options(synchronize_session=False)
    )
    return Lease(row=row, row_id=row_id, token=token) if taken.rowcount == 1 else None


def holds(lease: Lease) -> ColumnElement[bool]:
    """Return whether the row is still this lease's."""
    return (lease.row.id == lease.row_id) & (lease.row.lease_by == lease.token)


def renew(session: Session, lease: Lease, now: datetime) -> bool:
    """Keep the row for another term; False when it was lost."""
    return _change(session, lease, lease_until=now + timedelta(seconds=LEASE_S))


def defer(session: Session, lease: Lease, due_at: datetime) -> bool:
    """Return the row back untouched until ``due_at``; the attempt does not count."""
    return _change(session, lease, due_at=due_at, attempts=lease.row.attempts - 1, **RELEASED)


def retry_later(session: Session, lease: Lease, due_at: datetime, error: str) -> bool:
    """Return the row back after a failure, to be tried again at ``due_at``."""
    return _change(session, lease, due_at=due_at, error=error, **RELEASED)


def backoff_s(attempts: int) -> float:
    """Seconds to wait before the next attempt: 1, 2, 4, 8 … at most 60."""
    return min(60.0, 2.0 ** max(0, attempts - 1))


RELEASED: dict[str, None] = {"lease_by": None, "lease_until": None}


def _change(session: Session, lease: Lease, **values: Any) -> bool:
    changed: CursorResult[Any] = session.execute(  # type: ignore[assignment]
        update(lease.row).where(holds(lease)).values(**values).execution_options(synchronize_session=False)
    )
    return changed.rowcount == 1
