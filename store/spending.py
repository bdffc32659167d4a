"""What a question has spent on a language model so far: its finished steps say."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from store.tables import QuestionRow, StepRow
from store.types import Cost


def total_cost(session: Session, question_id: str) -> Cost:
    """Add up what all of the question's steps cost, the answers' share included."""
    costs = select(StepRow.detail["cost"]).where(StepRow.question_id == question_id)
    return _sum(session, costs)


def spent(session: Session, question_id: str) -> Cost:
    """Add up what the question's steps cost; of one that was asked again, those since then."""
    since = session.scalar(select(QuestionRow.asked_again_at).where(QuestionRow.id == question_id))
    costs = select(StepRow.detail["cost"]).where(StepRow.question_id == question_id)
    if since is not None:
        costs = costs.where(StepRow.started_at >= since)
    return _sum(session, costs)


def _sum(session: Session, costs: Select[Any]) -> Cost:
    return sum((Cost(**cost) for cost in session.scalars(costs) if cost), start=Cost())
