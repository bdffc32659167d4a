"""A source that redirects to another's host is read there, and decides nothing about the pages of that host."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

import pytest
from sqlalchemy import select

from domain import Status
from domain.site import Source
from store.crawl import sources
from store.questions import state
from store.questions.new_questions import NewQuestion
from store.sql.tables import PageRow
from tests.fakes import HashingEmbedder
from tests.logged_site import article, served
from tests.workers.crawl.one_candidate import add, work
from tests.workers.crawl.sites.conftest import WorkOff
from workers import deletion
from workers.crawl import sites
from workers.questions import submit
from workers.services import Services


class Two(NamedTuple):
    """A source that redirects, and one at the host that it redirects to."""

    moved: Source
    other: Source
    pages: tuple[str, str, str]  #: URLs there: the front page, one of the other source, and a private one


@pytest.fixture
def two(services: Services, work_off: WorkOff) -> Iterator[Two]:
    services.__dict__["embedder"] = HashingEmbedder()
    pages = {"/": article(1), "/docs/crane": article(2), "/letter": article(3)}
    with served({}) as first, served(pages) as host:
        other = submit.add_source(services, f"{host.origin}/docs/", own=True, min_delay_s=0.0)
        two = Two(
            moved=submit.add_source(services, f"{first.origin}/", own=True, min_delay_s=0.0),
            other=other,
            pages=(f"{host.origin}/", f"{host.origin}/docs/crane", f"{host.origin}/letter"),
        )
        sites.start(services, two.pages[1])
        work_off()
        _read_privately(services, two.pages[2])
        first.moved["/"] = f"{host.origin}/"
        sites.start(services, two.moved.url)
        work_off()
        found = services.read(sources.find, two.moved.id)
        assert found is not None
        assert found.scope.covers(two.pages[1])  # it is searched there
        assert set(_rows(services)) == set(two.pages)
        yield two._replace(moved=found)


def _read_privately(services: Services, url: str) -> None:
    named = NewQuestion(text="Who wrote the letter?", sites=(url,), private=True, reuse=False)
    question, _ = submit.submit(services, named)
    with services.database.write() as session:
        row = state.lock(session, question.id)
        assert row is not None
        state.advance(session, row, Status.READING, services.now())
    work(services, add(services, url, question.id), until=lambda row: row.status == "SETTLED")


def _rows(services: Services) -> dict[str, PageRow]:
    with services.database.read() as session:
        return {row.url: row for row in session.scalars(select(PageRow).where(PageRow.deleted_at.is_(None)))}


def _change(services: Services, source: Source, **changes: object) -> None:
    assert sites.change(services, source.id, changes) is not None


def test_pages_there_are_not_deleted_with_it(services: Services, two: Two) -> None:
    assert deletion.delete_pages_of(services, two.moved) == 0
    assert set(_rows(services)) == set(two.pages)


def test_pages_there_can_be_deleted_by_their_own_source(services: Services, two: Two) -> None:
    assert deletion.delete_pages_of(services, two.other) == 1
    assert set(_rows(services)) == {two.pages[0], two.pages[2]}


def test_private_page_there_stays_private(services: Services, two: Two) -> None:
    _change(services, two.moved, exclude=("/old/",))
    submit.add_source(services, two.moved.url, own=True)
    assert {url: row.private for url, row in _rows(services).items()} == dict(
        zip(two.pages, (False, False, True), strict=True)
    )


def test_page_there_that_a_private_question_reads_is_private(services: Services, two: Two) -> None:
    deletion.delete_pages(services, [_rows(services)[two.pages[2]].id])
    _read_privately(services, two.pages[2])
    assert _rows(services)[two.pages[2]].private


def test_pausing_it_stops_the_refresh_of_its_own_pages_only(services: Services, two: Two) -> None:
    def due() -> dict[str, datetime]:
        return {url: row.next_due for url, row in _rows(services).items()}

    before = due()
    _change(services, two.moved, paused=True)
    after = due()
    assert after[two.pages[1]] == before[two.pages[1]]
    assert after[two.pages[0]] > before[two.pages[0]]  # which no other source has
    known = services.read(sources.list_all)
    assert sites.due_at(known, two.pages[1], services.now()) is None
    _change(services, two.moved, paused=False)
    assert due()[two.pages[0]] < after[two.pages[0]]
