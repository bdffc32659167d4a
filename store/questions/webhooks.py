"""Deliveries to callers in SQL."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from store.sql import leases
from store.sql.tables import QuestionRow, WebhookRow, WebhookStatus


def add(session: Session, question: QuestionRow, *, url: str, event: str, now: datetime) -> None:
    """Add a delivery that waits to be made."""
    waiting = WebhookStatus.WAITING
    session.add(WebhookRow(question_id=question.id, url=url, event=event, status=waiting, created_at=now, due_at=now))


def pending(session: Session, question_id: str) -> list[int]:
    """Return the waiting deliveries of a question and of those that share its run."""
    query = (
        select(WebhookRow.id)
        .join(QuestionRow, QuestionRow.id == WebhookRow.question_id)
        .where((QuestionRow.id == question_id) | (QuestionRow.leader_id == question_id))
        .where(WebhookRow.status == WebhookStatus.WAITING)
    )
    return list(session.scalars(query))


def finish(
    session: Session, lease: leases.Lease, status: WebhookStatus, now: datetime, error: str | None = None
) -> bool:
    """Record that a delivery was made (DELIVERED) or given up (FAILED)."""
    delivered_at = now if status == WebhookStatus.DELIVERED else None
    return leases.release(session, lease, status=status, delivered_at=delivered_at, error=error)
