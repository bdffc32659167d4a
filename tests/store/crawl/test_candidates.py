"""What counts as a question's time of reading: its pages' own time, not what they wait for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from domain import Candidate, ReadOutcome
from store.crawl import candidates
from store.crawl.candidates import CandidateOutcome, CandidateStatus
from store.questions.new_questions import NewQuestion, ask
from store.sql import leases
from store.sql.database import Database
from store.sql.tables import CandidateRow

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def _ask(database: Database) -> str:
    with database.write() as session:
        return ask(session, NewQuestion(text="Who keeps the lamp?"), NOW)[0].id


def _claim(database: Database, question_id: str, url: str, at: datetime) -> leases.Lease:
    with database.write() as session:
        found = [Candidate(url=url)]
        added = candidates.add(session, question_id, found, wave=0, status=CandidateStatus.WAITING, now=NOW)
        lease = leases.claim(session, CandidateRow, added[0], CandidateRow.status == CandidateStatus.WAITING, at)
    assert lease is not None
    return lease


def _read(database: Database, question_id: str, url: str, *, ended_s: float, took_s: float) -> None:
    at = NOW + timedelta(seconds=ended_s)
    lease = _claim(database, question_id, url, at)
    with database.write() as session:
        outcome = CandidateOutcome(outcome=ReadOutcome.READ, elapsed_s=took_s)
        assert candidates.finish(session, lease, outcome, at)


def _seconds(database: Database, question_id: str, at_s: float) -> float:
    with database.read() as session:
        return candidates.used_so_far(session, question_id, NOW + timedelta(seconds=at_s)).seconds


def test_waiting_between_pages_is_not_reading(database: Database) -> None:
    question_id = _ask(database)
    _read(database, question_id, "https://a.example/1", ended_s=10, took_s=2)
    _read(database, question_id, "https://a.example/2", ended_s=500, took_s=3)
    assert _seconds(database, question_id, 800) == 5


def test_pages_read_at_the_same_time_count_once(database: Database) -> None:
    question_id = _ask(database)
    _read(database, question_id, "https://a.example/1", ended_s=10, took_s=10)
    _read(database, question_id, "https://b.example/1", ended_s=12, took_s=6)
    _read(database, question_id, "https://c.example/1", ended_s=9, took_s=1)
    assert _seconds(database, question_id, 12) == 12


def test_what_a_site_asks_to_wait_for_counts_as_it_passes(database: Database) -> None:
    question_id = _ask(database)
    lease = _claim(database, question_id, "https://busy.example/", NOW)
    with database.write() as session:
        candidates.retry_later(session, lease, after_s=100, took_s=0, error="the server is busy (503)", now=NOW)
    assert [_seconds(database, question_id, at) for at in (0, 30, 100, 700)] == [0, 30, 100, 100]


def test_an_earlier_attempt_counts_with_the_one_that_succeeds(database: Database) -> None:
    question_id = _ask(database)
    lease = _claim(database, question_id, "https://busy.example/", NOW + timedelta(seconds=20))
    with database.write() as session:
        later = NOW + timedelta(seconds=20)
        candidates.retry_later(session, lease, after_s=10, took_s=20, error="no answer in 20 s", now=later)
    with database.write() as session:
        waits = CandidateRow.status == CandidateStatus.WAITING
        again = leases.claim(session, CandidateRow, lease.row_id, waits, NOW + timedelta(seconds=40))
        assert again is not None
        outcome = CandidateOutcome(outcome=ReadOutcome.READ, elapsed_s=5)
        candidates.finish(session, again, outcome, NOW + timedelta(seconds=45))
    assert _seconds(database, question_id, 60) == 35
