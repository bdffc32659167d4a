"""A whole site is read within its bounds, page after page; it can be paused, resumed and cancelled."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import update

from domain.site import SiteReadStatus
from store.crawl import candidates
from store.crawl.candidates import CandidateStatus
from store.crawl.site_reads import SiteReadOver
from store.pages.listing import list_pages
from store.sql.tables import CandidateRow, PageRow
from tests.logged_site import LoggedSite, article, served
from tests.workers.conftest import Outbox
from tests.workers.crawl.sites.conftest import WorkOff
from workers import sweep
from workers.crawl import sites
from workers.questions import submit
from workers.services import Services

SITEMAP = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'


@pytest.fixture
def site(services: Services) -> Iterator[LoggedSite]:
    """A front page, a chain of pages, one that only the sitemap names, and what must be left alone."""
    links = "<a href=/guide/1>1</a> <a href=/secret>s</a> <a rel=nofollow href=/private>p</a> <a href=/logo.png>l</a>"
    pages = {
        "/": article(0, links=links),
        "/guide/1": article(1, links="<a href=/guide/2>2</a>"),
        "/guide/2": article(2, links="<a href=/guide/3>3</a> <a href=https://elsewhere.example/>e</a>"),
        "/guide/3": article(3),
        "/only-listed": article(4),
        "/secret": article(5),
        "/private": article(6),
    }
    with served(pages, robots="User-agent: *\nDisallow: /secret\n") as site:
        site.pages["/sitemap.xml"] = SITEMAP.format(f"<url><loc>{site.origin}/only-listed</loc></url>")
        submit.add_source(services, f"{site.origin}/", own=True, min_delay_s=0.0)
        yield site


def test_a_whole_site_is_read_from_its_front_page_its_sitemap_and_links(
    services: Services, site: LoggedSite, work_off: WorkOff
) -> None:
    begun = sites.start(services, f"{site.origin}/")
    work_off()
    done = sites.get(services, begun.id)
    assert (done.status, done.reason) == (SiteReadStatus.DONE, sites.ALL_READ)
    assert sorted(site.paths(status=200)) == ["/", "/guide/1", "/guide/2", "/guide/3", "/only-listed", "/sitemap.xml"]
    assert (done.found, done.looked_at, done.new, done.left_out, done.failed) == (6, 6, 5, 1, 0)
    assert done.embedding == 5


def test_a_site_of_which_some_pages_failed_says_how_many_and_each_says_why(
    services: Services, site: LoggedSite, work_off: WorkOff
) -> None:
    site.failing = {"/guide/3", "/only-listed"}
    begun = sites.start(services, f"{site.origin}/")
    work_off()
    done = sites.get(services, begun.id)
    assert (done.status, done.failed) == (SiteReadStatus.DONE, 2)
    assert done.reason == "every page that was found was tried, and 2 of 6 could not be read"
    unread = {page.url: page.reason for page in services.read(list_pages, below=[[f"{site.origin}/"]], not_read=True)}
    for path in site.failing:
        assert "400" in unread[f"{site.origin}{path}"]


def test_reading_a_site_again_extracts_and_embeds_nothing_that_did_not_change(
    services: Services, site: LoggedSite, work_off: WorkOff, outbox: Outbox
) -> None:
    sites.start(services, f"{site.origin}/")
    work_off()
    outbox.messages.clear()
    before = len(site.log)
    site.pages["/guide/2"] = article(22, links="<a href=/guide/3>3</a>")
    again = sites.start(services, f"{site.origin}/")
    work_off()
    done = sites.get(services, again.id)
    assert (done.looked_at, done.new, done.unchanged) == (6, 1, 4)
    assert [task for task, _ in outbox.messages] == ["wellread.embed"]
    assert site.paths(since=before, status=200) == ["/sitemap.xml", "/guide/2"]


def test_bytes_that_were_extracted_before_are_not_extracted_again_where_a_server_cannot_tell(
    services: Services, site: LoggedSite, work_off: WorkOff, outbox: Outbox
) -> None:
    site.has_etags = False
    sites.start(services, f"{site.origin}/")
    work_off()
    outbox.messages.clear()
    with services.database.write() as session:  # a page that is extracted again would count as changed
        session.execute(update(PageRow).values(content_hash="another"))
    again = sites.start(services, f"{site.origin}/")
    work_off()
    assert sites.get(services, again.id).unchanged == 5
    assert outbox.messages == []


def test_a_limit_of_pages_or_depth_ends_it_with_the_reason(
    services: Services, site: LoggedSite, work_off: WorkOff
) -> None:
    few = sites.start(services, f"{site.origin}/", max_pages=2)
    work_off()
    assert sites.get(services, few.id).reason == "the limit of 2 pages is reached"
    near = sites.start(services, f"{site.origin}/", max_depth=1)
    work_off()
    assert "/guide/2" not in site.paths()
    assert sites.get(services, near.id).status is SiteReadStatus.DONE


def test_a_part_of_a_site_is_bounded_by_its_path(services: Services, site: LoggedSite, work_off: WorkOff) -> None:
    sites.start(services, f"{site.origin}/guide/1")
    work_off()
    assert sorted(set(site.paths()) - {"/sitemap.xml"}) == ["/guide/1", "/guide/2", "/guide/3"]


def test_a_paused_site_is_read_no_further_until_it_is_resumed(
    services: Services, site: LoggedSite, work_off: WorkOff, outbox: Outbox
) -> None:
    begun = sites.start(services, f"{site.origin}/")
    work_off(2)
    paused = sites.halt(services, begun.id, SiteReadStatus.PAUSED)
    assert paused.status is SiteReadStatus.PAUSED
    seen = len(site.log)
    work_off()
    sweep.sweep(services)
    work_off()
    assert len(site.log) == seen
    assert sites.resume(services, begun.id).status is SiteReadStatus.RUNNING
    work_off()
    assert sites.get(services, begun.id).looked_at == 6


def test_a_cancelled_site_ends_and_keeps_what_was_read(services: Services, site: LoggedSite, work_off: WorkOff) -> None:
    begun = sites.start(services, f"{site.origin}/")
    work_off(3)
    ended = sites.halt(services, begun.id, SiteReadStatus.CANCELLED)
    work_off()
    assert (ended.status, ended.finished_at is not None) == (SiteReadStatus.CANCELLED, True)
    assert sites.get(services, begun.id).looked_at == ended.looked_at
    with pytest.raises(SiteReadOver):
        sites.halt(services, begun.id, SiteReadStatus.PAUSED)


def test_a_site_that_is_being_read_is_not_begun_twice(services: Services, site: LoggedSite, outbox: Outbox) -> None:
    first, second = (sites.start(services, f"{site.origin}/") for _ in range(2))
    assert first.id == second.id
    assert len(outbox.messages) == 1


def test_a_site_read_whose_call_was_lost_goes_on_by_the_sweep(
    services: Services, site: LoggedSite, work_off: WorkOff, outbox: Outbox
) -> None:
    begun = sites.start(services, f"{site.origin}/")
    work_off(2)
    outbox.messages.clear()
    with services.database.write() as session:
        for row in session.query(CandidateRow).filter_by(status=CandidateStatus.WAITING):
            row.due_at = row.created_at.replace(year=2020)
    sweep.sweep(services)
    work_off()
    assert sites.get(services, begun.id).status is SiteReadStatus.DONE


def test_a_site_read_that_nobody_reads_is_taken_up_by_the_sweep(
    services: Services, site: LoggedSite, work_off: WorkOff, outbox: Outbox
) -> None:
    begun = sites.start(services, f"{site.origin}/")
    work_off(2)
    outbox.messages.clear()
    with services.database.write() as session:
        for row in session.query(CandidateRow).filter_by(status=CandidateStatus.WAITING):
            row.status = CandidateStatus.KNOWN
    sweep.sweep(services)
    assert len(outbox.messages) == 1
    work_off()
    assert sites.get(services, begun.id).status is SiteReadStatus.DONE


def test_a_page_of_a_site_that_is_delivered_twice_is_counted_once(
    services: Services, site: LoggedSite, work_off: WorkOff, outbox: Outbox
) -> None:
    begun = sites.start(services, f"{site.origin}/")
    outbox.messages *= 2
    work_off()
    assert sites.get(services, begun.id).looked_at == 6
    with services.database.read() as session:
        assert candidates.finished_since(session, [f"{site.origin}/"], services.now().replace(year=2020))
