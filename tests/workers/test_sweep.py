"""Lost work is found again, and never more calls are sent than the queue has room for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import event
from sqlalchemy.orm import Session

from domain import Candidate, Status
from store.crawl import candidates
from store.crawl.candidates import CandidateStatus
from store.questions import new_questions, trace
from store.questions.new_questions import NewQuestion
from store.sql.tables import CandidateRow, QuestionRow
from tests.workers.conftest import Outbox
from workers import sweep
from workers.priorities import place
from workers.questions.step import step
from workers.services import Services


def _ask(services: Services, status: Status = Status.ASKED, *, age_s: float = 60.0, **options: object) -> str:
    asked_at = services.now() - timedelta(seconds=age_s)
    with services.database.write() as session:
        question, _ = new_questions.ask(session, NewQuestion(text="Who?", **options), asked_at)  # type: ignore[arg-type]
        session.get_one(QuestionRow, question.id).status = status
    return question.id


def _status(services: Services, question_id: str) -> str:
    with services.database.read() as session:
        return session.get_one(QuestionRow, question_id).status


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_calls_never_fill_a_queue_beyond_two_hundred_or_what_is_due(due: int, waiting: int) -> None:
    sent = sweep.messages_to_send(due, waiting)
    assert sent >= 0
    assert sent == 0 or sent + waiting <= min(due, sweep.MOST_WAITING)


def test_a_question_whose_call_was_lost_is_rung_for_again(services: Services, outbox: Outbox) -> None:
    question_id = _ask(services)
    sweep.sweep(services)
    assert ("wellread.retrieve", question_id) in outbox.messages


def test_a_question_asked_a_moment_ago_is_left_to_its_own_call(services: Services, outbox: Outbox) -> None:
    _ask(services, age_s=0.0)
    sweep.sweep(services)
    assert outbox.messages == []


def test_calls_that_already_stand_in_the_queue_are_not_sent_again(services: Services, outbox: Outbox) -> None:
    for _ in range(5):
        _ask(services)
    services.redis.lpush(f"answer\x06\x16{place('wellread.retrieve', 0)}", "one", "two", "three")
    sweep.sweep(services)
    assert len(outbox.messages) == 2


def _ends(services: Services, question_id: str) -> list[tuple[str, str]]:
    with services.database.read() as session:
        row = session.get_one(QuestionRow, question_id)
        assert (row.status, row.stop_reason) == (Status.TIMED_OUT, "the question's deadline passed")
        return [(each.name, each.outcome) for each in trace.read(session, session.get_one(QuestionRow, question_id))]


def test_a_question_whose_deadline_passed_is_timed_out(services: Services) -> None:
    question_id = _ask(services, Status.READING, age_s=100.0, deadline_s=50.0)
    sweep.sweep(services)
    assert _ends(services, question_id) == [("read", "deadline")]


def test_a_deadline_ends_a_question_alike_in_the_sweep_and_in_its_own_task(services: Services) -> None:
    swept, claimed = (_ask(services, age_s=100.0, deadline_s=50.0) for _ in range(2))
    with step(services, claimed, Status.ASKED) as work:
        assert work is None
    sweep.sweep(services)
    assert _ends(services, swept) == _ends(services, claimed) == [("retrieve", "deadline")]


def test_a_wave_that_nobody_moved_on_is_moved_on(services: Services, outbox: Outbox) -> None:
    question_id = _ask(services, Status.READING)
    sweep.sweep(services)
    assert _status(services, question_id) == Status.REQUERYING
    assert (Status.REQUERYING, question_id) in outbox.messages


@contextmanager
def _statements(services: Services) -> Iterator[list[str]]:
    """The statements that are sent to the database."""
    sent: list[str] = []

    def keep(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        sent.append(statement)

    event.listen(services.database.engine, "before_cursor_execute", keep)
    try:
        yield sent
    finally:
        event.remove(services.database.engine, "before_cursor_execute", keep)


def test_as_many_statements_look_at_a_few_open_questions_as_at_many(services: Services) -> None:
    counts = []
    for questions in (2, 18):
        for status in (Status.READING, Status.EMBEDDING):
            for _ in range(questions):
                question_id = _ask(services, status)
                services.write(_add, question_id, f"http://{question_id}.example/", elapsed_s=1.0)
        with _statements(services) as sent:
            sweep.sweep(services)
        assert _status(services, question_id) == Status.EMBEDDING
        counts.append(len(sent))
    assert counts[0] == counts[1] > 0


def _add(session: Session, question_id: str, url: str, *, elapsed_s: float) -> None:
    """Have a page wait that was tried before: its site took so long, or asked for so long a pause, up to now."""
    now = datetime.now(UTC)
    found = [Candidate(url=url)]
    (row_id,) = candidates.add(session, question_id, found, wave=0, status=CandidateStatus.WAITING, now=now)
    session.get_one(CandidateRow, row_id).elapsed_s = elapsed_s


def test_what_pages_wait_for_a_worker_is_not_reading(services: Services) -> None:
    question_id = _ask(services, Status.READING, age_s=600.0)
    with services.database.write() as session:
        session.get_one(QuestionRow, question_id).crawl_started_at = services.now() - timedelta(seconds=500)
        _add(session, question_id, "http://slow.example/", elapsed_s=0.0)
    sweep.sweep(services)
    assert _status(services, question_id) == Status.READING
    with services.database.read() as session:
        assert session.query(CandidateRow).one().outcome is None


def test_a_wave_out_of_time_is_ended_and_the_question_goes_on_with_what_it_has(services: Services) -> None:
    question_id = _ask(services, Status.READING, age_s=10.0)
    services.write(_add, question_id, "http://slow.example/", elapsed_s=500.0)
    sweep.sweep(services)
    assert _status(services, question_id) == Status.REQUERYING
    with services.database.read() as session:
        left = session.query(CandidateRow).one()
    assert (left.outcome, "seconds" in (left.reason or "")) == ("skipped", True)
