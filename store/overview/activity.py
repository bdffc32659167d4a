"""Counts what questions came to, hour by hour, and what they cost, day by day."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from statistics import median, quantiles

from sqlalchemy import func, literal, select
from sqlalchemy.orm import Session

from domain import FINAL, Status
from domain.published import described
from store.overview.figures import count
from store.questions.state import dead, waiting
from store.sql.tables import PageRow, QuestionRow, StepRow, WebhookRow
from store.sql.tables.questions import WebhookStatus

HOURS, DAYS = 24, 30
#: over so long the rate is measured, or for as long as there was work all the time
MEASURED = timedelta(seconds=60)


@dataclass(frozen=True, kw_only=True)
class Hour:
    """The questions that ended, and the pages that were read, within one hour."""

    at: datetime = field(metadata=described("Its beginning."))
    answered: int
    not_known: int
    failed: int = field(metadata=described("Failed, or out of time."))
    median_s: float | None = field(metadata=described("Seconds from asking to the end; null if none ended."))
    slowest_s: float | None = field(metadata=described("Those of the slowest twentieth: the 95th percentile."))
    pages: int = field(metadata=described("New texts of pages."))


@dataclass(frozen=True, kw_only=True)
class DaySpent:
    """What the questions of one day cost on language models."""

    day: date = field(metadata=described("On which they were asked, in UTC."))
    usd: float
    tokens: int


@dataclass(frozen=True, kw_only=True)
class DeadQuestion:
    """A question that was given up because a step failed too often."""

    id: str
    question: str
    error: str
    failed_at: datetime


def by_hour(session: Session, now: datetime) -> tuple[Hour, ...]:
    """Return the last 24 hours, the present one included, oldest first."""
    latest = now.replace(minute=0, second=0, microsecond=0)
    hours = [latest - timedelta(hours=ago) for ago in reversed(range(HOURS))]
    ended: defaultdict[datetime, list[tuple[Status, float]]] = defaultdict(list)
    for hour, status, seconds in _ended(session, hours[0]):
        ended[hour].append((status, seconds))
    read = _pages_read(session, hours[0])
    return tuple(_hour(at, ended[at], read.get(at, 0)) for at in hours)


def spent_by_day(session: Session, now: datetime) -> tuple[DaySpent, ...]:
    """Return what was spent on the questions of each of the last 30 days that cost anything, oldest first."""
    costs = (
        select(QuestionRow.created_at, StepRow.detail["cost"])
        .join(StepRow, StepRow.question_id == QuestionRow.id)
        .where(QuestionRow.created_at >= now - timedelta(days=DAYS))
        .where(StepRow.detail["cost"]["output_tokens"].as_integer() > 0)
    )
    usd: defaultdict[date, float] = defaultdict(float)
    tokens: defaultdict[date, int] = defaultdict(int)
    for asked_at, cost in session.execute(costs):
        usd[asked_at.date()] += cost["usd"]
        tokens[asked_at.date()] += cost["input_tokens"] + cost["output_tokens"]
    return tuple(DaySpent(day=day, usd=round(usd[day], 6), tokens=tokens[day]) for day in sorted(usd))


def dead_questions(session: Session) -> tuple[DeadQuestion, ...]:
    """Return the questions of which a step failed too often, latest first."""
    return tuple(
        DeadQuestion(id=row.id, question=row.text, error=row.error or "", failed_at=row.updated_at)
        for row in dead(session)
    )


def failed_callbacks(session: Session) -> int:
    """Return how many deliveries to callers were given up."""
    query = select(func.count()).select_from(WebhookRow).where(WebhookRow.status == WebhookStatus.FAILED)
    return session.scalar(query) or 0


def _ended(session: Session, since: datetime) -> list[tuple[datetime, Status, float]]:
    query = select(QuestionRow.finished_at, QuestionRow.asked_again_at, QuestionRow.created_at, QuestionRow.status)
    query = query.where(QuestionRow.updated_at >= since, QuestionRow.finished_at >= since)
    rows = session.execute(query.where(QuestionRow.status.in_(FINAL - {Status.CANCELLED})))
    return [
        (_hour_of(finished_at), Status(status), (finished_at - (again_at or created_at)).total_seconds())
        for finished_at, again_at, created_at, status in rows
        if finished_at is not None
    ]


def _pages_read(session: Session, since: datetime) -> dict[datetime, int]:
    counts: defaultdict[datetime, int] = defaultdict(int)
    for read_at in session.scalars(select(PageRow.read_at).where(PageRow.read_at >= since)):
        counts[_hour_of(read_at)] += 1
    return counts


def _hour_of(time: datetime) -> datetime:
    return time.replace(minute=0, second=0, microsecond=0)


def _hour(at: datetime, ended: Sequence[tuple[Status, float]], pages: int) -> Hour:
    statuses, seconds = [status for status, _ in ended], [each for _, each in ended]
    return Hour(
        at=at,
        answered=statuses.count(Status.ANSWERED),
        not_known=statuses.count(Status.ABSTAINED),
        failed=statuses.count(Status.FAILED) + statuses.count(Status.TIMED_OUT),
        median_s=median(seconds) if seconds else None,
        slowest_s=_slowest(seconds),
        pages=pages,
    )


def _slowest(seconds: Sequence[float]) -> float | None:
    if len(seconds) < 2:
        return seconds[0] if seconds else None
    return quantiles(seconds, n=20, method="inclusive")[-1]


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
