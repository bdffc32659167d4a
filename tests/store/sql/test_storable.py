"""What no database can hold of a text is replaced when a row is written, wherever the text came from."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import select

from domain import Fact, PageText, Validators
from store.pages import pages
from store.sql.database import Database
from store.sql.tables import FactRow, PageRow


def test_half_a_surrogate_pair_or_a_nul_keeps_no_page_from_being_stored(database: Database) -> None:
    page = PageText(
        title="A\ud800da",
        text="Ada wrote it.\0 🗼",
        lang="en",
        headings=((0, "\udfff"),),
        facts=(Fact(subject="A", predicate="b\0", object="\udc00"),),
    )
    with database.write() as session:
        pages.save(
            session,
            url="https://example.org/",
            host="https://example.org",
            page=page,
            content_hash="h",
            validators=Validators(),
            depth=0,
            now=datetime.now(UTC),
        )
    with database.read() as session:
        row = session.scalars(select(PageRow)).one()
        assert (row.title, row.text, row.headings) == ("A\ufffdda", "Ada wrote it.\ufffd 🗼", [[0, "\ufffd"]])
        fact = session.scalars(select(FactRow)).one()
        assert (fact.predicate, fact.object) == ("b\ufffd", "\ufffd")
