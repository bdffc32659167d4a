"""Facts in SQL: found by the name of what they are about."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import cast

import pytest
from sqlalchemy import event

from domain import Fact, PageText, StatedFact, Validators
from store.graph import GraphReader
from store.pages import pages
from store.passages.table import Passages
from store.sql.database import Database

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
BORN = Fact(
    subject="The Ada Lovelace Page (mathematician)", predicate="Born", object="10 December 1815", start=3, end=19
)
PRICE = Fact(subject="Ticket", predicate="Price", object="9 €")


def save_page(database: Database, *stated: Fact, content_hash: str = "1") -> int:
    with database.write() as session:
        page = PageText(title="t", text="t", lang="en", facts=stated)
        page_id, _ = pages.save(
            session,
            url="https://e.org",
            host="h",
            page=page,
            content_hash=content_hash,
            validators=Validators(),
            depth=0,
            now=NOW,
        )
    return page_id


def about(database: Database, *names: str) -> Sequence[StatedFact]:
    return GraphReader(database, cast(Passages, None)).facts_about(names)


def test_a_fact_is_found_by_its_subjects_name_in_any_spelling(database: Database) -> None:
    page_id = save_page(database, BORN, PRICE)
    (found,) = about(database, "ada lovelace page", "someone else")
    assert (found.fact, found.page_id) == (BORN, page_id)


def test_a_pages_facts_are_replaced_when_it_changes(database: Database) -> None:
    page_id = save_page(database, BORN)
    assert save_page(database, PRICE, content_hash="2") == page_id
    assert about(database, "ada lovelace page") == []
    with database.read() as session:
        assert pages.facts_of(session, [page_id]) == {page_id: [PRICE]}


def test_a_page_that_is_gone_states_nothing(database: Database) -> None:
    page_id = save_page(database, BORN)
    with database.write() as session:
        pages.mark_gone(session, page_id, NOW)
    assert about(database, "ada lovelace page") == []


# PostgreSQL plans by the size of its tables, which are empty here
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_facts_are_looked_up_by_their_subjects_and_not_from_all_pages(database: Database) -> None:
    asked: list[str] = []
    event.listen(database.engine, "before_cursor_execute", lambda _c, _cursor, statement, *_: asked.append(statement))
    with database.read() as session:
        about(database, "ada lovelace page", "someone else")
        query = asked[-1]
        values = tuple("a" for _ in range(query.count("?")))
        plan = session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {query}", values).all()
    assert "ix_facts_subject" in plan[0][3]
