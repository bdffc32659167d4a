"""Names and mentions in SQL: replaced with their page, found by name and by passage, safe beside other writers."""

from __future__ import annotations

import threading
from collections.abc import Collection
from datetime import UTC, datetime
from typing import cast

import pytest
from sqlalchemy import func, select

from domain import PageText, Validators
from store import graph
from store.graph import GraphReader, PageNames
from store.pages import pages
from store.passages.table import Passages
from store.sql.database import Database
from store.sql.tables import EntityRow, LinkRow, MentionRow

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def save_page(database: Database, url: str, title: str = "A page") -> int:
    with database.write() as session:
        page = PageText(title=title, text=url, lang="en")
        page_id, _ = pages.save(
            session, url=url, host="h", page=page, content_hash=url, validators=Validators(), depth=0, now=NOW
        )
    return page_id


def put(database: Database, names: dict[int, PageNames]) -> None:
    with database.write() as session:
        graph.replace(session, names)


def reader(database: Database, private_pages: Collection[int] = ()) -> GraphReader:
    return GraphReader(database, cast(Passages, None), private_pages)


@pytest.fixture
def two(database: Database) -> tuple[int, int]:
    """A page of a film that names its director in its second passage, and the director's page."""
    film, director = save_page(database, "https://e.org/film"), save_page(database, "https://e.org/director")
    put(
        database,
        {
            film: PageNames(bears=("maximum overdrive",), mentions={0: ("leland",), 1: ("stephen king", "leland")}),
            director: PageNames(bears=("stephen king",), mentions={0: ("leland",)}),
        },
    )
    return film, director


def test_a_page_is_found_by_its_name_with_how_often_it_is_mentioned(database: Database, two: tuple[int, int]) -> None:
    (named,) = reader(database).pages_named(["stephen king", "leland", "nobody"])
    assert (named.name, named.pages, named.mentions) == ("stephen king", (two[1],), 1)


def test_a_passage_gives_the_names_it_mentions_that_other_pages_bear(database: Database, two: tuple[int, int]) -> None:
    film, director = two
    found = reader(database).mentioned_in([f"{film}-0", f"{film}-1", f"{director}-0"])
    assert {passage: [named.name for named in names] for passage, names in found.items()} == {
        f"{film}-1": ["stephen king"]
    }


def test_a_page_gives_the_passages_elsewhere_that_mention_it(database: Database, two: tuple[int, int]) -> None:
    film, director = two
    found = reader(database).mentioning([director, film], most=50)
    assert [named.passages for named in found[director]] == [(f"{film}-1",)]
    assert film not in found
    assert reader(database).mentioning([director], most=0) == {}


def test_a_phrase_is_a_mention_where_a_page_bears_it(database: Database) -> None:
    ship, plane = save_page(database, "https://e.org/ship"), save_page(database, "https://e.org/plane")
    names = {
        ship: PageNames(bears=("aircraft carrier",)),
        plane: PageNames(bears=("heinkel hd 23",), maybe={0: ("aircraft carrier", "held on")}),
    }
    put(database, names)
    with database.read() as session:
        assert [n.name for n in reader(database).mentioned_in([f"{plane}-0"])[f"{plane}-0"]] == ["aircraft carrier"]
        assert session.scalar(select(func.count()).select_from(EntityRow)) == 2


def test_refreshing_a_page_replaces_its_mentions(database: Database, two: tuple[int, int]) -> None:
    film, director = two
    put(database, {film: PageNames(bears=("the shining",), mentions={0: ("jack",)})})
    assert reader(database).pages_named(["maximum overdrive"]) == []
    assert reader(database).mentioning([director], most=50) == {}
    assert reader(database).pages_named(["the shining"])[0].pages == (film,)


def test_a_page_without_names_has_no_mention_left(database: Database, two: tuple[int, int]) -> None:
    put(database, {two[0]: PageNames()})
    with database.read() as session:
        assert session.scalar(select(func.count()).where(MentionRow.page_id == two[0])) == 0


def test_putting_the_same_page_twice_changes_nothing(database: Database, two: tuple[int, int]) -> None:
    names = {two[1]: PageNames(bears=("stephen king",), mentions={0: ("leland",)})}
    put(database, names)
    put(database, names)
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(MentionRow)) == 6


def test_writers_that_meet_at_the_same_new_names_all_succeed(database: Database) -> None:
    ids = [save_page(database, f"https://e.org/{at}") for at in range(6)]
    names = [f"name {at}" for at in range(200)]
    failures: list[BaseException] = []

    def write(page_id: int) -> None:
        try:
            put(database, {page_id: PageNames(bears=names[:1], mentions={0: names if page_id % 2 else names[::-1]})})
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(page_id,)) for page_id in ids]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(EntityRow)) == 200
        assert session.scalar(select(func.count()).select_from(MentionRow)) == 6 * 201


def test_a_name_that_is_everywhere_is_counted_to_a_limit(database: Database) -> None:
    page = save_page(database, "https://e.org/many")
    put(database, {page: PageNames(bears=("everywhere",), mentions=dict.fromkeys(range(1100), ("everywhere",)))})
    assert reader(database).pages_named(["everywhere"])[0].mentions == graph.MAX_COUNTED


def test_links_between_pages_are_those_that_both_stand_among_them(database: Database) -> None:
    with database.write() as session:
        for to in ("b", "c", "a"):
            session.add(
                LinkRow(site="s", from_url="a", url=to, text="", context="", origin="link", depth=0, seen_at=NOW)
            )
    assert reader(database).links_between(["a", "b"]) == [("a", "b")]


def test_a_name_is_counted_among_about_as_many_pages_as_there_are(database: Database, two: tuple[int, int]) -> None:
    assert reader(database).pages_named(["stephen king"])[0].among == max(two)


def test_private_page_names_and_counts_nothing_for_those_who_may_not_see_it(
    database: Database, two: tuple[int, int]
) -> None:
    film, director = two
    diary = save_page(database, "https://e.org/diary")
    told = PageNames(bears=("leland",), mentions={0: ("stephen king",)}, maybe={0: ("leland",)}, private=True)
    put(database, {diary: told})
    public = save_page(database, "https://e.org/public")
    put(database, {public: PageNames(maybe={0: ("leland", "stephen king")})})
    with database.read() as session:
        assert reader(database).pages_named(["leland"]) == []
        assert [named.pages for named in reader(database, [diary]).pages_named(["leland"])] == [(diary,)]
        assert reader(database).mentioned_in([f"{film}-0"]) == {}
        assert reader(database, [diary]).mentioned_in([f"{film}-0"]).keys() == {f"{film}-0"}
        (seen,) = reader(database).mentioning([director], most=50)[director]
        (own,) = reader(database, [diary]).mentioning([director], most=50)[director]
        assert session.scalars(select(MentionRow.entity_id).where(MentionRow.page_id == public)).all() == [
            session.scalar(select(EntityRow.id).where(EntityRow.name == "stephen king"))
        ]
    assert seen.passages == (f"{film}-1", f"{public}-0")
    assert own.passages == (f"{film}-1", f"{diary}-0", f"{public}-0")
