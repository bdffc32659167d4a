"""Counts what questions came to, hour by hour, and what they cost, day by day; what waits, for a monitor.

A monitor asks every few seconds: each of its queries reads an index from one end and stops, so that its cost does not
grow with what is stored.
"""

import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from statistics import median, quantiles
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, func, literal, select
from sqlalchemy.orm import Session

from domain import FINAL, Status
from domain.flow import STEPS, TASKS
from domain.outcome import Outcome
from domain.published import described, published
from store.crawl.candidates import CandidateStatus
from store.questions import state
from store.sql import leases
from store.sql.rows import to_value
from store.sql.tables import CandidateRow, IndexState, PageRow, QuestionRow, StepRow, WebhookRow, WebhookStatus

HOURS, DAYS = 24, 30
#: over so long the rate is measured, or for as long as there was work all the time
MEASURED = timedelta(seconds=60)
#: rows of one kind are counted up to here
MOST_COUNTED = 10_000
#: of which the durations are returned
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


@published
class Hour:
    """The questions that ended, and the pages that were read, within one hour."""

    at: datetime = described("Its beginning.")
    answered: int
    unsure: int
    unknown: int
    failed: int = described("Failed, or out of time.")
    median_s: float | None = described("Seconds from asking to the end; null if none ended.")
    slowest_s: float | None = described("Those of the slowest twentieth: the 95th percentile.")
    pages: int = described("New texts of pages.")


@published
class DaySpent:
    """What the questions of one day cost on language models."""

    day: date = described("On which they were asked, in UTC.")
    usd: float
    tokens: int


@dataclass(frozen=True, kw_only=True)
class DeadQuestion:
    """A question that was given up because a step failed too often."""

    id: str
    question: str
    error: str
    failed_at: datetime


class Recent:
    """The last day by the hour, and what the last 30 days cost; a look reads what came since the last one.

    Once an hour all is read anew: some was deleted, or was stored later than what follows it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hour = datetime.min.replace(tzinfo=UTC)

    def by_hour(self, session: Session, now: datetime) -> tuple[Hour, ...]:
        """Return the last 24 hours, the present one included, oldest first."""
        with self._of(now):
            for at in [self._hour - timedelta(hours=ago) for ago in reversed(range(1, HOURS))]:
                if at not in self._hours:
                    self._hours[at] = _hour(session, at)
            return (*self._hours.values(), _hour(session, self._hour))

    def spent_by_day(self, session: Session, now: datetime) -> tuple[DaySpent, ...]:
        """Return what was spent on the questions of each day that cost anything, oldest first."""
        with self._of(now):
            self._look(session, now - timedelta(days=DAYS))
            days = sorted(self._tokens)
            return tuple(DaySpent(day=day, usd=round(self._usd[day], 6), tokens=self._tokens[day]) for day in days)

    @contextmanager
    def _of(self, now: datetime) -> Iterator[None]:
        with self._lock:
            if (hour := now.replace(minute=0, second=0, microsecond=0)) != self._hour:
                self._hour, self._hours, self._last = hour, dict[datetime, Hour](), 0
                self._usd, self._tokens = defaultdict[date, float](float), Counter[date]()
            yield

    def _look(self, session: Session, since: datetime) -> None:
        last = session.scalar(select(func.max(StepRow.id))) or 0
        costs = (
            select(QuestionRow.created_at, StepRow.detail["cost"])
            .join(StepRow, StepRow.question_id == QuestionRow.id)
            .where(StepRow.id > self._last, StepRow.id <= last, QuestionRow.created_at >= since)
            .where(StepRow.detail["cost"]["output_tokens"].as_integer() > 0)
        )
        for asked_at, cost in session.execute(costs):
            self._usd[asked_at.date()] += cost["usd"]
            self._tokens[asked_at.date()] += cost["input_tokens"] + cost["output_tokens"]
        self._last = last


def dead_questions(session: Session) -> tuple[DeadQuestion, ...]:
    """Return the questions of which a step failed too often, latest first."""
    values = ((row, {"question": row.text, "failed_at": row.updated_at}) for row in state.dead(session))
    return tuple(to_value(DeadQuestion, row, error=row.error or "", **others) for row, others in values)


def failed_callbacks(session: Session) -> int:
    """Return how many deliveries to callers were given up."""
    return session.scalar(select(func.count()).where(WebhookRow.status == WebhookStatus.FAILED)) or 0


def _hour(session: Session, at: datetime) -> Hour:
    def within(moment: Any) -> ColumnElement[bool]:
        return and_(moment >= at, moment < at + timedelta(hours=1))

    query = select(QuestionRow.finished_at, QuestionRow.asked_again_at, QuestionRow.created_at, QuestionRow.outcome)
    ended = (
        QuestionRow.due_at >= at,
        within(QuestionRow.finished_at),
        QuestionRow.status.in_(FINAL - {Status.CANCELLED}),
    )
    rows = session.execute(query.where(*ended)).all()
    outcomes = Counter(row.outcome for row in rows)
    seconds = [(row.finished_at - (row.asked_again_at or row.created_at)).total_seconds() for row in rows]
    return Hour(
        at=at,
        answered=outcomes["answered"],
        unsure=outcomes["unsure"],
        unknown=outcomes["unknown"],
        failed=outcomes[None],
        median_s=median(seconds) if seconds else None,
        slowest_s=quantiles(seconds, n=20, method="inclusive")[-1] if len(seconds) > 1 else next(iter(seconds), None),
        pages=session.scalar(select(func.count()).where(within(PageRow.read_at))) or 0,
    )


def count_open(session: Session, most: int) -> int:
    """Return how many questions are open, counted up to one more than ``most``."""
    return session.scalar(_COUNT_OPEN, {"most": most + 1}) or 0


_COUNT_OPEN = select(func.count()).select_from(
    select(literal(1).label("row")).where(QuestionRow.status.in_(state.OPEN)).limit(bindparam("most")).subquery()
)


def count_open_of(session: Session, owner: str, most: int) -> int:
    """Return how many of the open questions, looked at up to one more than ``most``, a key has asked."""
    some = select(QuestionRow.owner).where(QuestionRow.status.in_(state.OPEN)).limit(most + 1).subquery()
    return session.scalar(select(func.count()).where(some.c.owner == owner)) or 0


def ended_per_s(session: Session, now: datetime, most: int) -> float:
    """Return how many questions ended a second, since the oldest open one was asked, at most for a minute."""
    some = select(QuestionRow.created_at).where(QuestionRow.status.in_(state.OPEN)).limit(most + 1).subquery()
    oldest = session.scalar(select(func.min(some.c.created_at))) or now
    since = max(oldest, now - MEASURED)
    ended = count(session, QuestionRow.status.in_(FINAL), QuestionRow.due_at >= since)
    return ended / max(1.0, (now - since).total_seconds())


@dataclass(frozen=True, kw_only=True)
class Due:
    """The rows that are due and that nobody works on."""

    number: int
    oldest_s: float  #: how long the oldest of them has been due; 0 where there is none


@dataclass(frozen=True, kw_only=True)
class ModelCosts:
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


def outcomes(session: Session, since: datetime) -> dict[Outcome, int]:
    """Return what the questions came to that ended since then."""
    of: dict[Outcome, Status] = {"answered": Status.ANSWERED, "unsure": Status.ANSWERED, "unknown": Status.ABSTAINED}
    ended = {outcome: (QuestionRow.status == status, QuestionRow.outcome == outcome) for outcome, status in of.items()}
    return {outcome: count(session, *where, QuestionRow.due_at >= since) for outcome, where in ended.items()}


def crawl_outcomes(session: Session, since: datetime) -> dict[str, int]:
    """Return what came of the pages that were settled since then; of more than :data:`MOST_COUNTED`, of the latest."""
    query = select(CandidateRow.outcome).where(CandidateRow.status == CandidateStatus.SETTLED)
    query = query.where(CandidateRow.due_at >= since).order_by(CandidateRow.due_at.desc()).limit(MOST_COUNTED)
    return dict(Counter(outcome for outcome in session.scalars(query) if outcome))


def step_times(session: Session) -> list[tuple[str, float]]:
    """Return the latest steps, the latest first, each with the seconds that it took."""
    query = select(StepRow.name, StepRow.started_at, StepRow.finished_at).order_by(StepRow.id.desc())
    rows = session.execute(query.limit(LATEST_STEPS))
    return [(name, (finished_at - started_at).total_seconds()) for name, started_at, finished_at in rows]


def model_costs(session: Session, since: datetime) -> ModelCosts:
    """Return what the latest steps that ended since then cost."""
    latest = select(StepRow.detail["cost"].label("cost")).where(StepRow.finished_at >= since)
    cost: Any = latest.order_by(StepRow.finished_at.desc()).limit(COSTLY_STEPS).subquery().c.cost
    tokens_of = cost["input_tokens"].as_integer() + cost["output_tokens"].as_integer()
    usd, tokens = session.execute(select(func.sum(cost["usd"].as_float()), func.sum(tokens_of))).one()
    return ModelCosts(usd=usd or 0.0, tokens=tokens or 0)
