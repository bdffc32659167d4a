"""A page that leads elsewhere, asks not to be kept or may not be asked for any more is not quoted any more."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlalchemy import select, update

from store.pages import history
from store.sql.tables import HostRow, PageRow
from tests.logged_site import LoggedSite, article, served
from tests.workers.conftest import Outbox
from tests.workers.crawl.one_candidate import read_one
from workers.questions import submit
from workers.services import Services


@pytest.fixture
def site(services: Services) -> Iterator[LoggedSite]:
    with served({"/lamp": article(1), "/ferry": article(2)}) as site:
        submit.add_source(services, f"{site.origin}/", own=True, min_delay_s=0.0)
        yield site


def _page(services: Services, url: str) -> PageRow:
    with services.database.read() as session:
        return session.scalars(select(PageRow).where(PageRow.url == url)).one()


def _in_the_knowledge_base(services: Services, outbox: Outbox) -> None:
    """As if every page had been embedded."""
    with services.database.write() as session:
        session.execute(update(PageRow).values(state="INDEXED"))
    outbox.messages.clear()


def _is_taken_out(services: Services, outbox: Outbox, url: str) -> bool:
    page = _page(services, url)
    return page.gone_at is not None and page.state == "FETCHED" and ("wellread.embed", page.id) in outbox.messages


def test_page_that_leads_to_another_now_is_taken_out_and_the_other_kept(
    services: Services, site: LoggedSite, outbox: Outbox
) -> None:
    read_one(services, f"{site.origin}/lamp")
    _in_the_knowledge_base(services, outbox)
    site.moved["/lamp"] = "/ferry"
    assert read_one(services, f"{site.origin}/lamp").outcome == "read"
    assert _is_taken_out(services, outbox, f"{site.origin}/lamp")
    new = _page(services, f"{site.origin}/ferry")
    assert new.gone_at is None
    assert ("wellread.embed", new.id) in outbox.messages
    latest = services.read(history.visits_of, _page(services, f"{site.origin}/lamp").id)[0]
    assert (latest.outcome, f"{site.origin}/ferry" in latest.reason) == ("gone", True)


def test_page_that_asks_not_to_be_kept_any_more_is_taken_out(
    services: Services, site: LoggedSite, outbox: Outbox
) -> None:
    read_one(services, f"{site.origin}/lamp")
    _in_the_knowledge_base(services, outbox)
    site.pages["/lamp"] = article(1).replace("<h1>", "<meta name=robots content=noindex><h1>")
    assert read_one(services, f"{site.origin}/lamp").outcome == "forbidden"
    assert _is_taken_out(services, outbox, f"{site.origin}/lamp")


def test_page_that_robots_txt_forbids_now_is_taken_out(services: Services, site: LoggedSite, outbox: Outbox) -> None:
    read_one(services, f"{site.origin}/lamp")
    _in_the_knowledge_base(services, outbox)
    site.robots = "User-agent: *\nDisallow: /lamp\n"
    with services.database.write() as session:
        session.execute(update(HostRow).values(robots_at=services.now() - timedelta(days=2)))
    assert read_one(services, f"{site.origin}/lamp").outcome == "forbidden"
    assert _is_taken_out(services, outbox, f"{site.origin}/lamp")


def test_page_that_is_itself_again_is_put_back_and_is_looked_at_within_its_interval(
    services: Services, site: LoggedSite, outbox: Outbox
) -> None:
    read_one(services, f"{site.origin}/lamp")
    site.moved["/lamp"] = "/ferry"
    read_one(services, f"{site.origin}/lamp")
    away = _page(services, f"{site.origin}/lamp")
    assert away.next_due < services.now() + timedelta(days=2)
    del site.moved["/lamp"]
    _in_the_knowledge_base(services, outbox)
    assert read_one(services, f"{site.origin}/lamp").outcome == "read"
    back = _page(services, f"{site.origin}/lamp")
    assert (back.gone_at, back.state) == (None, "FETCHED")
