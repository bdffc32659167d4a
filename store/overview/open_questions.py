"""Counts the open questions and how fast questions end, at a cost that does not grow with what is stored."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import func, literal, select
from sqlalchemy.orm import Session

from domain import FINAL
from store.overview.figures import count
from store.questions.state import waiting
from store.sql.tables import QuestionRow

#: over so long the rate is measured, or for as long as there was work all the time
MEASURED = timedelta(seconds=60)


def count_open(session: Session, most: int) -> int:
    """Return how many questions are open, counted up to one more than ``most``."""
    some = select(literal(1).label("row")).where(QuestionRow.status.in_(waiting())).limit(most + 1).subquery()
    return session.scalar(select(func.count()).select_from(some)) or 0


def count_open_of(session: Session, owner: str, most: int) -> int:
    """Return how many of the open questions, looked at up to one more than ``most``, a key has asked."""
    some = select(QuestionRow.owner).where(QuestionRow.status.in_(waiting())).limit(most + 1).subquery()
    return session.scalar(select(func.count()).where(some.c.owner == owner)) or 0


def ended_per_s(session: Session, now: datetime, most: int) -> float:
    """Return how many questions ended a second, since the oldest open one was asked, at most for a minute."""
    some = select(QuestionRow.created_at).where(QuestionRow.status.in_(waiting())).limit(most + 1).subquery()
    oldest = session.scalar(select(func.min(some.c.created_at))) or now
    since = max(oldest, now - MEASURED)
    ended = count(session, QuestionRow.status.in_(FINAL), QuestionRow.due_at >= since)
    return ended / max(1.0, (now - since).total_seconds())
