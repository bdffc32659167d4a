"""A source's schedule says when it is looked at for new pages, and when its pages are read again."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from crawler.discovery.schedule import BadSchedule, by_interval
from store.crawl import site_reads, sources
from store.sql.tables import PageRow, SourceRow
from tests.logged_site import LoggedSite, article, served
from tests.workers.conftest import Bell
from tests.workers.crawl.sites.conftest import WorkOff
from workers.crawl import schedules, sites
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
    source = schedules.change(services, source_id, changes)
    assert source is not None
    return source


def _overdue(services: Services) -> None:
    with services.database.write() as session:
        for row in session.query(SourceRow):
            row.next_due = services.now() - timedelta(seconds=1)


def test_a_source_that_is_due_is_looked_at_for_new_pages_and_is_due_again(
    services: Services, site: LoggedSite, work_off: WorkOff, bell: Bell
) -> None:
    source = _schedule(services, _keep(services, site).id, every="6h")
    assert source.next_due is not None
    sites.start(services, f"{site.origin}/")
    work_off()
    before = len(site.log)
    site.pages["/"] = article(0, links="<a href=/a>a</a> <a href=/b>b</a>")
    site.pages["/b"] = article(2)
    _overdue(services)
    schedules.refresh(services)
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
    assert _keep(services, site).schedule == by_interval("6h")


def test_the_narrowest_schedule_that_covers_a_page_counts(services: Services, site: LoggedSite) -> None:
    wide = _schedule(services, _keep(services, site).id, every="6h")
    docs = submit.add_source(services, f"{site.origin}/docs/", own=True, min_delay_s=None)
    narrow = _schedule(services, docs.id, every="1h")
    now = services.now()
    assert schedules.due_at([wide, narrow], f"{site.origin}/docs/x", now) == narrow.next_due
    assert schedules.due_at([wide, narrow], f"{site.origin}/x", now) == wide.next_due
    assert schedules.due_at([wide, narrow], "https://elsewhere.example/", now) is None


def _next_due(services: Services) -> set[datetime]:
    with services.database.read() as session:
        return {row.next_due for row in session.query(PageRow)}
