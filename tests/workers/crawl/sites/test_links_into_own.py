"""A link on a page of the web leads nobody into the operator's own source: only its own pages do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from store.questions.new_questions import NewQuestion
from tests.logged_site import LoggedSite, article, served
from tests.workers.crawl.one_candidate import read_one
from tests.workers.crawl.sites.conftest import WorkOff
from workers.crawl import seek, sites
from workers.questions import submit
from workers.services import Services


@pytest.fixture
def site(services: Services) -> Iterator[LoggedSite]:
    """Serve a public site with an inner part, and have its front page read before that part is a source."""
    links = (
        "<a href=/lamp>lamp</a> <a href=/wiki/delete>d</a> <link rel=alternate type=application/rss+xml href=/wiki/rss>"
    )
    pages = {
        "/": article(1, links=links),
        "/lamp": article(2),
        "/wiki/": article(3, links="<a href=a>a</a>"),
        "/wiki/a": article(4),
        "/wiki/delete": article(5),
        "/wiki/rss": "<rss><channel></channel></rss>",
    }
    with served(pages) as site:
        services.__dict__["settings"] = services.settings.model_copy(update={"allow_hosts": (site.origin,)})
        assert read_one(services, f"{site.origin}/").outcome == "read"
        submit.add_source(services, f"{site.origin}/", own=False)
        submit.add_source(services, f"{site.origin}/wiki/", own=True, access={"headers": {"X-Token": "sesame"}})
        yield site


@pytest.mark.parametrize("again", [True, False])
@pytest.mark.parametrize("changed", [True, False])
def test_site_that_is_read_whole_leads_into_none(
    services: Services, site: LoggedSite, work_off: WorkOff, again: bool, changed: bool
) -> None:
    before = len(site.log)
    site.pages["/"] += "<p>It was lit again today.</p>" if changed else ""
    sites.start(services, f"{site.origin}/", again=again)
    work_off()
    assert sorted(site.paths(since=before)) == ["/", "/lamp"]


def test_own_source_that_is_read_whole_is(services: Services, site: LoggedSite, work_off: WorkOff) -> None:
    before = len(site.log)
    sites.start(services, f"{site.origin}/wiki/")
    work_off()
    assert sorted(site.paths(since=before)) == ["/wiki/", "/wiki/a"]


def test_question_follows_none(services: Services, site: LoggedSite) -> None:
    assert read_one(services, f"{site.origin}/wiki/").outcome == "read"
    question, _ = submit.submit(services, NewQuestion(text="Which lamp burns?"))
    known = services.read(seek._known, question, services.now(), ())
    assert {entry.link.url.removeprefix(site.origin) for entry in known.links} == {"/lamp", "/wiki/a"}
