"""Deliveries owed to callers, in SQL."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CursorResult, select, update
from sqlalchemy.orm import Session

from store.sql import leases
from store.sql.tables import QuestionRow, WebhookRow, WebhookStatus


def pending(session: Session, question_id: str) -> list[int]:
    """The deliveries of a question that wait, and of those that shared its run."""
    query = (
        select(WebhookRow.id)
        .join(QuestionRow, QuestionRow.id == WebhookRow.question_id)
        .where(
            (QuestionRow.id == question_id) | (QuestionRow.leader_id == question_id),
            WebhookRow.status == WebhookStatus.WAITING,
        )
    )
    return list(session.scalars(query))


def finish(
    session: Session, lease: leases.Lease, status: WebhookStatus, now: datetime, error: str | None = None
) -> bool:
    """Record that a delivery was made (DELIVERED) or given up (FAILED)."""
    changed: CursorResult[Any] = session.execute(  # type: ignore[assignment]
        update(WebhookRow)
        .where(leases.holds(lease))
        .values(
            status=status,
            delivered_at=now if status == WebhookStatus.DELIVERED else None,
            error=error,
            **leases.RELEASED,
        )
        .execution_options(synchronize_session=False)
    )
    return changed.rowcount == 1
