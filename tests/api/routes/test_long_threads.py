"""A thread of ten thousand turns is asked in, listed, paged through, searched and deleted as a short one is."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event, inspect, text
from starlette.testclient import TestClient

from store.questions import threads
from store.sql.rows import update_rows
from store.sql.tables import AnswerRow, QuestionRow, StepRow, ThreadRow
from tests.api import walk
from workers import deletion
from workers.services import Services

TURNS = 10_000


#: turns of an answered question that are like the first one, second by second
FILL = """
WITH RECURSIVE turn(at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM turn WHERE at < :last)
INSERT INTO {table} ({columns})
SELECT {values} FROM {table}, turn WHERE {table}.{id} = :first
"""
CHANGED = {
    "id": "printf('%032x', at)",
    "question_id": "printf('%032x', at)",
    "text": "'When was the lighthouse of Skagen painted, ' || at || '?'",
    "created_at": "strftime('%Y-%m-%d %H:%M:%f000', created_at, '+' || at || ' seconds')",
}


@pytest.fixture
def long_thread(services: Services) -> str:
    """The turns, each with its answer and its steps; the oldest is about the mill."""
    page_id, thread = walk.keep_page(services), uuid.uuid4().hex
    walk.ask_in(services, thread, "Where is the mill?")
    with services.database.read() as session:
        (first,) = threads.last_questions(session, thread)
    walk.move(services, first, walk.answered(page_id))
    long_ago = services.now() - timedelta(seconds=2 * TURNS)
    with services.database.write() as session:
        update_rows(session, QuestionRow, QuestionRow.id == first, created_at=long_ago)
        for table, kept in ((QuestionRow, ()), (AnswerRow, ("text", "created_at")), (StepRow, ())):
            columns = [column.key for column in inspect(table).columns if table is QuestionRow or column.key != "id"]
            values = [CHANGED.get(name, name) if name not in kept else name for name in columns]
            fill = FILL.format(
                table=table.__tablename__,
                columns=", ".join(columns),
                values=", ".join(values),
                id="id" if table is QuestionRow else "question_id",
            )
            session.execute(text(fill), {"last": TURNS - 1, "first": first})
    return thread


@contextmanager
def statements(services: Services) -> Iterator[list[int]]:
    """The statements that are sent to the database."""
    sent: list[int] = []

    def count(*_: Any) -> None:
        sent.append(1)

    event.listen(services.database.engine, "before_cursor_execute", count)
    try:
        yield sent
    finally:
        event.remove(services.database.engine, "before_cursor_execute", count)


def test_it_is_asked_in_listed_paged_through_searched_and_deleted(
    http: TestClient, services: Services, long_thread: str
) -> None:
    path = f"/api/threads/{long_thread}"
    with statements(services) as sent:
        asked = http.post("/api/questions", json={"question": "And by whom?", "thread": long_thread}).json()
        (listed,) = http.get("/api/threads").json()
        read = http.get(path, params={"limit": 100}).json()
        exported = http.get(f"/api/questions/{read['turns'][0]['id']}/export")
    assert len(sent) < 100  # and not one for each turn
    assert asked["question_as_understood"] == f"By whom was the lighthouse of Skagen painted, {TURNS - 1}?"
    assert (listed["questions"], read["questions"], len(read["turns"])) == (TURNS + 1, TURNS + 1, 100)
    assert "Robert Tallis" in exported.text
    assert http.get(path, params={"limit": 101}).status_code == 422

    earlier = http.get(path, params={"limit": 100, "before": read["turns"][0]["id"]}).json()["turns"]
    assert [turn["id"] for turn in earlier] == [f"{TURNS - 200 + at:032x}" for at in range(1, 101)]
    first = http.get(path, params={"limit": 100, "before": f"{50:032x}"}).json()["turns"]
    assert (first[0]["question"], len(first)) == ("Where is the mill?", 50)

    found = {words: len(http.get("/api/threads", params={"q": words}).json()) for words in ("skagen tallis", "where")}
    assert found == {"skagen tallis": 1, "where": 1}  # of older turns than MAX_SEARCHED the thread's title is searched
    assert TURNS > threads.MAX_SEARCHED

    with statements(services) as sent:
        assert http.delete(path).status_code == 204
    assert len(sent) < TURNS / 10
    assert http.get(path).status_code == 404
    with services.database.read() as session:
        assert [session.query(table).count() for table in (QuestionRow, AnswerRow, StepRow, ThreadRow)] == [0, 0, 0, 0]


def test_question_asked_while_its_thread_is_deleted_goes_with_it(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = uuid.uuid4().hex
    walk.ask_in(services, thread, "Where is the mill?")
    some, late = threads.some_questions, ["Where is the harbour of Gedser?"]

    def slowly(*arguments: Any) -> Any:
        found = some(*arguments)
        if late:
            walk.ask_in(services, thread, late.pop())
        return found

    monkeypatch.setattr(threads, "some_questions", slowly)
    deletion.delete_thread(services, thread)
    with services.database.read() as session:
        assert threads.latest(session) == []
        assert session.query(QuestionRow).count() == 0
