"""A migration keeps the stored data and gives it the new form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import alembic.op
import pytest
import sqlalchemy as sa
from alembic import command
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Float,
    Integer,
    LargeBinary,
    String,
    create_engine,
    func,
    insert,
    inspect,
    select,
    text,
)

import store.sql
from store.pages import pages
from store.questions import state
from store.sql import row_lines
from store.sql.database import Database, alembic_config, migrate
from store.sql.tables import PageRow, QuestionRow, Table, UtcDateTime

WHEN = "2026-01-01 00:00:00"
MIGRATIONS = Path(store.sql.__file__).parent / "migrations" / "versions"


@pytest.mark.parametrize("migration", sorted(MIGRATIONS.glob("*.py")), ids=lambda path: path.stem)
def test_a_migration_imports_no_code_that_can_change_after_it(migration: Path) -> None:
    assert not re.findall(r"^\s*(?:from|import) (?:store|text|domain)\b", migration.read_text(), re.MULTILINE)


@pytest.mark.parametrize("server", ["sqlite", "postgresql"])
def test_migration_that_fails_leaves_the_tables_as_they_were(
    server: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = request.getfixturevalue("empty_postgres") if server == "postgresql" else f"sqlite:///{tmp_path / 'w.db'}"
    migrate(url, to="0003")
    before = _schema(url)

    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(alembic.op, "drop_index", fails)  # after columns were added
        with pytest.raises(RuntimeError, match="disk"):
            migrate(url)
    assert _schema(url) == before
    migrate(url)
    assert set(Table.metadata.tables) <= set(_schema(url))


def test_pages_indexed_before_names_were_kept_are_indexed_again_and_facts_found_by_name(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'w.db'}"
    command.upgrade(alembic_config(url), "0001")
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO pages (url, host, title, text, lang, headings, etag, last_modified, content_hash,"
                " generation, state, depth, read_at, checked_at, next_due, interval_s, is_hub, attempts, due_at)"
                " VALUES ('u', 'h', 't', 't', 'en', '[]', '', '', '', 1, 'INDEXED', 0, :now, :now, :now, 1, 0, 3, :now)"
            ),
            {"now": WHEN},
        )
        connection.execute(
            text(
                "INSERT INTO facts (page_id, subject, subject_folded, predicate, object)"
                " VALUES (1, 'The Café (bar)', 'the café (bar)', 'opens', '9')"
            )
        )
    engine.dispose()
    migrate(url)
    with Database(url).read() as session:
        assert session.execute(text("SELECT state, attempts FROM pages")).all() == [("FETCHED", 0)]
        assert session.scalar(text("SELECT subject_folded FROM facts")) == "cafe"


def test_hosts_of_pages_kept_before_are_due_when_their_first_page_is(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'w.db'}"
    command.upgrade(alembic_config(url), "0006")
    engine = create_engine(url)
    with engine.begin() as connection:
        for page, host, due in (("u", "h", "2026-01-03"), ("v", "h", "2026-01-02"), ("w", "g", "2026-01-04")):
            connection.execute(
                text(
                    "INSERT INTO pages (url, host, title, text, lang, headings, etag, last_modified, content_hash,"
                    " generation, state, depth, read_at, checked_at, next_due, interval_s, is_hub, attempts, due_at)"
                    " VALUES (:page, :host, 't', 't', 'en', '[]', '', '', '', 1, 'INDEXED', 0, :now, :now, :due, 1, 0,"
                    " 0, :now)"
                ),
                {"page": page, "host": host, "now": WHEN, "due": f"{due} 00:00:00"},
            )
    engine.dispose()
    migrate(url)
    with Database(url).read() as session:
        due = dict(session.execute(text("SELECT origin, refresh_at FROM hosts")).all())
    assert {host: str(at)[:10] for host, at in due.items()} == {"h": "2026-01-02", "g": "2026-01-04"}


def test_the_latest_migration_can_be_taken_back_and_done_again(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'w.db'}"
    migrate(url)
    command.downgrade(alembic_config(url), "0006")
    migrate(url)


def test_private_pages_keep_their_readers_and_are_indexed_again_as_private(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'w.db'}"
    command.upgrade(alembic_config(url), "0011")
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("PRAGMA foreign_keys = OFF"))
        for number, private in ((1, True), (2, False)):
            connection.execute(
                text(
                    "INSERT INTO pages (id, url, host, title, text, lang, headings, blocks, etag, last_modified,"
                    " content_hash, body_hash, generation, state, depth, read_at, checked_at, next_due, interval_s,"
                    " is_hub, canonical_url, attempts, due_at, private) VALUES (:id, :id || '/', 'h', 't', 't', 'en',"
                    " '[]', '[]', '', '', '', '', 1, 'INDEXED', 0, :now, :now, :now, 1, 0, '', 3, :now, :private)"
                ),
                {"id": number, "now": WHEN, "private": private},
            )
            connection.execute(
                text(
                    "INSERT INTO candidates (question_id, url, kind, score, depth, origin, text, wave, status, page_id,"
                    " bytes, elapsed_s, news, created_at, attempts, due_at) VALUES ('q', :id || '/old', 'page', 0, 0,"
                    " '', '', 0, 'SETTLED', :id, 0, 0, 0, :now, 0, :now)"
                ),
                {"id": number, "now": WHEN},
            )
            connection.execute(
                text(
                    "INSERT INTO links (site, from_url, url, text, context, origin, depth, seen_at)"
                    " VALUES ('h', :id || '/old', 'u', '', '', '', 0, :now)"
                ),
                {"id": number, "now": WHEN},
            )
    engine.dispose()
    migrate(url)
    with Database(url).read() as session:
        assert session.execute(text("SELECT question_id, url FROM private_reads ORDER BY url")).all() == [
            ("q", "1/"),
            ("q", "1/old"),
        ]
        assert session.execute(text("SELECT state FROM pages ORDER BY id")).scalars().all() == ["FETCHED", "INDEXED"]
        assert session.execute(text("SELECT private FROM links ORDER BY id")).scalars().all() == [1, 0]


REVISIONS = [path.stem.partition("_")[0] for path in sorted(MIGRATIONS.glob("*.py"))]
NOW = datetime(2026, 1, 1, tzinfo=UTC)
#: what a value of a column must look like for a migration that reads it
SAMPLES: dict[str, Any] = {
    "url": "https://a.example/b",
    "from_url": "https://a.example/b",
    "state": "INDEXED",
    "status": "ASKED",
}
DICTS = {"budget", "cost", "detail", "features", "metrics", "overrides", "parameters", "verdict"}


def _fill(connection: Connection, tables: Sequence[sa.Table] | None = None) -> dict[str, int]:
    """Add a row to every table there is, or with the columns of these; return how many each has."""
    keys: dict[str, Any] = {}
    for table in row_lines.tables(connection) if tables is None else tables:
        values = {column.name: _sample(column, keys) for column in table.columns}
        connection.execute(insert(table), [values])
        keys |= {f"{table.name}.{name}": value for name, value in values.items()}
    return _counts(connection)


def _sample(column: Column[Any], keys: dict[str, Any]) -> object:
    for key in column.foreign_keys:
        return keys[key.target_fullname]
    if isinstance(column.type, JSON):
        return {} if column.name in DICTS else []
    if column.name in SAMPLES and isinstance(column.type, String):
        return SAMPLES[column.name]
    kinds = ((UtcDateTime, NOW), (LargeBinary, b"x"), (Boolean, False), (Integer, 1), (Float, 1.0), (String, "x"))
    return next(sample for kind, sample in kinds if isinstance(column.type, kind))


def _counts(connection: Connection) -> dict[str, int]:
    every = row_lines.tables(connection)
    return {table.name: connection.scalar(select(func.count()).select_from(table)) or 0 for table in every}


@pytest.mark.parametrize("server", ["sqlite", "postgresql"])
@pytest.mark.parametrize("revision", REVISIONS)
def test_rows_of_an_earlier_schema_are_kept_and_read(
    revision: str, server: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue("postgres_url") if server == "postgresql" else f"sqlite:///{tmp_path / 'w.db'}"
    part = f"{int(revision):012x}"
    migrate(url, part, to=revision)
    database = Database(url, part)
    with database.write() as session:
        before = _fill(session.connection())
    migrate(url, part)
    with database.read() as session:
        after = _counts(session.connection())
        assert {name: after[name] for name in before} == before
        for table in Table.__subclasses__():
            session.scalars(select(table)).all()
    database.close()


@pytest.mark.parametrize("server", ["sqlite", "postgresql"])
@pytest.mark.parametrize("revision", REVISIONS)
def test_processes_of_an_earlier_version_go_on_in_the_newest_schema(
    revision: str, server: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue("postgres_url") if server == "postgresql" else f"sqlite:///{tmp_path / 'w.db'}"
    part = f"f{int(revision):011x}"
    migrate(url, part, to=revision)
    database = Database(url, part)
    with database.read() as session:
        earlier = row_lines.tables(session.connection())
    migrate(url, part)
    with database.write() as session:
        newest = {table.name: table for table in row_lines.tables(session.connection())}
        _fill(session.connection(), earlier)
    may_be_null = [
        column
        for table in earlier
        for column in table.columns
        if newest[table.name].columns[column.name].nullable and not column.nullable
    ]
    assert may_be_null == []  # else they could not read what a later version writes
    with database.read() as session:
        for table in Table.__subclasses__():
            known = next((each.columns.keys() for each in earlier if each.name == table.__tablename__), None)
            if known is not None:
                row = session.scalars(select(table)).one()
                columns = [column for column in table.__table__.columns if column.name not in known]
                assert {column.name: getattr(row, column.name) for column in columns} == {
                    column.name: _default(column) for column in columns
                }
        assert state.to_question(session.scalars(select(QuestionRow)).one()).id
        assert pages.to_page(session.scalars(select(PageRow)).one()).url
    database.close()


def _default(column: Column[Any]) -> object:
    """Return what today's code stores in a column that it is given nothing for."""
    made: Any = column.default.arg if column.default is not None else None
    return made(None) if callable(made) else made


def _schema(url: str) -> dict[str, list[str]]:
    engine = create_engine(url)
    try:
        tables = inspect(engine)
        return {name: [column["name"] for column in tables.get_columns(name)] for name in tables.get_table_names()}
    finally:
        engine.dispose()
