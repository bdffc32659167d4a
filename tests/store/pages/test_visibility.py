"""What a private page said before it became public stays with those that it was read for."""

from __future__ import annotations

from sqlalchemy import select

from domain import PageText, Validators
from store.pages import deletion, history, pages, visibility
from store.sql.database import Database
from store.sql.tables import PageRow, PageVersionRow
from tests.store.walk import NOW, ask


def _save(database: Database, text: str, *, private: bool) -> int:
    page = PageText(title="A", text=text, lang="en")
    with database.write() as session:
        page_id, _ = pages.save(
            session, url="https://example.org/a", host="https://example.org", page=page, content_hash=text,
            validators=Validators(), depth=0, now=NOW, private=private,
        )  # fmt: skip
    return page_id


def _former(database: Database) -> list[str]:
    with database.read() as session:
        return list(session.scalars(select(PageVersionRow.text).order_by(PageVersionRow.number)))


def test_former_texts_are_kept_from_when_a_page_is_public(database: Database) -> None:
    page_id = _save(database, "A secret.", private=True)
    _save(database, "A shared text.", private=True)
    assert _former(database) == []
    with database.write() as session:
        visibility.share(session, page_id, NOW)
    _save(database, "A third text.", private=False)
    assert _former(database) == ["A shared text."]


def test_sharing_deletes_what_was_kept_while_it_was_private(database: Database) -> None:
    page_id = _save(database, "A secret.", private=True)
    with database.write() as session:  # as an earlier version kept it
        history.keep(session, session.get_one(PageRow, page_id))
        visibility.share(session, page_id, NOW)
    assert _former(database) == []


def test_only_pages_that_the_question_may_see_are_read_for_it(database: Database) -> None:
    page_id, question_id = _save(database, "A secret.", private=True), ask(database)
    with database.write() as session:
        assert pages.read(session, [page_id], question_id) == {}
        visibility.grant(session, question_id, ["https://example.org/a"])
    with database.read() as session:
        assert pages.read(session, [page_id, page_id + 1], question_id)[page_id].text == "A secret."
    with database.write() as session:
        deletion.delete_page(session, page_id, NOW)
        assert pages.read(session, [page_id], question_id) == {}
