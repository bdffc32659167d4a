"""What a question has spent on a language model so far: its finished steps say."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from domain import Cost
from store.sql.tables import QuestionRow, StepRow


def note(session: Session, question_id: str, name: str, cost: Cost, *, started_at: datetime, now: datetime) -> None:
    """Add to the question's trace what was spent beside its own steps."""
    row = session.get_one(QuestionRow, question_id)
    session.add(
        StepRow(
            question_id=question_id,
            name=name,
            cycle=row.cycle,
            attempt=1,
            outcome="read",
            started_at=started_at,
            finished_at=now,
            detail={"cost": asdict(cost)},
        )
    )


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
