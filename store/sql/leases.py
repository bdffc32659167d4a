"""Leases: one process at a time works on a row, and another one takes over when that process dies.

A claim leases the row for some seconds; the lease renewer extends the lease while the work goes on; only a process that
still holds the lease may record the result. An attempt is counted when work starts, so that work which kills its
process counts too.
"""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, or_
from sqlalchemy.orm import Session

from store.sql.rows import update_rows
from store.sql.tables import CandidateRow, PageRow, QuestionRow, WebhookRow

LeasedRow = type[QuestionRow] | type[CandidateRow] | type[PageRow] | type[WebhookRow]

#: another worker may take over a dead worker's step after this long
LEASE_S = 20.0
#: a step that fails this often is given up
MAX_ATTEMPTS = 5
#: the columns of a row that nobody works on
RELEASED: dict[str, None] = {"lease_by": None, "lease_until": None}


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
    until, attempts = now + timedelta(seconds=LEASE_S), row.attempts + 1
    where = (row.id == row_id, waits, is_free(row, now))
    taken = update_rows(session, row, *where, lease_by=token, lease_until=until, attempts=attempts)
    return Lease(row=row, row_id=row_id, token=token) if taken == 1 else None


def holds(lease: Lease) -> ColumnElement[bool]:
    """Return whether the row is still this lease's."""
    return (lease.row.id == lease.row_id) & (lease.row.lease_by == lease.token)


def renew(session: Session, lease: Lease, now: datetime) -> bool:
    """Extend the lease for another term; return False when it was lost."""
    return update_rows(session, lease.row, holds(lease), lease_until=now + timedelta(seconds=LEASE_S)) == 1


def defer(session: Session, lease: Lease, due_at: datetime) -> bool:
    """Release the row until ``due_at``; the attempt does not count."""
    return release(session, lease, due_at=due_at, attempts=lease.row.attempts - 1)


def retry_later(session: Session, lease: Lease, due_at: datetime, error: str, **values: Any) -> bool:
    """Release the row after a failure, to be tried again at ``due_at``."""
    return release(session, lease, due_at=due_at, error=error, **values)


def release(session: Session, lease: Lease, **values: Any) -> bool:
    """Set columns of the row and end the lease; return False, and change nothing, when it was lost."""
    return update_rows(session, lease.row, holds(lease), **values, **RELEASED) == 1


def backoff_s(attempts: int) -> float:
    """Seconds to wait before the next attempt: 1, 2, 4, 8 … at most 60."""
    return min(60.0, 2.0 ** min(6, max(0, attempts - 1)))
