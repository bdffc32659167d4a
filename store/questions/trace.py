"""The trace of a question: every finished step with what it looked for and found, and every page that was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from domain import Cost
from store.crawl import candidates
from store.questions.state import find
from store.sql.tables import CandidateRow, QuestionRow, StepRow


@dataclass(frozen=True, kw_only=True)
class Step:
    """One finished step."""

    question_id: str  #: another's, where a run was shared
    name: str  #: retrieve, retry, seek, read, requery, reuse, follow, feedback
    cycle: int
    attempt: int
    outcome: str
    started_at: datetime
    finished_at: datetime
    detail: Mapping[str, Any]  #: queries, hits, verdict, seconds, cost, candidates; of a page: url, bytes, why

    @property
    def seconds(self) -> float:
        """Return how long it took."""
        return (self.finished_at - self.started_at).total_seconds()


def read(session: Session, question_id: str) -> list[Step]:
    """All that was done for a question, by itself or by the run that it shared, in the order it began.

    Raises :class:`store.questions.state.UnknownQuestion`.
    """
    find(session, question_id)
    row = session.get_one(QuestionRow, question_id)
    ids = [question_id, *([row.leader_id] if row.leader_id else [])]
    steps = session.scalars(select(StepRow).where(StepRow.question_id.in_(ids)).order_by(StepRow.id))
    settled = [each for id in ids for each in candidates.of_question(session, id) if each.settled_at is not None]
    return sorted((*map(_step, steps), *map(_page, settled)), key=lambda step: step.started_at)


def add_cost(session: Session, question_id: str, name: str, cost: Cost, *, started_at: datetime, now: datetime) -> None:
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


def _step(row: StepRow) -> Step:
    return Step(
        question_id=row.question_id,
        name=row.name,
        cycle=row.cycle,
        attempt=row.attempt,
        outcome=row.outcome,
        started_at=row.started_at,
        finished_at=row.finished_at,
        detail=row.detail,
    )


def _page(row: CandidateRow) -> Step:
    """The reading of a page, as a step; what was known already took no time."""
    ended = row.settled_at or row.created_at
    return Step(
        question_id=row.question_id or "",
        name="read",
        cycle=row.wave,
        attempt=row.attempts,
        outcome=row.outcome or "",
        started_at=ended - timedelta(seconds=row.elapsed_s),
        finished_at=ended,
        detail={
            "url": row.url,
            "kind": row.kind,
            "origin": row.origin,
            "score": row.score,
            "depth": row.depth,
            "bytes": row.bytes,
            "page_id": row.page_id,
            "news": row.news,
            "reason": row.reason,
        },
    )


def _sum(session: Session, costs: Select[Any]) -> Cost:
    return sum((Cost(**cost) for cost in session.scalars(costs) if cost), start=Cost())
