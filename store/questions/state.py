"""Find questions in SQL, move them from step to step, cancel and restart them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from domain import FINAL, Answer, Budget, Question, Status, Variant, Verdict
from domain.errors import WellreadError
from store.questions import answers, shared_runs, watches, webhooks
from store.questions.answers import ContextHit
from store.questions.step_details import StepDetail, to_json
from store.sql import leases
from store.sql.tables import CandidateRow, QuestionRow, StepRow


class UnknownQuestion(WellreadError):
    """There is no question with this id."""


@dataclass(frozen=True, kw_only=True)
class Changes:
    """The columns of a question that a step sets; None leaves one as it is."""

    lang: str | None = None
    queries: Sequence[str] | None = None
    variants: Sequence[Mapping[str, Any]] | None = None
    missing: Sequence[str] | None = None
    cycle: int | None = None
    waves: int | None = None
    crawl_reason: str | None = None
    crawl_started_at: datetime | None = None
    stop_reason: str | None = None
    error: str | None = None

    def apply(self, row: QuestionRow) -> None:
        """Set the columns of a locked question."""
        for column in fields(self):
            if (value := getattr(self, column.name)) is not None:
                setattr(row, column.name, value)


@dataclass(frozen=True, kw_only=True)
class Move:
    """The result of a step: the question's next status, and what to store with it."""

    to: Status
    outcome: str  #: one word for the trace
    detail: StepDetail | None = None
    answer: Answer | None = None  #: stored as the next revision
    verdict: Verdict | None = None
    context: Sequence[ContextHit] = ()
    changes: Changes = field(default_factory=Changes)


def find(session: Session, question_id: str) -> Question:
    """Read one question; raises :class:`UnknownQuestion`."""
    return to_question(_known(session.get(QuestionRow, question_id), question_id))


def lock(session: Session, question_id: str) -> QuestionRow | None:
    """The row, locked against every other writer until the session ends."""
    return session.scalar(select(QuestionRow).where(QuestionRow.id == question_id).with_for_update())


def record(
    session: Session, lease: leases.Lease, move: Move, *, step: str, started_at: datetime, now: datetime
) -> bool:
    """Record a step if the lease still holds the question; False (and nothing changed) when it does not."""
    row = session.scalar(select(QuestionRow).where(leases.holds(lease)).with_for_update())
    if row is None or Status(row.status).is_final:
        return False
    record_locked(session, row, move, step=step, started_at=started_at, now=now)
    return True


def record_locked(
    session: Session, row: QuestionRow, move: Move, *, step: str, started_at: datetime, now: datetime
) -> None:
    """Add a step to the trace of a locked question, store what it found, and move the question on."""
    session.add(
        StepRow(
            question_id=row.id,
            name=step,
            cycle=row.cycle,
            attempt=row.attempts,
            outcome=move.outcome,
            started_at=started_at,
            finished_at=now,
            detail=to_json(move.detail),
        )
    )
    move.changes.apply(row)
    if move.answer is not None:
        answer = answers.add(
            session, row.id, move.answer, verdict=move.verdict, context=move.context, final=move.to.is_final, now=now
        )
        answers.copy_to(session, answer, [follower.id for follower in shared_runs.followers(session, row.id)], now)
    advance(session, row, move.to, now)


def advance(session: Session, row: QuestionRow, to: Status, now: datetime) -> None:
    """Put a locked question into its next status, free for that status's task.

    At the end the caller is owed a webhook, and those who share the run end with it or go on without it.
    """
    _put(row, to, now)
    if to.is_final:
        _owe_webhook(session, row, now)
        watches.record_changes(session, [row], now)
        if row.leader_id is None:
            _end_flight(session, row, now)


def _put(row: QuestionRow, to: Status, now: datetime) -> None:
    row.status, row.updated_at, row.due_at = to, now, now
    row.attempts, row.lease_by, row.lease_until = 0, None, None
    row.finished_at = now if to.is_final else None


def _owe_webhook(session: Session, row: QuestionRow, now: datetime) -> None:
    """Owe the caller its delivery; one that was asked again tells of changes alone (:mod:`store.questions.watches`)."""
    if row.callback_url and row.round == 0:
        webhooks.add(session, row, url=row.callback_url, event=f"question.{row.status.lower()}", now=now)


def _end_flight(session: Session, leader: QuestionRow, now: datetime) -> None:
    """End the followers with the leader's answer; where there is none, the next of them leads."""
    to = Status(leader.status)
    if to in (Status.ANSWERED, Status.ABSTAINED):
        landed = shared_runs.followers(session, leader.id)
        for follower in landed:
            shared_runs.copy_result(session, follower, leader, now)
            _put(follower, to, now)
            _owe_webhook(session, follower, now)
        watches.record_changes(session, landed, now)
    elif heir := shared_runs.promote(session, leader.id):
        advance(session, heir, Status.ASKED, now)


def cancel(session: Session, question_id: str, now: datetime) -> Question:
    """Stop a question that is not final yet; a final one stays as it is."""
    row = _known(lock(session, question_id), question_id)
    if not Status(row.status).is_final:
        advance(session, row, Status.CANCELLED, now)
    return to_question(row)


def replay(session: Session, question_id: str, now: datetime, *, deadline_s: float = 900.0) -> Question:
    """Start a failed, timed-out or cancelled question again from its first step."""
    row = _known(lock(session, question_id), question_id)
    if Status(row.status) in (Status.FAILED, Status.TIMED_OUT, Status.CANCELLED):
        _start_again(session, row, now, deadline_s)
    return to_question(row)


def ask_again(session: Session, row: QuestionRow, now: datetime, *, deadline_s: float = 900.0) -> None:
    """Start a locked question again that has an answer, because its evidence changed: under its id, a new round."""
    row.round = (row.round or 0) + 1
    _start_again(session, row, now, deadline_s)


def _start_again(session: Session, row: QuestionRow, now: datetime, deadline_s: float) -> None:
    """Begin anew with a whole budget: what was found and spent before this moment counts no longer."""
    session.execute(delete(CandidateRow).where(CandidateRow.question_id == row.id))
    row.asked_again_at, row.crawl_reason = now, None
    row.error, row.finished_at, row.cycle, row.waves, row.crawl_started_at = None, None, 0, 0, None
    row.stop_reason, row.deadline = None, now + timedelta(seconds=deadline_s)
    row.leader_id, row.cached_from = None, None
    advance(session, row, Status.ASKED, now)


def dead(session: Session, limit: int = 100) -> list[QuestionRow]:
    """The questions a step of which failed too often, latest first."""
    query = select(QuestionRow).where(QuestionRow.status == Status.FAILED)
    return list(session.scalars(query.order_by(QuestionRow.updated_at.desc()).limit(limit)))


def waiting() -> list[Status]:
    """The statuses in which a question still moves."""
    return [status for status in Status if status not in FINAL]


def to_question(row: QuestionRow) -> Question:
    """The row as a plain value."""
    return Question(
        id=row.id,
        text=row.text,
        status=Status(row.status),
        created_at=row.created_at,
        deadline=row.deadline,
        lang=row.lang,
        strategy=row.strategy,
        sites=tuple(row.sites),
        langs=tuple(row.langs),
        crawl_enabled=row.crawl_enabled,
        max_age_s=row.max_age_s,
        budget=Budget(**row.budget),
        priority=row.priority,
        queries=tuple(row.queries or ()),
        variants=tuple(Variant(**variant) for variant in row.variants or ()),
        missing=tuple(row.missing or ()),
        cycle=row.cycle or 0,
        waves=row.waves or 0,
        crawl_reason=row.crawl_reason or "",
        crawl_started_at=row.crawl_started_at,
        callback_url=row.callback_url or "",
    )


def _known(row: QuestionRow | None, question_id: str) -> QuestionRow:
    if row is None:
        raise UnknownQuestion(
            f"There is no question {question_id!r}: check the id, `wellread status` lists the latest."
        )
    return row
