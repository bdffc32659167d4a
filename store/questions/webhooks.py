"""Deliveries to callers in SQL."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from store.sql import leases
from store.sql.rows import update_rows
from store.sql.tables import QuestionRow, WebhookRow, WebhookStatus


def add(session: Session, question: QuestionRow, *, url: str, event: str, now: datetime) -> None:
    """Add a delivery that waits to be made."""
    waiting = WebhookStatus.WAITING
    session.add(WebhookRow(question_id=question.id, url=url, event=event, status=waiting, created_at=now, due_at=now))


def pending(session: Session, question_id: str) -> list[int]:
    """Return the waiting deliveries of a question and of those that share its run."""
    sharing = session.scalars(select(QuestionRow.id).where(QuestionRow.leader_id == question_id))
    query = select(WebhookRow.id).where(
        WebhookRow.question_id.in_([question_id, *sharing]), WebhookRow.status == WebhookStatus.WAITING
    )
    return list(session.scalars(query.order_by(WebhookRow.id)))


def put_off(session: Session, webhook_id: int, now: datetime, until: datetime) -> None:
    """Have a delivery that waits, and that nobody is making, be due at another time."""
    waits = (WebhookRow.status == WebhookStatus.WAITING, leases.is_unleased(WebhookRow, now))
    update_rows(session, WebhookRow, WebhookRow.id == webhook_id, *waits, due_at=until)


def finish(
    session: Session, lease: leases.Lease, status: WebhookStatus, now: datetime, error: str | None = None
) -> bool:
    """Record that a delivery was made (DELIVERED) or given up (FAILED)."""
    delivered_at = now if status == WebhookStatus.DELIVERED else None
    return leases.release(session, lease, status=status, delivered_at=delivered_at, error=error)
