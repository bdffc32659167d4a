"""The tables are what the models say, on both databases, and what fails says what to do."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import event, text

from store.questions.new_questions import NewQuestion, ask
from store.questions.state import find
from store.sql.database import REVISION, Database, DatabaseAway, DatabaseError, SchemaOutdated, check_schema, migrate
from store.sql.tables import QuestionRow, Table
from workers.processes.supervise import wait_until

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
#: tables that only the processes of an earlier version read
EARLIER = frozenset({"learned", "learning"})


def test_migrations_make_the_tables_the_models_describe(database: Database) -> None:
    with database.engine.connect() as connection:
        context = MigrationContext.configure(
            connection,
            opts={"compare_type": True, "include_name": lambda name, kind, _: kind != "table" or name not in EARLIER},
        )
        assert compare_metadata(context, Table.metadata) == []


def test_the_revision_looked_for_is_the_latest_migration(database: Database) -> None:
    with database.read() as session:
        assert session.scalar(text("SELECT version_num FROM alembic_version")) == REVISION


def test_migrating_twice_changes_nothing(database: Database) -> None:
    migrate(database.url)
    check_schema(database)


def test_an_empty_database_asks_for_a_migration(tmp_path: Path) -> None:
    with pytest.raises(SchemaOutdated, match="wellread migrate"):
        check_schema(Database(f"sqlite:///{tmp_path / 'empty.db'}"))


def test_times_come_back_in_utc_whatever_zone_they_went_in_with(database: Database) -> None:
    in_berlin = NOW.astimezone(timezone(timedelta(hours=1)))
    with database.write() as session:
        question, _ = ask(session, NewQuestion(text="When?"), in_berlin)
    with database.read() as session:
        assert find(session, question.id).created_at == NOW


def test_a_time_without_zone_is_refused(database: Database) -> None:
    with pytest.raises(Exception, match="no timezone"), database.write() as session:
        ask(session, NewQuestion(text="When?"), NOW.replace(tzinfo=None))


def _ask_and_fail(database: Database) -> None:
    with database.write() as session:
        ask(session, NewQuestion(text="Kept?"), NOW)
        raise ZeroDivisionError


def test_a_failed_block_writes_nothing(database: Database) -> None:
    with pytest.raises(ZeroDivisionError):
        _ask_and_fail(database)
    with database.read() as session:
        assert session.query(QuestionRow).count() == 0


def test_sqlite_writes_ahead_and_waits_for_locks(tmp_path: Path) -> None:
    migrate(url := f"sqlite:///{tmp_path / 'w.db'}")
    with Database(url).read() as session:
        assert session.scalar(text("PRAGMA journal_mode")) == "wal"
        assert session.scalar(text("PRAGMA busy_timeout")) == 30_000


def test_what_is_claimed_waits_for_no_disk_and_what_is_written_does(tmp_path: Path) -> None:
    migrate(url := f"sqlite:///{tmp_path / 'w.db'}")
    database = Database(url)
    for opened, synced in ((database.claim, 1), (database.write, 2), (database.claim, 1), (database.write, 2)):
        with opened() as session:
            assert session.scalar(text("PRAGMA synchronous")) == synced


def test_threads_take_turns_to_lock_sqlite(tmp_path: Path) -> None:
    migrate(url := f"sqlite:///{tmp_path / 'w.db'}")
    database, happened = Database(url), list[str]()

    def write(name: str) -> None:
        with database.write() as session:
            session.execute(text("SELECT 1"))
            happened.append(name)

    event.listen(database.engine, "begin", lambda _: happened.append("lock"))
    with database.write() as session:
        session.execute(text("SELECT 1"))
        others = [threading.Thread(target=write, args=("other",)) for _ in range(3)]
        for other in others:
            other.start()
        assert not wait_until(lambda: happened != ["lock"], within_s=0.3), "none asks while one has it"
    for other in others:
        other.join()
    assert happened == ["lock", *(["lock", "other"] * 3)]


def test_a_turn_is_not_waited_for_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.sql.database.LOCKED_S", 0.05)
    migrate(url := f"sqlite:///{tmp_path / 'w.db'}")
    database = Database(url)
    with database.write(), ThreadPoolExecutor(1) as another:
        refused = another.submit(_ask_and_fail, database).exception(timeout=60)
    assert isinstance(refused, DatabaseAway)
    assert "is locked" in str(refused)


def test_a_claim_outlives_the_process_that_was_killed_after_it(tmp_path: Path) -> None:
    migrate(url := f"sqlite:///{tmp_path / 'w.db'}")
    claims = (
        "import os, signal, sys\n"
        "from sqlalchemy import event, text\n"
        "from store.sql.database import Database\n"
        "with Database(sys.argv[1]).claim() as session:\n"
        "    session.execute(text(\"INSERT INTO entities (name) VALUES ('kept')\"))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", claims, url], check=False, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    with Database(url).read() as session:
        assert session.scalar(text("SELECT name FROM entities")) == "kept"


def test_a_missing_table_names_the_command_that_makes_it(tmp_path: Path) -> None:
    with (
        pytest.raises(DatabaseError, match="wellread migrate"),
        Database(f"sqlite:///{tmp_path / 'x.db'}").read() as session,
    ):
        find(session, "nobody")


def test_an_unreachable_server_is_named_without_its_password() -> None:
    with (
        pytest.raises(DatabaseError) as caught,
        Database("postgresql+psycopg://me:secret@127.0.0.1:1/x").read() as session,
    ):
        find(session, "nobody")
    assert "127.0.0.1" in str(caught.value)
    assert "secret" not in str(caught.value)
