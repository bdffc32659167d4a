"""A page keeps its history: what was found, when, how often in a row; never more than is kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from store.pages import history
from store.sql.database import Database
from tests.store.pages.test_refresh_queue import SMALL, _fill

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def _note(database: Database, outcome: str, *, hours: int, content_hash: str = "a", status: int = 200) -> None:
    with database.write() as session:
        at = NOW + timedelta(hours=hours)
        history.add(session, 1, outcome=outcome, status=status, content_hash=content_hash, now=at)


def test_the_same_finding_in_a_row_is_counted_and_a_change_stands_for_itself(database: Database) -> None:
    _fill(database, SMALL, 1)
    _note(database, "new", hours=0)
    for hours in (1, 2, 3):
        _note(database, "unchanged", hours=hours, status=304)
    _note(database, "changed", hours=4, content_hash="b")
    with database.read() as session:
        kept = history.visits_of(session, 1)
    assert [(check.outcome, check.times, check.status) for check in kept] == [
        ("changed", 1, 200), ("unchanged", 3, 304), ("new", 1, 200),
    ]  # fmt: skip
    assert (kept[1].first_at, kept[1].last_at) == (NOW + timedelta(hours=1), NOW + timedelta(hours=3))


def test_of_a_page_that_never_stays_the_same_the_oldest_findings_go(database: Database) -> None:
    _fill(database, SMALL, 1)
    for number in range(history.MAX_VISITS + 5):
        _note(database, "changed", hours=number, content_hash=str(number))
    with database.read() as session:
        kept = history.visits_of(session, 1)
    assert len(kept) == history.MAX_VISITS
    assert kept[0].content_hash == str(history.MAX_VISITS + 4)
