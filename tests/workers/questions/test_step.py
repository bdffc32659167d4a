"""The frame of every task on a question: it is claimed, worked on once, recorded, and the next message sent."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from itertools import count

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from redis import RedisError

from domain import EventKind, Status
from domain.errors import WellreadError
from store.embedders import EmbeddingRefused
from store.questions import new_questions, trace
from store.questions.new_questions import NewQuestion
from store.questions.state import Changes, Move
from store.sql import leases
from store.sql.database import DatabaseAway
from store.sql.tables import QuestionRow
from tests.workers.conftest import Outbox
from workers import monitoring
from workers.questions import lookup, submit, transitions
from workers.questions.step import StepTooLong, Work, finish, step, within_work_s
from workers.services import Services
from workers.services.interruptions import AGAIN_AFTER_S
from workers.tasks.answer import _after_second_pass as after_second_pass

RETRY = Move(to=Status.RETRYING, outcome="insufficient")
ABSTAIN = Move(to=Status.ABSTAINED, outcome="insufficient", changes=Changes(stop_reason="nothing was found"))


@pytest.fixture
def question_id(services: Services) -> str:
    """A question that waits for its first lookup."""
    question, _ = services.write(new_questions.ask, NewQuestion(text="Who kept the light?"), services.now())
    return question.id


def row_of(services: Services, question_id: str) -> QuestionRow:
    with services.database.read() as session:
        return session.get_one(QuestionRow, question_id)


def set_columns(services: Services, question_id: str, **values: object) -> None:
    with services.database.write() as session:
        row = session.get_one(QuestionRow, question_id)
        for column, value in values.items():
            setattr(row, column, value)


def run(services: Services, question_id: str, move: Move = RETRY) -> Work | None:
    """Deliver the message of the first lookup; its work comes to ``move``."""
    with step(services, question_id, Status.ASKED) as work:
        if work is not None:
            assert finish(services, work, move)
        return work


def fail(services: Services, question_id: str, error: BaseException) -> QuestionRow:
    """Deliver the message; its work fails with ``error``. Return the row afterwards."""
    with step(services, question_id, Status.ASKED) as work:
        assert work is not None
        raise error
    return row_of(services, question_id)


def in_s(services: Services, seconds: float) -> None:
    """Let this much time pass."""
    at = services.now() + timedelta(seconds=seconds)
    services.now = lambda: at  # type: ignore[method-assign]


def seconds_until(due_at: datetime, services: Services) -> float:
    return (due_at - services.now()).total_seconds()


def test_step_is_recorded_and_the_next_one_sent(services: Services, outbox: Outbox, question_id: str) -> None:
    work = run(services, question_id)
    assert work is not None
    assert (work.question.text, work.step) == ("Who kept the light?", "retrieve")
    row = row_of(services, question_id)
    assert (row.status, row.attempts, row.lease_by) == (Status.RETRYING, 0, None)
    with services.database.read() as session:
        (entry,) = trace.read(session, session.get_one(QuestionRow, question_id))
    assert (entry.name, entry.outcome, entry.attempt) == ("retrieve", "insufficient", 1)
    assert outbox.messages == [(Status.RETRYING, question_id)]


def test_next_message_is_sent_after_the_commit(services: Services, question_id: str) -> None:
    seen = []

    class Looking(Outbox):
        def send_for(self, question_id: str, status: Status, **_: object) -> None:
            seen.append((status, row_of(services, question_id).status))  # over a connection of its own

    services.__dict__["dispatcher"] = Looking()
    run(services, question_id)
    assert seen == [(Status.RETRYING, Status.RETRYING)]


def test_nothing_is_sent_for_what_was_not_recorded(
    services: Services, outbox: Outbox, question_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.services.interruptions.RECORD_WITHIN_S", -1.0)
    with step(services, question_id, Status.ASKED) as work:
        assert work is not None
        with monkeypatch.context() as patch:
            patch.setattr(services.database, "write", _away)
            finish(services, work, RETRY)  # ends the block: the step is tried again
    assert outbox.messages == []
    assert row_of(services, question_id).status == Status.ASKED


def _away() -> None:
    raise DatabaseAway("it is started again")


def test_message_that_is_delivered_twice_works_once(services: Services, outbox: Outbox, question_id: str) -> None:
    assert run(services, question_id) is not None
    with monitoring.listening() as reported:
        assert run(services, question_id) is None
        assert reported() == monitoring.NOT_DUE
    assert outbox.messages == [(Status.RETRYING, question_id)]


def test_message_that_is_delivered_during_the_work_does_nothing(services: Services, question_id: str) -> None:
    with step(services, question_id, Status.ASKED) as first:
        assert first is not None
        assert run(services, question_id) is None
        assert finish(services, first, RETRY)


def test_only_a_question_that_waits_for_this_step_is_claimed(services: Services, question_id: str) -> None:
    for status in set(Status) - {Status.ASKED}:
        set_columns(services, question_id, status=status)
        assert run(services, question_id) is None, status
    assert run(services, "0" * 32) is None
    set_columns(services, question_id, status=Status.ASKED, due_at=services.now() + timedelta(seconds=30))
    assert run(services, question_id) is None
    in_s(services, 31)
    assert run(services, question_id) is not None


def test_failure_is_recorded_and_tried_again_later_and_later(
    services: Services, outbox: Outbox, question_id: str
) -> None:
    for attempt, wait_s in enumerate((1, 2, 4, 8), start=1):
        row = fail(services, question_id, ValueError("no such column"))
        assert (row.status, row.attempts, row.lease_by) == (Status.ASKED, attempt, None)
        assert row.error == "retrieve: ValueError: no such column"
        assert 0 < seconds_until(row.due_at, services) <= wait_s
        assert run(services, question_id) is None  # not yet
        in_s(services, wait_s + 1)
    assert outbox.messages == []  # the sweep sends it again
    assert run(services, question_id) is not None
    assert row_of(services, question_id).attempts == 0


def test_what_a_failure_says_is_short(services: Services, question_id: str) -> None:
    assert fail(services, question_id, WellreadError("the page is gone")).error == "retrieve: the page is gone"
    in_s(services, 2)
    assert fail(services, question_id, SoftTimeLimitExceeded()).error == "retrieve: it took longer than 100 s"


def test_step_that_would_work_without_end_is_not_tried_again(services: Services, question_id: str) -> None:
    with pytest.raises(StepTooLong) as stopped, within_work_s(0.1):
        all(re.fullmatch(r"(?:a|aa)+b", "a" * 10) is None for _ in count())
    row = fail(services, question_id, stopped.value)
    assert (row.status, row.lease_by) == (Status.FAILED, None)
    assert row.error == f"retrieve: {stopped.value}"
    assert "Exclude its site" in row.error


@pytest.mark.parametrize("outage", [DatabaseAway("started again"), RedisError("away")], ids=["SQL", "Redis"])
def test_outage_is_no_attempt(services: Services, question_id: str, outage: Exception) -> None:
    for _ in range(leases.MAX_ATTEMPTS + 1):
        row = fail(services, question_id, outage)
        assert (row.status, row.attempts, row.error, row.lease_by) == (Status.ASKED, 0, None, None)
        assert seconds_until(row.due_at, services) <= AGAIN_AFTER_S
        in_s(services, AGAIN_AFTER_S + 1)
    assert run(services, question_id) is not None


def test_what_only_the_operator_can_mend_ends_the_question(
    services: Services, outbox: Outbox, question_id: str
) -> None:
    row = fail(services, question_id, EmbeddingRefused("the key is refused"))
    assert (row.status, row.error) == (Status.FAILED, "retrieve: the key is refused")
    assert row.finished_at is not None
    assert outbox.messages == [(Status.FAILED, question_id)]


def test_question_whose_process_dies_each_time_is_given_up(services: Services, question_id: str) -> None:
    for _ in range(leases.MAX_ATTEMPTS):
        with services.database.claim() as session:  # and dies: it records nothing
            at = services.now()
            assert leases.claim(session, QuestionRow, question_id, QuestionRow.status == Status.ASKED, at)
        assert run(services, question_id) is None
        in_s(services, leases.LEASE_S + 1)
    assert run(services, question_id) is None
    row = row_of(services, question_id)
    assert (row.status, row.error) == (Status.FAILED, "Given up after 5 attempts: its process died each time")


def test_question_that_fails_each_time_ends_with_its_last_error(services: Services, question_id: str) -> None:
    for _ in range(leases.MAX_ATTEMPTS):
        fail(services, question_id, ValueError("no"))
        in_s(services, 61)
    assert run(services, question_id) is None
    row = row_of(services, question_id)
    assert (row.status, row.error) == (Status.FAILED, "Given up after 5 attempts: retrieve: ValueError: no")


def test_question_whose_deadline_passed_ends_without_the_work(
    services: Services, outbox: Outbox, question_id: str
) -> None:
    in_s(services, 901)
    assert run(services, question_id) is None
    row = row_of(services, question_id)
    assert (row.status, row.stop_reason) == (Status.TIMED_OUT, "the question's deadline passed")
    assert outbox.messages == [(Status.TIMED_OUT, question_id)]
    assert run(services, question_id) is None  # it ends once
    assert len(outbox.messages) == 1


def test_work_whose_lease_another_process_took_over_records_nothing(
    services: Services, outbox: Outbox, question_id: str
) -> None:
    with step(services, question_id, Status.ASKED) as slow:
        assert slow is not None
        in_s(services, leases.LEASE_S + 1)  # it was held up, and no longer renews its lease
        assert run(services, question_id, ABSTAIN) is not None
        assert not finish(services, slow, RETRY)
    row = row_of(services, question_id)
    assert (row.status, row.stop_reason) == (Status.ABSTAINED, "nothing was found")
    assert outbox.messages == [(Status.ABSTAINED, question_id)]


def test_failure_after_the_lease_was_lost_changes_nothing(services: Services, question_id: str) -> None:
    with step(services, question_id, Status.ASKED) as slow:
        assert slow is not None
        in_s(services, leases.LEASE_S + 1)
        assert run(services, question_id) is not None
        raise ValueError("too late")
    row = row_of(services, question_id)
    assert (row.status, row.attempts, row.error) == (Status.RETRYING, 0, None)


def test_events_say_where_the_question_is_and_that_it_ended(services: Services, question_id: str) -> None:
    said: list[tuple[EventKind, object]] = []
    services.events.publish = lambda _id, kind, data: said.append((kind, data["status"]))  # type: ignore[method-assign, assign]
    run(services, question_id)
    with step(services, question_id, Status.RETRYING) as work:
        assert work is not None
        finish(services, work, ABSTAIN)
    assert said == [(EventKind.STATUS, Status.RETRYING), (EventKind.FINAL, Status.ABSTAINED)]


@pytest.mark.parametrize("by_operator", [True, False])
@pytest.mark.parametrize("by_asker", [True, False])
def test_web_is_read_only_where_operator_and_asker_allow_it(
    services: Services, *, by_operator: bool, by_asker: bool
) -> None:
    services.settings = services.settings.model_copy(update={"crawl_enabled": by_operator})
    new = NewQuestion(text="Who kept the light?", crawl_enabled=by_asker)
    question, _ = submit.submit(services, new)
    for status, run_pass, decide in (
        (Status.ASKED, lookup.first_pass, lambda _services, *of: transitions.after_first_pass(*of)),
        (Status.RETRYING, lookup.second_pass, after_second_pass),
    ):
        with step(services, question.id, status) as work:
            assert work is not None
            finish(services, work, decide(services, work.question, run_pass(services, work.question), None))
    row = row_of(services, question.id)
    assert row.status == (Status.SEEKING if by_operator and by_asker else Status.ABSTAINED)
    assert (row.stop_reason == "reading the web was not allowed") is (row.status == Status.ABSTAINED)
