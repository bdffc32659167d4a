"""A database of before is brought up to date with all its rows, or refused with what to do and left as it was."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import alembic.op
import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Float,
    Integer,
    LargeBinary,
    String,
    func,
    insert,
    inspect,
    make_url,
    select,
    text,
)

import store.sql
from store.pages import pages
from store.questions import state
from store.sql import row_lines
from store.sql.database import FIRST_REVISION, Database, SchemaOutdated, check_schema, migrate
from store.sql.tables import PageRow, QuestionRow, Table, UtcDateTime

MIGRATIONS = Path(store.sql.__file__).parent / "migrations" / "versions"
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


@pytest.mark.parametrize("migration", sorted(MIGRATIONS.glob("*.py")), ids=lambda path: path.stem)
def test_a_migration_imports_no_code_that_can_change_after_it(migration: Path) -> None:
    assert not re.findall(r"^\s*(?:from|import) (?:store|text|domain)\b", migration.read_text(), re.MULTILINE)


@pytest.fixture(params=["sqlite", "postgresql"])
def before_0_2_0(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database that the twenty migrations before 0.2.0 made, with a row in each table."""
    dump = (Path(__file__).parent / f"before_0_2_0.{request.param}.sql").read_text()
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'w.db'}"
        with closing(sqlite3.connect(tmp_path / "w.db")) as file:
            file.executescript(dump)
    else:
        url = request.getfixturevalue("empty_postgres")
        with psycopg.connect(make_url(url).set(drivername="postgresql").render_as_string(False)) as server:
            server.execute(dump.encode())
    database = Database(url)
    yield database
    database.close()


def test_database_from_before_0_2_0_is_brought_up_to_date_with_all_its_rows(before_0_2_0: Database) -> None:
    before = _values(before_0_2_0)
    assert all(before.values())
    migrate(before_0_2_0.url)
    check_schema(before_0_2_0)
    after = _values(before_0_2_0)
    for name, values in before.items():
        assert after[name].items() >= values.items(), name
    with before_0_2_0.read() as session:
        assert state.to_question(session.scalars(select(QuestionRow)).one()).id
        page = session.scalars(select(PageRow)).one()
        assert pages.to_page(page).url
        assert page.characters == len(page.text)


def test_first_migration_makes_the_tables_that_those_before_0_2_0_made(
    before_0_2_0: Database,
) -> None:
    migrate(before_0_2_0.url, "0" * 12, to=FIRST_REVISION)
    made = Database(before_0_2_0.url, "0" * 12)
    assert _schema(made) == _schema(before_0_2_0)
    made.close()


@pytest.mark.parametrize("revision", ["0001", "0019"])
@pytest.mark.parametrize("start", [lambda database: migrate(database.url), check_schema], ids=["migrate", "worker"])
def test_older_database_is_refused_with_the_command_to_run_and_left_as_it_was(
    start: Callable[[Database], None], revision: str, before_0_2_0: Database
) -> None:
    _set_revision(before_0_2_0, revision)
    before = _rows(before_0_2_0)
    with pytest.raises(SchemaOutdated, match=rf"revision {revision}, .* `git checkout \w+ .*wellread migrate`"):
        start(before_0_2_0)
    assert _rows(before_0_2_0) == before
    with before_0_2_0.read() as session:
        assert session.scalar(text("SELECT version_num FROM alembic_version")) == revision


def test_database_of_a_newer_version_is_refused(before_0_2_0: Database) -> None:
    _set_revision(before_0_2_0, "9999")
    with pytest.raises(SchemaOutdated, match="a newer Wellread made"):
        migrate(before_0_2_0.url)


@pytest.mark.parametrize("server", ["sqlite", "postgresql"])
def test_processes_that_start_at_once_make_the_tables_once(
    server: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    url = request.getfixturevalue("empty_postgres") if server == "postgresql" else f"sqlite:///{tmp_path / 'w.db'}"
    script = "import sys; from store.sql.database import migrate; migrate(sys.argv[1])"

    def start(_: int) -> int:
        return subprocess.run([sys.executable, "-c", script, url], check=False, timeout=120).returncode

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(start, range(2))) == [0, 0]
    database = Database(url)
    check_schema(database)
    database.close()


@pytest.mark.parametrize("server", ["sqlite", "postgresql"])
def test_migration_that_fails_leaves_the_database_as_it_was(
    server: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = request.getfixturevalue("empty_postgres") if server == "postgresql" else f"sqlite:///{tmp_path / 'w.db'}"
    created = alembic.op.create_index

    def fails(name: str, *given: Any, **options: Any) -> None:
        if name == "ix_pages_private":  # after tables were made
            raise RuntimeError("the disk is full")
        created(name, *given, **options)

    with monkeypatch.context() as patch:
        patch.setattr(alembic.op, "create_index", fails)
        with pytest.raises(RuntimeError, match="disk"):
            migrate(url)
    database = Database(url)
    assert _schema(database) == {}
    migrate(url)
    check_schema(database)
    database.close()


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


#: a worker of an earlier version fails on such a row, which waits for one of a later version
LEFT_TO_LATER_ONES = {"webhooks.question_id"}


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
        if newest[table.name].columns[column.name].nullable
        and not column.nullable
        and str(column) not in LEFT_TO_LATER_ONES
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


OLD_URL = "https://a.example/%7ebob/Gr%c3%b6%C3%9Fe?x=%2f%%41"
NEW_URL = "https://a.example/~bob/Gr%C3%B6%C3%9Fe?x=%2F%%41"


@pytest.mark.parametrize("server", ["sqlite", "postgresql"])
def test_urls_of_earlier_versions_are_found_in_their_new_form(
    server: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue("postgres_url") if server == "postgresql" else f"sqlite:///{tmp_path / 'w.db'}"
    migrate(url, "00000000a028", to="0027")
    database = Database(url, "00000000a028")
    columns = {
        "pages": ("url",), "private_reads": ("url",), "links": ("from_url",), "sources": ("url",),
        "redirects": ("to_url",), "site_reads": ("url", "prefix"), "page_checks": ("reason",),
        "collections": ("exclude_sites",), "questions": ("sites",),
    }  # fmt: skip
    with database.write() as session:
        _fill(session.connection())
        tables = {table.name: table for table in row_lines.tables(session.connection())}
        for name, named in columns.items():
            values = {each: f"it leads to {OLD_URL} now" if each == "reason" else OLD_URL for each in named}
            values |= {each: [OLD_URL, "files://a/%7e"] for each in values if each in ("exclude_sites", "sites")}
            session.execute(tables[name].update().values(values))
        twice = {**session.execute(select(tables["links"])).mappings().one(), "id": 2, "from_url": NEW_URL}
        session.execute(insert(tables["links"]), [twice])
    migrate(url, "00000000a028")
    with database.read() as session:
        links = list(session.scalars(select(tables["links"].c.from_url).order_by(tables["links"].c.id)))
        assert links == [OLD_URL, NEW_URL]  # there was one with the new form already
        for name, named in {**columns, "links": ()}.items():
            row = session.execute(select(*(tables[name].c[each] for each in named))).one() if named else ()
            assert all(value in (NEW_URL, f"it leads to {NEW_URL} now", [NEW_URL, "files://a/%7e"]) for value in row)
        assert session.scalar(select(PageRow.state)) == "FETCHED"
    database.close()


def test_page_that_is_there_in_both_forms_of_its_url_stays_in_the_new_one(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'w.db'}"
    migrate(url, "00000000a028", to="0027")
    database = Database(url, "00000000a028")
    with database.write() as session:
        _fill(session.connection())
        (page,) = (each for each in row_lines.tables(session.connection()) if each.name == "pages")
        session.execute(page.update().values(url=OLD_URL, gone_at=None))
        twin = {**session.execute(select(page)).mappings().one(), "id": 2, "url": NEW_URL}
        session.execute(insert(page), [twin])
    migrate(url, "00000000a028")
    with database.read() as session:
        rows = session.execute(select(PageRow.url, PageRow.gone_at.is_(None)).order_by(PageRow.id)).all()
        assert [tuple(row) for row in rows] == [(OLD_URL, False), (NEW_URL, True)]
    database.close()


def _default(column: Column[Any]) -> object:
    """Return what today's code stores in a column that it is given nothing for."""
    made: Any = column.default.arg if column.default is not None else None
    return made(None) if callable(made) else made


def _rows(database: Database) -> dict[str, list[bytes]]:
    with database.read() as session:
        connection = session.connection()
        return {table.name: list(row_lines.lines(connection, table)) for table in row_lines.tables(connection)}


def _values(database: Database) -> dict[str, dict[str, str]]:
    """Return the values of each table's one row, by column."""
    with database.read() as session:
        connection = session.connection()
        found = {}
        for table in row_lines.tables(connection):
            row = connection.execute(select(table)).mappings().first()
            found[table.name] = {name: repr(value) for name, value in (row or {}).items()}
        return found


def _schema(database: Database) -> dict[str, Any]:
    """Return each table's columns, keys and indices, in no order."""
    with database.read() as session:
        tables = inspect(session.connection())
        return {
            name: sorted(
                str(sorted(each.items(), key=lambda item: item[0]))
                for found in (
                    tables.get_columns,
                    tables.get_indexes,
                    tables.get_foreign_keys,
                    tables.get_unique_constraints,
                )
                for each in found(name)
            )
            for name in tables.get_table_names()
        }


def _set_revision(database: Database, revision: str) -> None:
    with database.write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})
