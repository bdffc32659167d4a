"""Two that want the same row at once, on each database: one of them makes it, and neither fails."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import pytest
from sqlalchemy.orm import Session

from store.crawl import sources
from store.pages import refresh_queue
from store.questions import new_questions
from store.questions.new_questions import IdempotencyConflict, NewQuestion
from store.sql.database import Database
from store.sql.tables import HostRow

Value = TypeVar("Value")

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
ORIGIN = "https://example.org"
ROBOTS = {"status": 200, "body": b"User-agent: *", "fetched_at": NOW}


def _at_once(
    database: Database, first: Callable[[Session], Value], second: Callable[[Session], Value]
) -> tuple[Value, Value]:
    """What two get, the second of whom begins before the first has committed."""

    def do_second() -> Value:
        with database.write() as session:
            return second(session)

    with ThreadPoolExecutor(1) as pool:
        with database.write() as session:
            got = first(session)
            late = pool.submit(do_second)
            wait([late], timeout=0.3)  # by then it stands before the row that is not committed yet
        return got, late.result(timeout=30)


def test_one_key_sent_twice_at_once_is_one_question(database: Database) -> None:
    def ask(session: Session) -> tuple[str, bool]:
        question, is_new = new_questions.ask(session, NewQuestion(text="Once?", idempotency_key="k", watch=True), NOW)
        return question.id, is_new

    (first, is_new), (second, is_new_too) = _at_once(database, ask, ask)
    assert first == second
    assert (is_new, is_new_too) == (True, False)


def test_one_key_sent_at_once_for_two_questions_is_refused_to_the_second(database: Database) -> None:
    def ask(text: str) -> Callable[[Session], bool]:
        return lambda session: new_questions.ask(session, NewQuestion(text=text, idempotency_key="k"), NOW)[1]

    with pytest.raises(IdempotencyConflict, match="belongs to another question"):
        _at_once(database, ask("Once?"), ask("Twice?"))


def test_a_site_added_twice_at_once_is_one_source_with_the_later_settings(database: Database) -> None:
    def add(delay_s: float) -> Callable[[Session], int]:
        return lambda session: sources.add(session, ORIGIN, own=False, min_delay_s=delay_s, now=NOW).id

    first, second = _at_once(database, add(1.0), add(2.0))
    with database.read() as session:
        assert [(source.id, source.min_delay_s) for source in sources.list_all(session)] == [(first, 2.0)]
    assert first == second


def test_what_two_learn_of_a_host_at_once_is_both_kept(database: Database) -> None:
    _at_once(
        database,
        lambda session: sources.save_robots(session, ORIGIN, **ROBOTS),
        lambda session: sources.save_delay(session, ORIGIN, 3.0),
    )
    with database.read() as session:
        found = session.get_one(HostRow, ORIGIN)
        assert (found.robots_status, found.robots, found.robots_at, found.delay_s) == (*ROBOTS.values(), 3.0)


@pytest.mark.parametrize(("one", "other"), [(NOW, LATER), (LATER, NOW)])
def test_a_host_that_two_find_due_at_once_is_due_at_the_earlier_time(
    database: Database, one: datetime, other: datetime
) -> None:
    _at_once(
        database,
        lambda session: refresh_queue.host_is_due(session, ORIGIN, one),
        lambda session: refresh_queue.host_is_due(session, ORIGIN, other),
    )
    with database.read() as session:
        assert session.get_one(HostRow, ORIGIN).refresh_at == NOW
