"""Pages that say the same are one page with several addresses; pages that say something else never are."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from typing import cast

import pytest
from sqlalchemy import select, text, update
from sqlalchemy.orm import Session

from domain import Fact, PageText, Validators
from store.graph import GraphReader
from store.pages import pages
from store.passages.table import Passages
from store.sql.database import Database
from store.sql.tables import PageRow

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
HOST = "http://a.example"
WORDS = " ".join(f"The keeper of lamp number {at} trims its wick before dusk." for at in range(60))
OTHER = " ".join(f"Ferry {at} leaves the northern quay when the tide allows it." for at in range(60))


def _save(
    session: Session, path: str, said: str = WORDS, *, title: str = "Lamps", canonical: str = "", host: str = HOST
) -> tuple[int, bool]:
    canonical_url = f"{host}{canonical}" if canonical else ""
    page = PageText(
        title=title,
        text=said,
        lang="en",
        canonical_url=canonical_url,
        facts=(Fact(subject="Lamp", predicate="colour", object="red"),),
    )
    return pages.save(
        session,
        url=f"{host}{path}",
        host=host,
        page=page,
        content_hash=hashlib.blake2b(f"{title}\0{said}".encode(), digest_size=16).hexdigest(),
        validators=Validators(),
        depth=0,
        now=NOW,
    )


def _stands_for(session: Session) -> dict[str, str]:
    """From each page's path to that of the page that stands for it."""
    rows = {row.id: row for row in session.scalars(select(PageRow).execution_options(populate_existing=True))}
    path = {page_id: row.url.removeprefix(HOST) for page_id, row in rows.items()}
    return {path[page_id]: path[row.duplicate_of or page_id] for page_id, row in rows.items()}


def test_page_that_says_the_same_is_kept_without_being_indexed(database: Database) -> None:
    with database.write() as session:
        first, is_new = _save(session, "/lamps")
        assert is_new
        assert _save(session, "/lamps?page=all") == (first, False)
        assert _stands_for(session) == {"/lamps": "/lamps", "/lamps?page=all": "/lamps"}
        duplicate = session.scalars(select(PageRow).where(PageRow.duplicate_of == first)).one()
        assert duplicate.state == "INDEXED"
        assert pages.to_page(duplicate).is_duplicate
        assert pages.count(session) == 1
    stated = GraphReader(database, cast(Passages, None)).facts_about(["lamp"])
    assert {fact.page_id for fact in stated} == {first}


def test_page_that_says_nearly_the_same_is_a_duplicate(database: Database) -> None:
    with database.write() as session:
        first, _ = _save(session, "/lamps")
        assert _save(session, "/lamps/print", WORDS + " Printed with care.") == (first, False)


@pytest.mark.parametrize(
    ("said", "title", "host"),
    [
        (WORDS.replace("number 7 ", "number 70 "), "Lamps", HOST),  # a number is another
        (WORDS + " More.", "Lamps in winter", HOST),  # it says itself that it is about something else
        (OTHER, "Lamps", HOST),
        (WORDS, "Lamps", "http://b.example"),  # another site's word is not taken
    ],
)
def test_page_that_says_something_else_is_not_merged(database: Database, said: str, title: str, host: str) -> None:
    with database.write() as session:
        _save(session, "/lamps")
        assert _save(session, "/other", said, title=title, host=host)[1]
        assert pages.count(session) == 2


def test_shorter_address_wins_and_the_longer_ones_passages_go(database: Database) -> None:
    with database.write() as session:
        long, _ = _save(session, "/lamps/index.html")
        session.execute(update(PageRow).values(state="INDEXED"))
        short, is_new = _save(session, "/lamps/")
        assert is_new
        assert _stands_for(session) == {"/lamps/": "/lamps/", "/lamps/index.html": "/lamps/"}
        assert session.get_one(PageRow, long, populate_existing=True).state == "FETCHED"  # to lose its passages
        assert short != long


@pytest.mark.parametrize("order", [("/a", "/the-long-one"), ("/the-long-one", "/a")])
def test_canonical_page_wins_whichever_came_first(database: Database, order: tuple[str, str]) -> None:
    with database.write() as session:
        for path in order:
            said = WORDS if path == "/a" else WORDS + " It was 7 o'clock and 23 minutes."
            _save(session, path, said, title=f"Lamps {path}", canonical="/the-long-one")
        assert _stands_for(session) == {"/a": "/the-long-one", "/the-long-one": "/the-long-one"}


def test_page_that_names_another_canonical_but_says_something_else_stays(database: Database) -> None:
    with database.write() as session:
        _save(session, "/list")
        assert _save(session, "/list?page=2", OTHER, canonical="/list")[1]


def test_duplicates_of_a_duplicate_are_those_of_the_page_that_stands_for_it(database: Database) -> None:
    with database.write() as session:
        for path in ("/lamps/all/", "/lamps/all/old", "/lamps/"):
            _save(session, path)
        assert set(_stands_for(session).values()) == {"/lamps/"}


def test_duplicate_takes_the_place_of_a_page_that_is_gone(database: Database) -> None:
    later = NOW + timedelta(days=2)
    with database.write() as session:
        first, _ = _save(session, "/lamps")
        _save(session, "/lamps-again")
        pages.mark_gone(session, first, later)
        duplicate = session.scalars(select(PageRow).where(PageRow.duplicate_of == first)).one()
        session.refresh(duplicate)
        assert duplicate.next_due == later
        assert pages.mark_unchanged(session, duplicate.id, later) == (duplicate.id, True)
        assert (duplicate.duplicate_of, duplicate.state) == (None, "FETCHED")


def test_duplicate_of_a_page_that_changed_stands_for_itself_again(database: Database) -> None:
    with database.write() as session:
        first, _ = _save(session, "/lamps")
        _save(session, "/lamps-again")
        assert _save(session, "/lamps", OTHER) == (first, True)
        duplicate = session.scalars(select(PageRow).where(PageRow.duplicate_of == first)).one()
        assert pages.mark_unchanged(session, duplicate.id, NOW) == (duplicate.id, True)


# PostgreSQL plans by the size of its tables, which are empty here
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_lookup_asks_indexes_and_never_scans_a_host(database: Database) -> None:
    with database.read() as session:
        for column in ("band_0", "band_3", "canonical_url", "content_hash"):
            plan = session.execute(text(f"EXPLAIN QUERY PLAN SELECT id FROM pages WHERE host = 'h' AND {column} = 1"))
            assert f"(host=? AND {column}=?)" in plan.one()[3]
