"""Which steps were begun again, and which fault is named for each."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from benchmarks.faults import attempts
from benchmarks.faults.attempts import Event, Repeated
from benchmarks.faults.strike import Struck
from domain import Status
from store.questions import new_questions, state
from store.questions.new_questions import NewQuestion
from store.questions.state import Move
from store.sql import leases
from store.sql.database import Database
from store.sql.leases import LEASE_S, Lease
from store.sql.tables import QuestionRow

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def watched(database: Database) -> Iterator[Database]:
    """A database that notes each change of a lease."""
    attempts.watch(database)
    yield database
    on = "" if database.url.startswith("sqlite") else " ON questions"
    with database.write() as session:
        session.execute(text(f"DROP TRIGGER attempts{on}"))
        session.execute(text("DROP TABLE attempts"))
        if on:
            session.execute(text("DROP FUNCTION note_attempt()"))


def _claim(database: Database, question_id: str, now: datetime) -> Lease:
    with database.claim() as session:
        lease = leases.claim(session, QuestionRow, question_id, QuestionRow.status == Status.ASKED, now)
    assert lease is not None
    return lease


def test_each_step_that_came_to_nothing_was_begun_again(watched: Database) -> None:
    with watched.write() as session:
        question_id = new_questions.ask(session, NewQuestion(text="Who is asked?"), NOW)[0].id
    later = [NOW + timedelta(seconds=(LEASE_S + 1) * number) for number in range(4)]
    lost = _claim(watched, question_id, later[0])
    with watched.claim() as session:
        assert leases.renew(session, lost, later[0] + timedelta(seconds=1))
    deferred = _claim(watched, question_id, later[2])
    with watched.write() as session:
        assert leases.defer(session, deferred, later[2])
    failed = _claim(watched, question_id, later[2])
    with watched.write() as session:
        assert leases.retry_later(session, failed, later[3], "it broke")
    done = _claim(watched, question_id, later[3])
    with watched.write() as session:
        assert state.record(
            session, done, Move(to=Status.ANSWERED, outcome="done"), step="retrieve", started_at=NOW, now=later[3]
        )
    events = attempts.read(watched)
    assert [event.kind for event in events] == [
        "begun", "renewed", "begun", "given back", "begun", "failed", "begun", "moved",
    ]  # fmt: skip
    assert events[0].at <= events[-1].at == pytest.approx(datetime.now(UTC).timestamp(), abs=3600)
    found = attempts.begun_again(events)
    assert [(again.status, again.ended, again.error) for again in found] == [
        (Status.ASKED, "lease ran out", None),
        (Status.ASKED, "given back", None),
        (Status.ASKED, "failed", "it broke"),
    ]
    assert found[0].seen_at == events[1].at  # it was alive when it renewed its lease


def test_what_one_question_comes_to_says_nothing_of_the_next() -> None:
    events = [
        Event(question="a", at=1.0, kind="begun", status=Status.ASKED),
        Event(question="b", at=1.0, kind="begun", status=Status.ASKED),
        Event(question="b", at=2.0, kind="moved", status=Status.ASKED),
    ]
    assert attempts.begun_again(events) == []


#: what struck, and what ends a step of the worker `answer` that was last seen at 100 s
FAULTS = [
    ((("kill -9 crawl", 101.0), ("kill -9 answer", 103.0), ("kill -9 a process of answer", 104.0)), "kill -9 answer"),
    ((("kill -9 answer", 90.0), ("kill -9 crawl", 103.0)), attempts.UNKNOWN),  # long before, and another worker
    ((("stop answer", 101.0), ("empty the broker", 102.0)), "empty the broker"),  # 4 s end no lease
    ((("stop crawl", 100.0), ("kill -9 up", 101.0)), "kill -9 up"),  # every worker ends with it
    ((("stop a process beyond its lease: answer", 101.0),), "stop a process beyond its lease: answer"),
    ((), attempts.UNKNOWN),
]


@pytest.mark.parametrize(("struck", "expected"), FAULTS)
def test_the_fault_that_ended_a_step_is_named(struck: tuple[tuple[str, float], ...], expected: str) -> None:
    again = Repeated(status=Status.ASKED, ended="lease ran out", seen_at=100.0)
    faults = [Struck(name=name, at=at) for name, at in struck]
    assert attempts.fault_of(again, faults) == expected
    assert attempts.by_fault([again, again], faults) == {f"{expected} (lease ran out)": 2}


def test_what_failed_is_put_down_to_what_struck_before() -> None:
    again = Repeated(status=Status.SEEKING, ended="given back", seen_at=100.0)
    struck = [Struck(name="restart PostgreSQL", at=98.0), Struck(name="kill -9 crawl", at=101.0)]
    assert attempts.fault_of(again, struck) == "restart PostgreSQL"
