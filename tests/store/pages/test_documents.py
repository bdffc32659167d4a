"""Documents in SQL: saved once whoever writes them, found by their metadata, and deleted with their pages."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

import pytest
from sqlalchemy import func, insert, select
from sqlalchemy.exc import IntegrityError

from domain import PageText
from domain.document import own_address
from domain.filters import tags_of
from store import documents
from store.documents import MAX_RANGE, AddressTaken, NewDocument, RangeTooWide, UnknownField
from store.pages import deletion
from store.sql.database import Database, DatabaseError
from store.sql.tables import DocumentRow, DocumentValueRow, PageRow

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def save(
    database: Database, document_id: str, text: str = "It is lit.", *, url: str = "", **metadata: Any
) -> tuple[int, bool]:
    new = NewDocument(
        id=document_id,
        url=url or own_address(document_id),
        host="https://e.org",
        page=PageText(title="T", text=text, lang="en"),
        pushed_hash=blake2b(f"{text} {url} {metadata}".encode(), digest_size=16).hexdigest(),
        metadata=metadata,
    )
    with database.write() as session:
        return documents.save(session, new, NOW)


def ids(database: Database, *filters: str) -> list[str]:
    with database.read() as session:
        return [each.id for each in documents.list_all(session, filters)]


def test_documents_are_found_by_texts_numbers_and_lists(database: Database) -> None:
    some: Mapping[str, Mapping[str, Any]] = {
        "a": {"team": "support", "year": 2020, "tags": ["red", "blue"]},
        "b": {"team": "Support", "year": 2021.5, "tags": []},
        "c": {"team": "süd", "year": "2022", "on": True, "long": "x" * 600},
    }
    page_of = {document_id: save(database, document_id, **metadata)[0] for document_id, metadata in some.items()}
    for filters, within in (
        (["team=support"], ["a"]),
        (["team!=support"], ["b", "c"]),
        (["team>=a"], ["a", "c"]),  # by their bytes, in every database
        (["year>=2021"], ["b", "c"]),
        (["year<2021.5"], ["a"]),
        (["year<=2021.5"], ["a", "b"]),
        (["tags=blue|green"], ["a"]),
        (["on=true"], ["c"]),
        (["on!=true", "year>2020"], ["b"]),
    ):
        assert ids(database, *filters) == within, filters
        with database.read() as session:
            fitting = documents.fitting(session, [*page_of.values()], filters)
        assert [each for each, page_id in page_of.items() if page_id in fitting] == within, filters
    with database.read() as session:
        any_tags, no_tags = documents.tags_for(session, ["year>=2021", "team!=support|ops", "tags=red"])
        with pytest.raises(
            UnknownField, match=r"'long': their names are on, tags, team, year\."
        ):  # too long to be found
            documents.check_fields(session, ["long=x"])
    assert (sorted(any_tags[0]), any_tags[1:]) == (["year=2021.5", "year=2022"], (("tags=red",),))
    assert no_tags == ("team=support", "team=ops")


def test_range_with_too_many_values_is_refused_with_what_to_do(database: Database) -> None:
    page_id, _ = save(database, "a", number=-1)
    with database.write() as session:
        values = ({"document_id": "a", "name": "number", "value": str(at), "number": at} for at in range(MAX_RANGE + 1))
        session.execute(insert(DocumentValueRow), list(values))
        with pytest.raises(RangeTooWide, match=r"More than 10,000 values of 'number' are >= '0': narrow the range"):
            documents.tags_for(session, ["number>=0"])
        assert len(documents.tags_for(session, ["number>=1"])[0][0]) == MAX_RANGE
        assert documents.page_ids(session, documents.meant(session, ["number>=0"])) == [page_id]  # lists take it


def test_writers_of_one_document_leave_one(database: Database) -> None:
    with ThreadPoolExecutor(8) as pool:
        saved = list(pool.map(lambda at: save(database, "a", f"Text {at}", n=at), range(16)))
    assert len({page_id for page_id, _ in saved}) == 1
    with database.read() as session:
        (row,) = session.scalars(select(DocumentRow))
        (value,) = session.scalars(select(DocumentValueRow.value))
        page = session.get_one(PageRow, row.page_id)
    assert page.text == f"Text {value}"
    assert page.tags == tags_of({"n": int(value)})


def test_one_url_is_one_documents(database: Database) -> None:
    def take(at: int) -> str:
        try:
            save(database, f"d{at}", url="https://e.org/one")
        except AddressTaken:
            return "taken"
        except DatabaseError as error:
            return "again" if isinstance(error.__cause__, IntegrityError) else "failed"  # workers.documents tries again
        return "saved"

    with ThreadPoolExecutor(8) as pool:
        came = list(pool.map(take, range(8)))
    assert came.count("saved") == 1
    assert "failed" not in came
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(PageRow)) == 1
        assert session.scalar(select(func.count()).select_from(DocumentRow)) == 1


def test_document_goes_with_its_page(database: Database) -> None:
    page_id, _ = save(database, "a", team="support")
    with database.write() as session:
        deletion.delete_page(session, page_id, NOW)
    assert ids(database) == []
    with database.read() as session:
        assert session.scalars(select(DocumentValueRow)).all() == []
    again, is_changed = save(database, "a", team="support")
    assert (again != page_id, is_changed) == (True, True)
