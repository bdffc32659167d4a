"""Requests wait for a batch in rows: each is taken once, and makes its question due when its reply is there."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import select

from domain import Status
from store.questions import batched_requests, state
from store.questions.deletion import delete_questions
from store.sql.database import Database
from store.sql.tables import BatchedRequestRow, QuestionRow, RequestState
from tests.store.walk import NOW, ask

LATER = NOW + timedelta(hours=1)


@pytest.fixture
def waiting(database: Database) -> str:
    """A question that awaits the replies to two requests."""
    question_id = ask(database)
    with database.write() as session:
        row = session.get_one(QuestionRow, question_id)
        row.status, row.due_at = Status.WRITING, LATER
        for name in ("first", "second", "first"):
            batched_requests.add(session, name, question_id, {"model": name})
    return question_id


def rows(database: Database) -> dict[str, tuple[str, object]]:
    with database.read() as session:
        return {row.name: (row.state, row.reply) for row in session.scalars(select(BatchedRequestRow))}


def due_at(database: Database, question_id: str) -> object:
    with database.read() as session:
        return session.get_one(QuestionRow, question_id).due_at


def test_request_is_taken_once_however_many_take(database: Database, waiting: str) -> None:
    def take(_: int) -> dict[str, object]:
        with database.write() as session:
            return batched_requests.take(session, 200, NOW)

    with ThreadPoolExecutor(8) as pool:
        taken = [name for requests in pool.map(take, range(8)) for name in requests]
    assert sorted(taken) == ["first", "second"]


def test_question_is_due_when_all_its_requests_are_settled(database: Database, waiting: str) -> None:
    with database.write() as session:
        batched_requests.take(session, 1, NOW)
        batched_requests.note_batch(session, NOW, "b1")
        batched_requests.take(session, 1, LATER)
        batched_requests.note_batch(session, LATER, "b2")
        first, second = batched_requests.sent(session)
    assert [(each.batch_id, each.sent_at, each.size) for each in (first, second)] == [("b1", NOW, 1), ("b2", LATER, 1)]
    replies = {"first": {"says": "yes"}, "second": {"says": "no"}, "unknown": {}}
    with database.write() as session:
        assert [row.name in replies for row in batched_requests.settle(session, first.rows, replies, NOW)] == [True]
    assert due_at(database, waiting) == LATER
    with database.write() as session:
        assert len(batched_requests.settle(session, second.rows, {}, NOW)) == 1
    assert due_at(database, waiting) == NOW
    assert sorted(rows(database).values(), key=str) == [
        (RequestState.REPLIED, replies[next(name for name, row in rows(database).items() if row[1])]),
        (RequestState.SINGLE, None),
    ]
    with database.write() as session:  # once more, as after a death
        assert batched_requests.settle(session, first.rows, {}, LATER) == []
        assert not batched_requests.any_to_come(session)


def test_what_went_with_no_batch_waits_again(database: Database, waiting: str) -> None:
    with database.write() as session:
        batched_requests.take(session, 200, NOW)
        (unknown,) = batched_requests.sent(session)
        assert (unknown.batch_id, unknown.size) == (None, 2)
        batched_requests.note_batch(session, NOW, None)
        assert batched_requests.sent(session) == []
        assert len(batched_requests.take(session, 200, LATER)) == 2


@pytest.mark.parametrize("to", [Status.ANSWERED, Status.RETRYING, Status.CANCELLED])
def test_requests_and_replies_go_with_the_end_of_their_step(database: Database, waiting: str, to: Status) -> None:
    with database.write() as session:
        state.advance(session, session.get_one(QuestionRow, waiting), to, NOW)
    assert rows(database) == {}


def test_request_that_was_sent_stays_until_it_is_paid(database: Database, waiting: str) -> None:
    with database.write() as session:
        batched_requests.take(session, 1, NOW)
        state.advance(session, session.get_one(QuestionRow, waiting), Status.CANCELLED, NOW)
        batched_requests.note_batch(session, NOW, "b1")  # whoever sends it has not seen the end
        (sent,) = batched_requests.sent(session)
        assert (sent.batch_id, sent.size, sent.is_awaited) == ("b1", 1, False)
    with database.write() as session:
        assert [row.state for row in batched_requests.settle(session, sent.rows, {}, NOW)] == [RequestState.DROPPED]
    assert rows(database) == {}


def test_dropped_request_that_went_with_no_batch_is_not_sent_again(database: Database, waiting: str) -> None:
    with database.write() as session:
        batched_requests.take(session, 200, NOW)
        state.advance(session, session.get_one(QuestionRow, waiting), Status.CANCELLED, NOW)
        batched_requests.note_batch(session, NOW, None)
    assert rows(database) == {}


def test_requests_and_replies_go_with_their_question(database: Database, waiting: str) -> None:
    with database.write() as session:
        delete_questions(session, [waiting])
    assert rows(database) == {}
