"""Count what waits and what came of late, for a monitor that asks every few seconds.

Every query reads an index from one end and stops: its cost does not grow with what is stored.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, func, literal, select
from sqlalchemy.orm import Session

from domain.flow import FINAL, STEPS, TASKS, Status
from store.crawl.candidates import CandidateStatus
from store.sql import leases
from store.sql.tables import CandidateRow, IndexState, PageRow, QuestionRow, StepRow, WebhookRow, WebhookStatus

#: rows of one kind are counted up to here
MOST_COUNTED = 10_000
#: of which the durations are told
LATEST_STEPS = 1_000
#: among which the costs are looked for
COSTLY_STEPS = 20_000
#: what waits for the tasks that work on one row of these
_OF_ROWS: dict[str | None, tuple[leases.LeasedRow, ColumnElement[bool]]] = {
    "candidate": (CandidateRow, CandidateRow.status == CandidateStatus.WAITING),
    "page": (PageRow, PageRow.state == IndexState.FETCHED),
    "webhook": (WebhookRow, WebhookRow.status == WebhookStatus.WAITING),
}
#: task → the rows that wait for it; what ends questions comes first
WAITING: dict[str, tuple[leases.LeasedRow, ColumnElement[bool]]] = {
    step.name: (QuestionRow, QuestionRow.status == status)
    for status, step in reversed(STEPS.items())
    if step.row == "question"
} | {task.name: _OF_ROWS[task.row] for task in TASKS.values() if task.row in _OF_ROWS}


@dataclass(frozen=True, kw_only=True)
class Due:
    """The rows that are due and that nobody works on."""

    number: int
    oldest_s: float  #: how long the oldest of them has been due; 0 where there is none


@dataclass(frozen=True, kw_only=True)
class StepTime:
    """How long one step took."""

    name: str
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Spent:
    """What language models cost."""

    usd: float
    tokens: int


def count(session: Session, *where: ColumnElement[bool]) -> int:
    """Return how many rows match, counted up to :data:`MOST_COUNTED`."""
    matching = select(literal(1).label("row")).where(*where).limit(MOST_COUNTED).subquery()
    return session.scalar(select(func.count()).select_from(matching)) or 0


def due(session: Session, row: leases.LeasedRow, waits: ColumnElement[bool], now: datetime) -> Due:
    """Return the number of rows that wait, are due and are free, and the age of the oldest."""
    free = (waits, leases.is_free(row, now))
    oldest = session.scalar(select(row.due_at).where(*free).order_by(row.due_at).limit(1))
    if oldest is None:
        return Due(number=0, oldest_s=0.0)
    return Due(number=count(session, *free), oldest_s=(now - oldest).total_seconds())


def questions_ended(session: Session, since: datetime) -> dict[Status, int]:
    """Return how many questions ended since then, by how."""
    found = {status: count(session, QuestionRow.status == status, QuestionRow.due_at >= since) for status in FINAL}
    return dict(sorted(found.items()))


def crawl_outcomes(session: Session, since: datetime) -> dict[str, int]:
    """Return what came of the pages that were settled since then; of more than :data:`MOST_COUNTED`, of the latest."""
    query = select(CandidateRow.outcome).where(CandidateRow.status == CandidateStatus.SETTLED)
    query = query.where(CandidateRow.due_at >= since).order_by(CandidateRow.due_at.desc()).limit(MOST_COUNTED)
    return dict(Counter(outcome for outcome in session.scalars(query) if outcome))


def step_times(session: Session) -> list[StepTime]:
    """Return how long the latest steps took, the latest first."""
    query = select(StepRow.name, StepRow.started_at, StepRow.finished_at).order_by(StepRow.id.desc())
    return [
        StepTime(name=name, seconds=(finished_at - started_at).total_seconds())
        for name, started_at, finished_at in session.execute(query.limit(LATEST_STEPS))
    ]


def spent(session: Session, since: datetime) -> Spent:
    """Return what the latest steps that ended since then cost."""
    latest = session.scalar(select(func.max(StepRow.id))) or 0
    cost: Any = StepRow.detail["cost"]
    query = select(
        func.sum(cost["usd"].as_float()),
        func.sum(cost["input_tokens"].as_integer() + cost["output_tokens"].as_integer()),
    ).where(StepRow.id > latest - COSTLY_STEPS, StepRow.finished_at >= since)
    usd, tokens = session.execute(query).one()
    return Spent(usd=usd or 0.0, tokens=tokens or 0)
