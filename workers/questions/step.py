"""Runs one step of a question: claim the row, hold its lease while working, record the result or the failure."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from sqlalchemy import select
from sqlalchemy.orm import Session

from domain import Cost, EventKind, Question, Status
from domain.errors import WellreadError
from domain.flow import STEPS
from domain.outcome import outcome_at_end
from pipeline.documents.rerank import RerankerNotInstalled
from store.crawl import candidates
from store.embedders import EmbedderNotInstalled, EmbeddingRefused, UnknownEmbedder
from store.passages.errors import EmbedderMismatch, PassagesLost
from store.questions import shared_runs, state, trace, watches, webhooks
from store.questions.state import Changes, Move
from store.questions.trace import for_asker, to_json
from store.sql import leases
from store.sql.leases import Lease
from store.sql.tables import QuestionRow
from workers import monitoring
from workers.questions.transitions import when_overdue
from workers.services import Services
from workers.services.interruptions import AGAIN_AFTER_S, OUTAGES, limited, raise_in, recorded

log = structlog.get_logger()

#: seconds of processor time that a step may take; it takes one or two
MOST_WORK_S = 40.0


class StepTooLong(WellreadError):
    """A step took more processor time than any question needs; it would take it again."""

    def __init__(self) -> None:
        super().__init__(
            f"it took more than {MOST_WORK_S:g} s of processor time: one of the pages it found is perhaps made to do "
            "so. Exclude its site, or ask in other words"
        )


#: errors that only the operator can fix: the message says how
OPERATOR_ERRORS = (
    EmbedderMismatch,
    PassagesLost,
    UnknownEmbedder,
    EmbedderNotInstalled,
    RerankerNotInstalled,
    EmbeddingRefused,
    StepTooLong,
)

#: the step that works on a question in each open status, as the trace names it
_STEPS = {status: task.step for status, task in STEPS.items()} | {Status.FOLLOWING: "follow"}


@dataclass(frozen=True, kw_only=True)
class Work:
    """A question's step that this process has claimed."""

    question: Question
    lease: Lease
    step: str
    started_at: datetime


@contextmanager
def step(services: Services, question_id: str, status: Status) -> Iterator[Work | None]:
    """Claim a status's step; None when another one is due. A failure in the block is recorded, not raised."""
    work = _claim(services, question_id, status)
    if work is None:
        yield None
        return
    with structlog.contextvars.bound_contextvars(question=question_id, step=work.step):
        try:
            with services.leases.holding(work.lease), within_work_s(MOST_WORK_S):
                yield work
        except (Exception, SoftTimeLimitExceeded) as error:  # the row remembers what failed; the sweep tries again
            log.exception("step_failed")
            _record_failure(services, work, error)


@contextmanager
def within_work_s(most_s: float) -> Iterator[None]:
    """Raise StepTooLong in the block once this thread has worked so long, where the system counts a thread's time."""
    if not hasattr(time, "pthread_getcpuclockid"):
        yield
        return
    thread = threading.get_ident()
    worked_s = partial(time.clock_gettime, time.pthread_getcpuclockid(thread))
    with limited(partial(raise_in, thread, StepTooLong), most_s, worked_s):
        yield


def finish(services: Services, work: Work, move: Move) -> bool:
    """Record a step's result, then publish it and send the next task; False when another process was faster."""
    now = services.now()

    def record() -> bool:
        return services.write(state.record, work.lease, move, step=work.step, started_at=work.started_at, now=now)

    if not recorded(record):
        return False
    monitoring.report_move(move)
    notify_moved(services, work.question, move)
    return True


def spend_cost(services: Services, question: Question, cost: Cost | None) -> None:
    """Count what a step's requests to a model cost for the key that asked."""
    if cost is not None:
        services.spend(question.owner, tokens=cost.input_tokens + cost.output_tokens, usd=cost.usd)


def notify_moved(services: Services, question: Question, move: Move) -> None:
    """Publish a question's new status, and send the task that it waits for."""
    spend_cost(services, question, getattr(move.detail, "cost", None))
    services.dispatcher.send_for(
        question.id, move.to, priority=question.priority, words=question.text, owner=question.owner
    )
    if move.answer is not None and not move.to.is_final:
        missing = list(move.verdict.missing) if move.verdict else []
        provisional = {"answer": move.answer.text, "missing": missing, "status": move.to}
        services.events.publish(question.id, EventKind.PROVISIONAL, provisional)
    if not move.to.is_final:
        said = {"status": move.to, "outcome": move.outcome, **for_asker(to_json(move.detail))}
        services.events.publish(question.id, EventKind.STATUS, said)
    else:  # whoever waits reads the record
        outcome = outcome_at_end(move.to, sufficient=move.verdict is None or move.verdict.sufficient)
        services.events.publish(question.id, EventKind.FINAL, {"status": move.to, "outcome": outcome})
        notify_ended(services, question.id)


def notify_ended(services: Services, question_id: str) -> None:
    """Send the webhooks of a question that ended, publish which answers changed, and start a follower as leader."""
    with services.database.read() as session:
        pending = webhooks.pending(session, question_id)
        changed = watches.just_changed(session, question_id)
        heir = shared_runs.next_leader(session, question_id)
    services.dispatcher.send_all("wellread.notify", pending)
    for changed_id in changed:
        services.events.publish(changed_id, EventKind.CHANGED, {"question": changed_id})
    if heir is not None:
        heir_id, priority, owner = heir
        services.dispatcher.send_for(heir_id, Status.ASKED, priority=priority, owner=owner)
        services.events.publish(heir_id, EventKind.STATUS, {"status": Status.ASKED})


def end_overdue(session: Session, row: QuestionRow, now: datetime) -> Move | None:
    """End a locked question that has no time or no attempts left with the best answer it has; None for any other.

    The end is recorded as the step that the question waited for.
    """
    move = when_overdue(deadline=row.deadline, attempts=row.attempts, error=row.error, now=now)
    if move is not None:
        state.record_locked(session, row, move, step=_STEPS[Status(row.status)], started_at=now, now=now)
    return move


def _claim(services: Services, question_id: str, status: Status) -> Work | None:
    now = services.now()
    with services.database.claim() as session:
        lease = leases.claim(session, QuestionRow, question_id, QuestionRow.status == status, now)
        if lease is None:
            monitoring.report_not_due()
            return None
        row = session.get_one(QuestionRow, question_id, populate_existing=True)
        question = state.to_question(row)
        goes_on = row.deadline >= now and row.attempts <= leases.MAX_ATTEMPTS
    if goes_on:
        question = _within_quota(services, question)
        return Work(question=question, lease=lease, step=_STEPS[status], started_at=now)
    with services.database.write() as session:  # synced, as every end is
        held = session.scalar(select(QuestionRow).where(leases.holds(lease)).with_for_update())
        end = end_overdue(session, held, now) if held is not None else None
    if end is not None:
        monitoring.report_move(end)
        notify_moved(services, question, end)
    return None


def _within_quota(services: Services, question: Question) -> Question:
    """Return a question whose budget is what it has used and what its key has left, where that is less."""
    left = services.left_of(question.owner)
    if not left:
        return question
    with services.database.read() as session:
        pages = candidates.used_so_far(session, question.id, services.now()).pages
        cost = trace.spent(session, question.id)
    used = {"pages": pages, "tokens": cost.input_tokens + cost.output_tokens, "usd": cost.usd}
    budget = question.budget
    least = {name: min(getattr(budget, name), used[name] + rest) for name, rest in left.items()}
    whole = {name: amount if name == "usd" else int(amount) for name, amount in least.items()}
    return replace(question, budget=replace(budget, **whole))


def _record_failure(services: Services, work: Work, error: BaseException) -> None:
    """Release the step for a later retry; an error that only the operator can fix ends the question at once."""
    said = _message(error)
    text = f"{work.step}: {said}"
    monitoring.report(f"failed: {said}")
    monitoring.fail(error)
    if isinstance(error, OPERATOR_ERRORS):
        finish(services, work, Move(to=Status.FAILED, outcome="set-up", changes=Changes(error=text)))
        return

    def release() -> None:
        now = services.now()
        with services.database.write() as session:
            if isinstance(error, OUTAGES):
                leases.defer(session, work.lease, now + timedelta(seconds=AGAIN_AFTER_S))
                return
            row = session.get_one(QuestionRow, work.question.id)
            due_at = now + timedelta(seconds=leases.backoff_s(row.attempts))
            leases.retry_later(session, work.lease, due_at, text)

    recorded(release)


def _message(error: BaseException) -> str:
    """Return a failure as the row stores it; our own errors say all that is needed."""
    if isinstance(error, SoftTimeLimitExceeded):
        return "it took longer than 100 s"
    return str(error) if isinstance(error, WellreadError) else f"{type(error).__name__}: {error}"
