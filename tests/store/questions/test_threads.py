"""Threads are found by what was said in them: an owner's own, the same way on each database."""

from __future__ import annotations

from datetime import timedelta

import pytest

from store.questions import new_questions, threads
from store.questions.new_questions import NewQuestion, Understood
from store.sql.database import Database
from tests.store import walk
from tests.store.walk import NOW, answered, move


def ask_in(database: Database, thread: str, text: str, *, at: int = 0, owner: str | None = None) -> str:
    with database.write() as session:
        new, understood = NewQuestion(text=text, owner=owner), Understood(text=text, thread_id=thread * 32)
        return new_questions.ask(session, new, NOW + timedelta(seconds=at), understood)[0].id


def found(database: Database, words: str, owner: str | None = None) -> list[str]:
    with database.read() as session:
        return [thread.id[0] for thread in threads.latest(session, words=words, owner=owner)]


def test_words_of_questions_and_answers_find_an_owners_own_threads_alone(database: Database) -> None:
    ask_in(database, "a", "Where is the mill?", owner="anna")
    painted = ask_in(database, "a", "Who painted the Café?", at=1, owner="anna")
    ask_in(database, "b", "Who painted the harbour?", at=2, owner="bert")
    assert move(database, painted, answered(walk.page(database)), at=NOW + timedelta(seconds=1))
    said = answered(1).answer
    assert said is not None
    assert found(database, "PAINTED") == ["b", "a"]
    assert found(database, "painted", "anna") == found(database, "cafe") == ["a"]
    assert found(database, said.text.split()[0], "bert") == []
    assert found(database, f"painted {said.text.split()[0]}") == ["a"]
    assert found(database, "mill café") == []  # in no one question
    assert found(database, "%") == []


def test_of_older_questions_than_are_searched_the_title_counts(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "MAX_SEARCHED", 2)
    for at, text in enumerate(("Where is the mill?", "Who painted it?", "When was it built?", "Why?")):
        ask_in(database, "a", text, at=at)
    assert found(database, "mill") == found(database, "built") == ["a"]
    assert found(database, "painted") == []
