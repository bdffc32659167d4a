"""Sends the task again for each due row that no worker holds; ends questions that are out of time.

It sends no more messages than a queue has room for: otherwise it would flood the queue while workers are away.
"""

from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, cast

import structlog
from redis import RedisError
from sqlalchemy import ColumnElement, func, null, select
from sqlalchemy.orm import Session

from domain import Status
from domain.flow import TASKS
from store import activity, collections, keys
from store.crawl import candidates
from store.questions import shared_runs, state
from store.questions.state import Move
from store.sql import leases
from store.sql.tables import CandidateRow, PageRow, QuestionRow, WebhookRow
from workers.crawl import sites
from workers.priorities import PRIORITY_STEPS, places, queue_length, take_over
from workers.questions import watches
from workers.questions.conditions import move_on, out_of_time, statuses_after_reading
from workers.questions.step import end_overdue, notify_moved
from workers.services import Services

log = structlog.get_logger()

#: the most messages of one task that may wait in a queue
MOST_WAITING = 200
#: a row that fell due this recently is left alone: its own message is probably on its way
GRACE_S = 2.0


def sweep(services: Services) -> None:
    """Check all open work once."""
    now = services.now()
    _end_overdue(services, now)
    _promote_orphans(services, now)
    _move_on(services, now)
    watches.ask_again(services)
    sites.resume_stalled(services)
    if services.collection.is_default:
        weigh_all(services)
    late = now - timedelta(seconds=GRACE_S)
    for task, (row, waits) in activity.WAITING.items():
        _send_due(services, task, row, waits, late)
    if services.collection.is_default and (
        moved := take_over(services.redis, "wellread.ask", TASKS["wellread.ask"].queue, PRIORITY_STEPS)
    ):
        log.info("questions_taken_over", messages=moved)


def weigh_all(services: Services) -> None:
    """Have workers shared by the weights of keys and collections; where Redis is away, the next sweep does it."""
    with services.database.read() as session:
        weights = {key.owner: key.limits["weight"] for key in keys.list_all(session) if "weight" in key.limits}
        weights |= {f"collection:{each.name}": each.weight for each in collections.list_all(session)}
    with suppress(RedisError):
        services.shares.set_weights(weights)


def messages_to_send(due: int, waiting: int) -> int:
    """Return how many messages to send for ``due`` rows when ``waiting`` are in the queue: min(due, 200) − waiting."""
    return max(0, min(due, MOST_WAITING) - waiting)


def _send_due(services: Services, task: str, row: leases.LeasedRow, waits: ColumnElement[bool], late: datetime) -> None:
    """Send the task again for due rows; of questions those with the highest priority first, of all the oldest."""
    priority = _priority_of(row)
    query = (
        select(row.id, priority, _question_of(row), _owner_of(row))
        .where(waits, leases.is_free(row, late))
        .limit(MOST_WAITING)
    )
    order = (QuestionRow.priority.desc(), row.due_at) if row is QuestionRow else (row.due_at,)
    with services.database.read() as session:
        due = session.execute(query.order_by(*order)).all()
    if not due:
        return
    room = messages_to_send(len(due), queue_length(services.redis, TASKS[task].queue, places(task)))
    for at, (row_id, urgency, question_id, owner) in enumerate(due):
        about = {"priority": urgency, "question_id": question_id or "", "owner": owner}
        if at < room:
            services.dispatcher.send(task, cast("str | int", row_id), **about)
        else:  # there are messages enough: one of them is about it when its turn has come
            services.dispatcher.stand(task, cast("str | int", row_id), priority=urgency, owner=owner)
    log.info("swept", task=task, due=len(due), sent=min(room, len(due)))


def _priority_of(row: leases.LeasedRow) -> ColumnElement[Any]:
    """Return the priority of the question that waits for a row; NULL where none does."""
    if row is QuestionRow:
        return QuestionRow.priority.expression
    of_questions = select(func.max(QuestionRow.priority))
    if row is CandidateRow:
        return of_questions.where(QuestionRow.id == CandidateRow.question_id).scalar_subquery()
    if row is PageRow:
        waits = (QuestionRow.id == CandidateRow.question_id) & QuestionRow.status.in_(state.OPEN)
        return of_questions.where(waits, CandidateRow.page_id == PageRow.id).scalar_subquery()
    return null()


def _question_of(row: leases.LeasedRow) -> ColumnElement[Any]:
    """Return the question that a row belongs to; NULL where it may be of several, or of none."""
    if row is QuestionRow:
        return QuestionRow.id.expression
    if row is CandidateRow or row is WebhookRow:
        return row.question_id.expression
    return null()


def _owner_of(row: leases.LeasedRow) -> ColumnElement[Any]:
    """Return whose question a row belongs to; NULL where it is nobody's in particular."""
    if row is QuestionRow:
        return QuestionRow.owner.expression
    if row is CandidateRow:
        return select(QuestionRow.owner).where(QuestionRow.id == CandidateRow.question_id).scalar_subquery()
    if row is PageRow:  # of several, any
        waits = (QuestionRow.id == CandidateRow.question_id) & QuestionRow.status.in_(state.OPEN)
        return select(func.max(QuestionRow.owner)).where(waits, CandidateRow.page_id == PageRow.id).scalar_subquery()
    return null()


def _end_overdue(services: Services, now: datetime) -> None:
    """End the questions whose deadline passed with the best answer they have."""
    overdue = select(QuestionRow.id).where(QuestionRow.status.in_(state.OPEN), QuestionRow.deadline < now)
    with services.database.read() as session:
        ids = list(session.scalars(overdue.limit(MOST_WAITING)))
    for question_id in ids:
        with services.database.write() as session:
            row = state.lock(session, question_id)
            if row is None or Status(row.status).is_final:
                continue
            question = state.to_question(row)
            end = end_overdue(session, row, now)
        if end is not None:
            notify_moved(services, question, end)


def _promote_orphans(services: Services, now: datetime) -> None:
    """Start the followers whose leader has stopped."""
    ids = services.read(shared_runs.orphans)
    for question_id in ids[:MOST_WAITING]:
        with services.database.write() as session:
            row = state.lock(session, question_id)
            if row is None or row.status != Status.FOLLOWING or not shared_runs.orphans(session, question_id):
                continue
            row.leader_id = None
            state.advance(session, row, Status.ASKED, now)
            question = state.to_question(row)
        notify_moved(services, question, Move(to=Status.ASKED, outcome="swept"))


def _move_on(services: Services, now: datetime) -> None:
    """Move on questions whose wave is read or embedded; end a wave that is out of time."""
    ids = services.read(_ready_to_move, now)
    for question_id in ids:
        with services.database.write() as session:
            row = state.lock(session, question_id)
            if row is None or row.status not in (Status.READING, Status.EMBEDDING):
                continue
            question = state.to_question(row)
            if stop := out_of_time(question, candidates.used_so_far(session, question_id, now).seconds):
                candidates.abandon(session, question_id, stop, now)
            if (moved := move_on(session, row, now)) is None:
                continue
        notify_moved(services, question, Move(to=moved, outcome="swept"))


def _ready_to_move(session: Session, now: datetime) -> list[str]:
    """Return the questions that can go on: all their candidates are done, or their time is over.

    It asks for all of them together: there may be thousands, every few seconds.
    """
    reads = QuestionRow.status.in_((Status.READING, Status.EMBEDDING))
    onward = statuses_after_reading(session, reads)
    reading_s = candidates.reading_seconds(session, reads, now)
    return [
        question.id
        for question in map(state.to_question, session.scalars(select(QuestionRow).where(reads)))
        if out_of_time(question, reading_s.get(question.id, 0.0))
        or onward.get(question.id) not in (None, question.status)
    ]
