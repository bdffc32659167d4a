"""What is done again and again starts from what waits: it never goes through all that was ever asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import event, text

from store.questions import answers, watches, webhooks
from store.sql.database import Database
from store.sql.tables import QuestionRow
from tests.store import walk
from tests.store.walk import NOW, answered, ask, move


@contextmanager
def _plans(database: Database) -> Iterator[list[str]]:
    """What SQLite does for each query of the block, step by step."""
    plans: list[str] = []

    def explain(connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if statement.startswith("SELECT"):
            rows = connection.connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters).fetchall()
            plans.extend(row[3] for row in rows)

    event.listen(database.engine, "before_cursor_execute", explain)
    try:
        yield plans
    finally:
        event.remove(database.engine, "before_cursor_execute", explain)


def _goes_through(plans: list[str], *tables: str) -> list[str]:
    return [
        step
        for step in plans
        if any(step.startswith((f"SCAN {table}", f"SEARCH {table} USING INDEX ix_{table}_work")) for table in tables)
    ]


def test_looking_for_watched_questions_to_ask_again_starts_from_the_watches(
    migrated_file: Path, tmp_path: Path
) -> None:
    database = _database(migrated_file, tmp_path)
    watched = ask(database, watch=True)
    move(database, watched, answered(walk.page(database)))
    with database.write() as session:
        session.execute(text("UPDATE answers SET stale_at = created_at"))
    with database.read() as session, _plans(database) as plans:
        assert watches.due(session) == [watched]
        assert watches.unknown_outdated(session, NOW) == []
        assert watches.owners(session) == set()
        assert not answers.read_since(session, NOW)
    database.close()
    assert plans
    assert _goes_through(plans, "questions", "answers", "evidence", "pages") == []


def test_giving_an_answer_again_goes_neither_through_its_copies_nor_through_the_pages(
    migrated_file: Path, tmp_path: Path
) -> None:
    database = _database(migrated_file, tmp_path)
    move(database, ask(database), answered(walk.page(database)))
    with _plans(database) as plans:
        copy = ask(database)
        with database.read() as session:
            question = session.get_one(QuestionRow, copy)
            assert question.cached_from is not None
            assert answers.read_since(session, NOW - timedelta(hours=1), question)
    database.close()
    assert [step for step in plans if "ix_questions_equal" in step and "cached_from=?" not in step] == []
    assert [step for step in plans if "SCAN pages" in step or "SCAN answers" in step or "(private=?)" in step] == []


def test_looking_for_the_deliveries_of_a_question_reads_its_own_alone(migrated_file: Path, tmp_path: Path) -> None:
    database = _database(migrated_file, tmp_path)
    asked = ask(database, callback_url="https://example.org/told")
    move(database, asked, answered(walk.page(database)))
    with database.read() as session, _plans(database) as plans:
        assert len(webhooks.pending(session, asked)) == 1
    database.close()
    assert _goes_through(plans, "webhooks", "questions") == []


def _database(migrated_file: Path, tmp_path: Path) -> Database:
    path = tmp_path / "wellread.db"
    path.write_bytes(migrated_file.read_bytes())
    return Database(f"sqlite:///{path}")
