"""Find questions in SQL, move them from step to step, cancel and restart them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Row, delete, select
from sqlalchemy.orm import Session

from domain import FINAL, Answer, Budget, Question, Status, Variant, Verdict
from domain.errors import WellreadError
from domain.flow import COMPLETED, STEPS
from domain.options import Overrides
from domain.outcome import outcome_at_end
from domain.record import ContextHit
from store.questions import answers, batched_requests, shared_runs, trace, watches, webhooks
from store.questions.trace import StepDetail, to_json
from store.sql import leases
from store.sql.rows import to_value
from store.sql.tables import BatchedRequestRow, CandidateRow, QuestionRow

#: the fingerprint of what was refused and never asked: its id may be used again
REFUSED: Final = "refused"
#: the statuses that are not final
OPEN: Final = (*STEPS, Status.FOLLOWING)
#: the ends of a question whose step was stopped: it may be replayed
STOPPED = FINAL - COMPLETED


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
    draft: Mapping[str, Any] | None = None

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
    """Return one question; raise :class:`UnknownQuestion` if there is none."""
    return to_question(get(session, question_id))


def get(session: Session, question_id: str) -> QuestionRow:
    """Return one question's row; raise :class:`UnknownQuestion` if there is none."""
    return _known(session.get(QuestionRow, question_id), question_id)


def check_owner(session: Session, question_id: str, owner: str | None) -> None:
    """Raise :class:`UnknownQuestion` unless the question is there and was asked with this owner's key."""
    if not is_owned(session, question_id, owner):
        raise unknown(question_id)


def is_owned(session: Session, question_id: str, owner: str | None) -> bool:
    """Return whether the question is there and was asked with this owner's key."""
    row = session.get(QuestionRow, question_id)
    return row is not None and row.owner == owner


def lock(session: Session, question_id: str) -> QuestionRow | None:
    """Return the row, locked against every other writer until the session ends."""
    return session.scalar(select(QuestionRow).where(QuestionRow.id == question_id).with_for_update())


def record(
    session: Session, lease: leases.Lease, move: Move, *, step: str, started_at: datetime, now: datetime
) -> bool:
    """Record a step if the lease still holds the question; else change nothing and return False."""
    row = _held(session, lease)
    if row is None:
        return False
    record_locked(session, row, move, step=step, started_at=started_at, now=now)
    return True


def record_locked(
    session: Session, row: QuestionRow, move: Move, *, step: str, started_at: datetime, now: datetime
) -> None:
    """Add a step to the trace of a locked question, store its result, and set the next status."""
    at: dict[str, Any] = {"started_at": started_at, "now": now, "attempt": row.attempts}
    with session.no_autoflush:  # the row is written once
        trace.add(session, row, step, outcome=move.outcome, detail=to_json(move.detail), **at)
        if move.answer is not None:
            about = {"verdict": move.verdict, "context": move.context, "final": move.to.is_final}
            _add_answer(session, row, move.answer, now=now, **about)
        move.changes.apply(row)
        advance(session, row, move.to, now)


def save_provisional(
    session: Session,
    lease: leases.Lease,
    answer: Answer,
    *,
    verdict: Verdict,
    context: Sequence[ContextHit],
    now: datetime,
) -> bool:
    """Save an answer before its step ends, if the lease still holds the question; else return False."""
    row = _held(session, lease)
    if row is not None:
        _add_answer(session, row, answer, verdict=verdict, context=context, final=False, now=now)
    return row is not None


def _held(session: Session, lease: leases.Lease) -> QuestionRow | None:
    """Return the lease's question, locked, if it still holds it and the question has not ended."""
    row = session.scalar(select(QuestionRow).where(leases.holds(lease)).with_for_update())
    return None if row is None or Status(row.status).is_final else row


def _add_answer(session: Session, row: QuestionRow, answer: Answer, *, now: datetime, **about: Any) -> None:
    """Save an answer as the next revision of a locked question and of its followers."""
    saved = answers.add(session, row.id, answer, now=now, **about)
    answers.copy_to(session, saved.id, [follower.id for follower in shared_runs.followers(session, row.id)], now)


def advance(session: Session, row: QuestionRow, to: Status, now: datetime) -> None:
    """Give a locked question its next status and release it for that status's task.

    A final status adds a webhook, and no model is asked any more; the followers end too, or continue without it.
    """
    if row.status == Status.WRITING:
        batched_requests.forget(session, BatchedRequestRow.question_id == row.id, is_paid=to not in STOPPED)
    _set_status(row, to, now)
    set_outcome(session, row)
    if to.is_final:
        row.draft = None
        _add_webhook(session, row, now)
        watches.record_changes(session, [row], now)
        if row.leader_id is None:
            _end_followers(session, row, now)


def _set_status(row: QuestionRow, to: Status, now: datetime) -> None:
    row.status, row.updated_at, row.due_at = to, now, now
    row.attempts, row.lease_by, row.lease_until = 0, None, None
    row.finished_at = now if to.is_final else None


def set_outcome(session: Session, row: QuestionRow) -> None:
    """Say what a question came to, by its status and its latest answer; nothing while it is open."""
    answer = answers.last(session, row.id) if row.status == Status.ANSWERED else None
    sufficient = answer.verdict.get("sufficient", True) if answer else True
    row.outcome = outcome_at_end(Status(row.status), sufficient=sufficient)
    row.confidence = answer.confidence if answer else None


def _add_webhook(session: Session, row: QuestionRow, now: datetime) -> None:
    """Add the delivery to the caller; a question asked again only reports changes (:mod:`store.questions.watches`)."""
    if row.round == 0:
        webhooks.add(session, row, f"question.{row.status.lower()}", now)


def _end_followers(session: Session, leader: QuestionRow, now: datetime) -> None:
    """End the followers with the leader's answer; without an answer, one of them becomes the leader."""
    if leader.status in COMPLETED:
        followers = shared_runs.followers(session, leader.id)
        for follower in followers:
            shared_runs.copy_result(session, follower, leader, now)
        end_as(session, followers, leader, now)
    elif heir := shared_runs.promote(session, leader.id):
        advance(session, heir, Status.ASKED, now)


def end_as(session: Session, rows: Sequence[QuestionRow], other: QuestionRow | Row[Any], now: datetime) -> None:
    """End locked questions as another one did, whose answer they have got."""
    for row in rows:
        _set_status(row, Status(other.status), now)
        row.outcome, row.confidence = other.outcome, other.confidence
        _add_webhook(session, row, now)
    if rows:
        watches.record_changes(session, rows, now)


def cancel(session: Session, question_id: str, now: datetime) -> Question:
    """Cancel a question that is not final yet; a final one does not change."""
    row = _known(lock(session, question_id), question_id)
    if not Status(row.status).is_final:
        advance(session, row, Status.CANCELLED, now)
    return to_question(row)


def replay(session: Session, question_id: str, now: datetime) -> Question:
    """Start a failed, timed-out or cancelled question again from its first step."""
    row = _known(lock(session, question_id), question_id)
    was_asked = row.fingerprint != REFUSED
    if was_asked and Status(row.status) in STOPPED:
        _start_again(session, row, now)
    return to_question(row)


def ask_again(session: Session, row: QuestionRow, now: datetime) -> None:
    """Start a new round of a locked, answered question because its evidence changed; the id stays."""
    row.round = (row.round or 0) + 1
    _start_again(session, row, now)


def _start_again(session: Session, row: QuestionRow, now: datetime) -> None:
    """Start again with the whole time and budget: earlier candidates are deleted, earlier costs do not count."""
    row.deadline = now + (row.deadline - (row.asked_again_at or row.created_at))
    session.execute(delete(CandidateRow).where(CandidateRow.question_id == row.id))
    row.asked_again_at, row.crawl_reason = now, None
    row.error, row.finished_at, row.cycle, row.waves, row.crawl_started_at = None, None, 0, 0, None
    row.stop_reason, row.leader_id, row.cached_from = None, None, None
    advance(session, row, Status.ASKED, now)


def dead(session: Session, limit: int = 100) -> list[QuestionRow]:
    """Return the questions of which a step failed too often, latest first."""
    query = select(QuestionRow).where(QuestionRow.status == Status.FAILED)
    return list(session.scalars(query.order_by(QuestionRow.updated_at.desc()).limit(limit)))


def to_question(row: QuestionRow) -> Question:
    """Return the row as a plain value."""
    return to_value(
        Question,
        row,
        status=Status(row.status),
        asked=row.asked or "",
        thread_id=row.thread_id or "",
        sites=tuple(row.sites),
        langs=tuple(row.langs),
        budget=Budget(**row.budget),
        overrides=Overrides.model_validate(row.overrides),
        queries=tuple(row.queries),
        variants=tuple(Variant(**variant) for variant in row.variants),
        missing=tuple(row.missing),
        crawl_reason=row.crawl_reason or "",
        callback_url=row.callback_url or "",
        draft=row.draft or {},
    )


def unknown(question_id: str) -> UnknownQuestion:
    """Return the error for a question that is not there."""
    return UnknownQuestion(f"There is no question {question_id!r}: check the id, `wellread status` lists the latest.")


def _known(row: QuestionRow | None, question_id: str) -> QuestionRow:
    if row is None:
        raise unknown(question_id)
    return row
