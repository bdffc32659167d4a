"""Rings again for work that is due and that nobody does; ends what has run out of time.

Never more calls than the queue has room for: a sweep that does not look at the queue's length floods it while
workers are away.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, cast

import structlog
from sqlalchemy import select

from domain import Status
from store.crawl import candidates
from store.crawl.candidates import CandidateStatus
from store.questions import shared_runs, state
from store.questions.state import Move
from store.sql import leases
from store.sql.tables import CandidateRow, IndexState, PageRow, QuestionRow, WebhookRow, WebhookStatus
from workers.crawl import sites
from workers.questions import watches
from workers.questions.crawl_budget import out_of_time
from workers.questions.crawl_progress import status_after_reading
from workers.questions.step import announce
from workers.queues import PRIORITY_STEPS, QUEUES, TASK_OF

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from workers.services import Services

log = structlog.get_logger()

#: the most calls of one kind that may wait in a queue
MOST_WAITING = 200
#: a row is left alone this long after it fell due: its own call is probably under way
GRACE_S = 2.0


def sweep(services: Services) -> None:
    """Look over everything that is open, once."""
    now = services.now()
    _end_overdue(services, now)
    _lead_stranded(services, now)
    _move_on(services, now)
    watches.ask_again(services)
    sites.resume_stalled(services)
    late = now - timedelta(seconds=GRACE_S)
    for status, task in TASK_OF.items():
        _ring(services, task, QuestionRow, QuestionRow.status == status, late)
    _ring(services, "wellread.read", CandidateRow, CandidateRow.status == CandidateStatus.WAITING, late)
    _ring(services, "wellread.embed", PageRow, PageRow.state == IndexState.FETCHED, late)
    _ring(services, "wellread.notify", WebhookRow, WebhookRow.status == WebhookStatus.WAITING, late)


def calls(due: int, waiting: int) -> int:
    """Return how many calls to send for ``due`` rows when ``waiting`` calls stand in the queue: min(due, 200) −
    waiting.
    """
    return max(0, min(due, MOST_WAITING) - waiting)


def queue_length(services: Services, queue: str) -> int:
    """The calls that stand in a queue, over all its priorities."""
    names = [queue if step == 0 else f"{queue}\x06\x16{step}" for step in PRIORITY_STEPS]
    with services.redis.pipeline(transaction=False) as pipe:
        for name in names:
            pipe.llen(name)
        return sum(pipe.execute())


def _ring(services: Services, task: str, row: leases.LeasedRow, waits: ColumnElement[bool], late: datetime) -> None:
    with services.database.read() as session:
        due = list(
            session.scalars(
                select(row.id).where(waits, leases.is_free(row, late)).order_by(row.due_at).limit(MOST_WAITING)
            )
        )
    if not due:
        return
    room = calls(len(due), queue_length(services, QUEUES[task]))
    for row_id in due[:room]:
        services.dispatcher.send(task, cast("str | int", row_id))
    log.info("swept", task=task, due=len(due), rung=min(room, len(due)))


def _end_overdue(services: Services, now: datetime) -> None:
    """Questions whose deadline passed end with the best answer they have."""
    overdue = select(QuestionRow.id).where(QuestionRow.status.in_(state.waiting()), QuestionRow.deadline < now)
    with services.database.read() as session:
        ids = list(session.scalars(overdue.limit(MOST_WAITING)))
    for question_id in ids:
        move = Move(to=Status.TIMED_OUT, outcome="deadline")
        with services.database.write() as session:
            row = state.lock(session, question_id)
            if row is None or Status(row.status).is_final:
                continue
            row.stop_reason = "the question's deadline passed"
            state.advance(session, row, Status.TIMED_OUT, now)
            question = state.to_question(row)
        announce(services, question, move)


def _lead_stranded(services: Services, now: datetime) -> None:
    """Followers whose leader does not move any more go on by themselves."""
    with services.database.read() as session:
        ids = shared_runs.orphans(session)
    for question_id in ids[:MOST_WAITING]:
        with services.database.write() as session:
            row = state.lock(session, question_id)
            if row is None or row.status != Status.FOLLOWING or question_id not in shared_runs.orphans(session):
                continue
            row.leader_id = None
            state.advance(session, row, Status.ASKED, now)
            question = state.to_question(row)
        announce(services, question, Move(to=Status.ASKED, outcome="swept"))


def _move_on(services: Services, now: datetime) -> None:
    """Questions that read or are embedded although nothing is left to wait for go on; a wave out of time is ended."""
    stuck = select(QuestionRow.id).where(QuestionRow.status.in_((Status.READING, Status.EMBEDDING)))
    with services.database.read() as session:
        ids = _due_to_look(session, list(session.scalars(stuck)), now)
    for question_id in ids:
        moved: Status | None = None
        with services.database.write() as session:
            row = state.lock(session, question_id)
            if row is None or row.status not in (Status.READING, Status.EMBEDDING):
                continue
            question = state.to_question(row)
            if stop := out_of_time(question, now):
                candidates.abandon(session, question_id, stop, now)
            moved = status_after_reading(session, question_id)
            if moved is None or moved == row.status:
                continue
            state.advance(session, row, moved, now)
        announce(services, question, Move(to=moved, outcome="swept"))


def _due_to_look(session: Session, ids: Sequence[str], now: datetime) -> list[str]:
    """Those of the questions that could go on: nothing unsettled, or out of time."""
    due = []
    for question_id in ids:
        question = state.find(session, question_id)
        onward = status_after_reading(session, question_id)
        if out_of_time(question, now) or (onward is not None and onward != question.status):
            due.append(question_id)
    return due
