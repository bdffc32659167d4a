"""A row is worked on by one at a time, and by another when that one dies."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

from domain import Status
from store.questions.new_questions import NewQuestion, ask
from store.sql import leases
from store.sql.database import Database
from store.sql.tables import QuestionRow

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
ASKED = QuestionRow.status == Status.ASKED


def _asked(database: Database) -> str:
    with database.write() as session:
        return ask(session, NewQuestion(text="Who?"), NOW)[0].id


def _claim(database: Database, question_id: str, at: datetime = NOW) -> leases.Lease | None:
    with database.write() as session:
        return leases.claim(session, QuestionRow, question_id, ASKED, at)


def test_a_row_is_claimed_once(database: Database) -> None:
    question_id = _asked(database)
    assert _claim(database, question_id) is not None
    assert _claim(database, question_id) is None


def test_twenty_racing_workers_make_one_claim(database: Database) -> None:
    question_id = _asked(database)
    claims: list[leases.Lease | None] = []
    threads = [threading.Thread(target=lambda: claims.append(_claim(database, question_id))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(claim is not None for claim in claims) == 1


def test_a_lease_that_ended_is_free_for_another_and_lost_to_the_first(database: Database) -> None:
    question_id = _asked(database)
    first = _claim(database, question_id)
    later = NOW + timedelta(seconds=leases.LEASE_S + 1)
    second = _claim(database, question_id, later)
    assert first is not None
    assert second is not None
    with database.write() as session:
        assert not leases.renew(session, first, later)
        assert leases.renew(session, second, later)


def test_a_renewed_lease_outlives_its_first_term(database: Database) -> None:
    question_id = _asked(database)
    lease = _claim(database, question_id)
    assert lease is not None
    with database.write() as session:
        leases.renew(session, lease, NOW + timedelta(seconds=15))
    assert _claim(database, question_id, NOW + timedelta(seconds=leases.LEASE_S + 1)) is None


def test_a_row_is_not_claimed_before_it_is_due(database: Database) -> None:
    question_id = _asked(database)
    lease = _claim(database, question_id)
    assert lease is not None
    with database.write() as session:
        leases.retry_later(session, lease, NOW + timedelta(seconds=60), "the model was away")
    assert _claim(database, question_id, NOW + timedelta(seconds=59)) is None
    assert _claim(database, question_id, NOW + timedelta(seconds=61)) is not None


def test_waiting_for_a_turn_does_not_count_as_an_attempt(database: Database) -> None:
    question_id = _asked(database)
    lease = _claim(database, question_id)
    assert lease is not None
    with database.write() as session:
        leases.defer(session, lease, NOW)
    with database.read() as session:
        assert session.get_one(QuestionRow, question_id).attempts == 0


def test_pauses_double_up_to_a_minute() -> None:
    assert [leases.backoff_s(attempt) for attempt in (1, 2, 3, 4, 20)] == [1, 2, 4, 8, 60]
