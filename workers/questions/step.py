"""The frame around every piece of work: claim the row, keep it while working, record the outcome or the failure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from sqlalchemy import ColumnElement

from domain import EventKind, Question, Status
from domain.errors import WellreadError
from store.embedders.errors import EmbedderNotInstalled, EmbeddingRefused, UnknownEmbedder
from store.passages.errors import EmbedderMismatch
from store.questions import shared_runs, state, watches, webhooks
from store.questions.state import Move
from store.sql import leases
from store.sql.leases import Lease
from store.sql.tables import QuestionRow

if TYPE_CHECKING:
    from workers.services import Services

log = structlog.get_logger()

#: what no repetition mends, only the operator: the message says how
OPERATORS = (EmbedderMismatch, UnknownEmbedder, EmbedderNotInstalled, EmbeddingRefused)


@dataclass(frozen=True, kw_only=True)
class Work:
    """A question's step that this process has claimed."""

    question: Question
    lease: Lease
    step: str
    started_at: datetime


@contextmanager
def step(services: Services, question_id: str, status: Status, name: str) -> Iterator[Work | None]:
    """Claim a question's step; None when it does not wait for it. A failure in the block is recorded, not raised."""
    work = _claim(services, question_id, status, name)
    if work is None:
        yield None
        return
    with structlog.contextvars.bound_contextvars(question=question_id, step=name):
        try:
            with services.leases.holding(work.lease):
                yield work
        except (Exception, SoftTimeLimitExceeded) as error:  # the row remembers what failed; the sweep tries again
            log.exception("step_failed")
            _record_failure(services, work, error)


def finish(services: Services, work: Work, move: Move) -> bool:
    """Record what a step found, tell who listens, and ring for the next one; False when another process was faster."""
    now = services.now()
    with services.database.write() as session:
        if not state.record(session, work.lease, move, step=work.step, started_at=work.started_at, now=now):
            return False
    announce(services, work.question, move)
    return True


def announce(services: Services, question: Question, move: Move) -> None:
    """Publish where a question went and ring for what it waits for now."""
    services.dispatcher.send_for(question.id, move.to, priority=question.priority)
    if move.answer is not None and not move.to.is_final:
        missing = list(move.verdict.missing) if move.verdict else []
        services.events.publish(question.id, EventKind.PROVISIONAL, {"answer": move.answer.text, "missing": missing})
    kind = EventKind.FINAL if move.to.is_final else EventKind.STATUS
    services.events.publish(question.id, kind, {"status": move.to, "outcome": move.outcome, **move.detail})
    if move.to.is_final:
        tell_of_end(services, question.id)


def tell_of_end(services: Services, question_id: str) -> None:
    """Ring and publish what the end of a question brings about: deliveries, answers that changed, a new leader."""
    with services.database.read() as session:
        owed = webhooks.pending(session, question_id)
        changed = watches.just_changed(session, question_id)
        heirs = shared_runs.next_leaders(session, question_id)
    for webhook_id in owed:
        services.dispatcher.send("wellread.notify", webhook_id)
    for each in changed:
        services.events.publish(each, EventKind.CHANGED, {"question": each})
    for each in heirs:
        services.dispatcher.send_for(each, Status.ASKED)
        services.events.publish(each, EventKind.STATUS, {"status": Status.ASKED})


def _claim(services: Services, question_id: str, status: Status, name: str) -> Work | None:
    now = services.now()
    waits: ColumnElement[bool] = QuestionRow.status == status
    with services.database.write() as session:
        lease = leases.claim(session, QuestionRow, question_id, waits, now)
        if lease is None:
            return None
        row = session.get_one(QuestionRow, question_id, populate_existing=True)
        question = state.to_question(row)
        end = _ended(row, now)
        if end is not None:
            state.record(session, lease, end, step=name, started_at=now, now=now)
    if end is not None:
        announce(services, question, end)
        return None
    return Work(question=question, lease=lease, step=name, started_at=now)


def _ended(row: QuestionRow, now: datetime) -> Move | None:
    """How a question ends that has no time or no attempts left."""
    if row.deadline < now:
        return Move(to=Status.TIMED_OUT, outcome="deadline", changes={"stop_reason": "the question's deadline passed"})
    if row.attempts > leases.MAX_ATTEMPTS:
        error = row.error or "its process died each time"
        return Move(
            to=Status.FAILED,
            outcome="attempts",
            changes={"error": f"Given up after {leases.MAX_ATTEMPTS} attempts: {error}"},
        )
    return None


def _record_failure(services: Services, work: Work, error: BaseException) -> None:
    """Release the step, to be tried again later; what only the operator can mend ends the question at once."""
    now, said = services.now(), f"{work.step}: {_said(error)}"
    if isinstance(error, OPERATORS):
        finish(services, work, Move(to=Status.FAILED, outcome="set-up", changes={"error": said}))
        return
    with services.database.write() as session:
        row = session.get_one(QuestionRow, work.question.id)
        due_at = now + timedelta(seconds=leases.backoff_s(row.attempts))
        leases.retry_later(session, work.lease, due_at, said)


def _said(error: BaseException) -> str:
    """What the row remembers of a failure: our own errors speak for themselves."""
    if isinstance(error, SoftTimeLimitExceeded):
        return "it took longer than 100 s"
    return str(error) if isinstance(error, WellreadError) else f"{type(error).__name__}: {error}"
