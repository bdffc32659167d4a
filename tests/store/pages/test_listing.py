"""A list of pages says how long each text is, whoever wrote it."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from store.pages import deletion
from store.pages.listing import list_pages
from store.sql.database import Database
from store.sql.tables import PageRow
from tests.store import walk

FIRST, SECOND = "Zürich is in 瑞士 🏔.", "Bern is the capital of Switzerland."


def _listed(database: Database) -> list[int]:
    with database.read() as session:
        return [page.characters for page in list_pages(session)]


@pytest.mark.parametrize("by_earlier_version", [False, True])
def test_listed_length_is_that_of_the_present_text(database: Database, by_earlier_version: bool) -> None:
    for text in (FIRST, SECOND):
        page_id = walk.page(database, text)
        if by_earlier_version:
            with database.write() as session:
                session.execute(update(PageRow).values(characters=None))
        assert _listed(database) == [len(text)]
    with database.write() as session:
        deletion.delete_page(session, page_id, walk.NOW)
        assert session.get_one(PageRow, page_id).characters == 0
