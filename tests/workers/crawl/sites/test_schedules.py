"""A source's schedule says when it is looked at for new pages, and when its pages are read again."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from sqlalchemy import update

from crawler.discovery.schedule import BadSchedule, schedule_of
from store.crawl import site_reads, sources
from store.sql.tables import HostRow, PageRow, SourceRow
from tests.logged_site import LoggedSite, article, served
from tests.workers.conftest import Outbox
from tests.workers.crawl.sites.conftest import WorkOff
from workers.crawl import sites
from workers.questions import submit
from workers.services import Services


@pytest.fixture
def site(services: Services) -> Iterator[LoggedSite]:
    pages = {"/": article(0, links="<a href=/a>a</a>"), "/a": article(1)}
    with served(pages) as site:
        yield site


def _keep(services: Services, site: LoggedSite) -> sources.Source:
    return submit.add_source(services, f"{site.origin}/", own=True, min_delay_s=0.0)


def _schedule(services: Services, source_id: int, **changes: str | None) -> sources.Source:
    source = sites.change(services, source_id, changes)
    assert source is not None
    return source


def _overdue(services: Services) -> None:
    with services.database.write() as session:
        for row in session.query(SourceRow):
            row.next_due = services.now() - timedelta(seconds=1)


def test_a_source_that_is_due_is_looked_at_for_new_pages_and_is_due_again(
    services: Services, site: LoggedSite, work_off: WorkOff, outbox: Outbox
) -> None:
    source = _schedule(services, _keep(services, site).id, every="6h")
    assert source.next_due is not None
    sites.start(services, f"{site.origin}/")
    work_off()
    before = len(site.log)
    site.pages["/"] = article(0, links="<a href=/a>a</a> <a href=/b>b</a>")
    site.pages["/b"] = article(2)
    _overdue(services)
    sites.refresh(services)
    work_off()
    assert site.paths(since=before) == ["/", "/b"]
    with services.database.read() as session:
        found = sources.find(session, source.id)
        looks = site_reads.latest(session, services.now())
    assert found is not None
    assert found.next_due is not None
    assert found.next_due > services.now() + timedelta(hours=5)
    assert looks[0].source_id == source.id


def test_pages_of_a_source_are_due_with_it_and_by_their_own_intervals_without_a_schedule(
    services: Services, site: LoggedSite, work_off: WorkOff
) -> None:
    source = _schedule(services, _keep(services, site).id, cron="0 3 * * *")
    sites.start(services, f"{site.origin}/")
    work_off()
    assert _next_due(services) == {source.next_due}
    changed = _schedule(services, source.id, every="2h")
    assert _next_due(services) == {changed.next_due}
    _schedule(services, source.id, every=None)
    sites.start(services, f"{site.origin}/")
    work_off()
    (due,) = {moment.replace(minute=0, second=0, microsecond=0) for moment in _next_due(services)}
    assert due > services.now() + timedelta(hours=20)


def test_what_is_no_schedule_is_refused_and_changes_nothing(services: Services, site: LoggedSite) -> None:
    source = _keep(services, site)
    with pytest.raises(BadSchedule, match="wrong hour"):
        _schedule(services, source.id, cron="0 25 * * *")
    with services.database.read() as session:
        assert sources.find(session, source.id) == source


def test_adding_a_source_again_keeps_its_schedule(services: Services, site: LoggedSite) -> None:
    _schedule(services, _keep(services, site).id, every="6h")
    assert _keep(services, site).schedule == schedule_of(every="6h")


def test_adding_a_source_again_leaves_it_the_operators_own(services: Services, site: LoggedSite) -> None:
    kept = _keep(services, site)
    assert kept.own
    assert submit.add_source(services, kept.url, own=False, min_delay_s=None) == kept


def test_the_narrowest_schedule_that_covers_a_page_counts(services: Services, site: LoggedSite) -> None:
    wide = _schedule(services, _keep(services, site).id, every="6h")
    docs = submit.add_source(services, f"{site.origin}/docs/", own=True, min_delay_s=None)
    narrow = _schedule(services, docs.id, every="1h")
    now = services.now()
    assert sites.due_at([wide, narrow], f"{site.origin}/docs/x", now) == narrow.next_due
    assert sites.due_at([wide, narrow], f"{site.origin}/x", now) == wide.next_due
    assert sites.due_at([wide, narrow], "https://elsewhere.example/", now) is None


def _all_overdue(services: Services) -> None:
    """The source is due, and the pages that it covers with it."""
    _overdue(services)
    past = services.now() - timedelta(seconds=1)
    with services.database.write() as session:
        session.execute(update(PageRow).values(next_due=past))
        session.execute(update(HostRow).values(refresh_at=past))


def _next_due(services: Services) -> set[datetime]:
    with services.database.read() as session:
        return {row.next_due for row in session.query(PageRow)}


def test_paused_source_is_left_alone_until_it_is_resumed_with_its_schedule(
    services: Services, site: LoggedSite, work_off: WorkOff
) -> None:
    source = _schedule(services, _keep(services, site).id, every="6h")
    sites.start(services, f"{site.origin}/")
    work_off()
    before = len(site.log)
    paused = sites.change(services, source.id, {"paused": True})
    assert paused is not None
    assert (paused.schedule, paused.next_due) == (source.schedule, None)
    assert min(_next_due(services)) > services.now() + timedelta(days=10_000)
    sites.refresh(services)
    work_off()
    assert site.log[before:] == []
    changed = _schedule(services, source.id, every="2h")  # it stays paused
    assert (changed.paused, changed.next_due) == (True, None)
    resumed = sites.change(services, source.id, {"paused": False})
    assert resumed is not None
    assert resumed.schedule is not None
    assert resumed.schedule.every_s == 7_200
    assert _next_due(services) == {resumed.next_due}
    _overdue(services)
    sites.refresh(services)
    work_off()
    assert site.paths(since=before)


def test_pages_of_a_source_below_a_paused_one_are_read_by_its_own_schedule(
    services: Services, site: LoggedSite, work_off: WorkOff
) -> None:
    site.pages |= {"/": article(0, links="<a href=/docs/>a</a>"), "/docs/": article(1)}
    whole = _keep(services, site)
    docs = submit.add_source(services, f"{site.origin}/docs/", own=True, min_delay_s=0.0)
    part = _schedule(services, docs.id, every="6h")
    sites.start(services, f"{site.origin}/")
    work_off()
    sites.change(services, whole.id, {"paused": True})
    with services.database.read() as session:
        due = {row.url.removeprefix(site.origin): row.next_due for row in session.query(PageRow)}
    assert due["/docs/"] == part.next_due
    assert due["/"] > services.now() + timedelta(days=10_000)


def test_a_check_asks_for_each_page_once_and_for_the_sitemap(
    services: Services, site: LoggedSite, work_off: WorkOff
) -> None:
    source = _schedule(services, _keep(services, site).id, every="6h")
    sites.start(services, f"{site.origin}/")
    work_off()
    for _ in range(2):
        before = len(site.log)
        _all_overdue(services)
        sites.refresh(services)
        work_off()
        asked = [(request.path, request.status) for request in site.log[before:]]
        assert sorted(asked) == [("/", 304), ("/a", 304), ("/sitemap.xml", 404)]
    with services.database.read() as session:
        assert _next_due(services) == {sources.find(session, source.id).next_due}
