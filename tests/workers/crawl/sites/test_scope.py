"""What is read of a site is what is searched for it: a folder's front page, a redirect, a single page, patterns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import select

from domain import Question, Status
from store.crawl import sources
from store.questions import new_questions, state
from store.questions.new_questions import NewQuestion
from store.sql.tables import PageRow, QuestionRow
from tests.fakes import HashingEmbedder
from tests.logged_site import LoggedSite, article, served
from tests.workers.crawl.one_candidate import read_one
from tests.workers.crawl.sites.conftest import WorkOff
from workers import indexing
from workers.crawl import sites
from workers.crawl.seek import seek
from workers.questions import lookup, submit
from workers.questions.step import step
from workers.services import Services

CRANE = "The crane lifts 4 tonnes at the pier."
QUESTION = "How many tonnes does the crane lift?"
LINKS = "<a href=crane.html>crane</a> <a href=boat.html>boat</a> <a href=/elsewhere.html>e</a>"


def pages_in(folder: str, front: str = "") -> dict[str, str]:
    return {
        f"{folder}{front}": article(1, links=LINKS),
        f"{folder}crane.html": article(
            2, more=f" {CRANE}", links="<a href=old/rope.html>r</a> <a href=boat.html>b</a>"
        ),
        f"{folder}boat.html": article(3),
        f"{folder}old/rope.html": article(4),
    }


@pytest.fixture
def site(services: Services) -> Iterator[LoggedSite]:
    services.__dict__["embedder"] = HashingEmbedder()
    with served({"/elsewhere.html": article(9, more=f" {CRANE}")}) as site:
        yield site


def ask(services: Services, *named: str) -> Question:
    return services.write(new_questions.ask, NewQuestion(text=QUESTION, sites=named), services.now())[0]


def crawl(services: Services, question: Question, work_off: WorkOff) -> None:
    """Have a question read what it finds, wave after wave."""
    for _ in range(6):
        with services.database.write() as session:
            session.get_one(QuestionRow, question.id).status = Status.SEEKING
        with step(services, question.id, Status.SEEKING) as work:
            assert work is not None
            seek(services, work)
        work_off()
    with services.database.write() as session:
        row = state.lock(session, question.id)
        assert row is not None
        row.status = Status.REQUERYING
    index(services)


def index(services: Services) -> None:
    with services.database.read() as session:
        page_ids = session.scalars(select(PageRow.id)).all()
    for page_id in page_ids:
        indexing.embed(services, page_id)


def answer(services: Services, *named: str) -> str:
    found = lookup.first_pass(services, ask(services, *named))
    return found.answer.text if found.answer else ""


def folder(site: LoggedSite, how: str) -> str:
    """Have the site serve its folder in one of the ways that people's sites do; return its address."""
    if how.startswith("/docs/"):
        site.pages |= pages_in("/docs/", how.removeprefix("/docs/"))
        return how
    if how.startswith("list "):
        _, start, form = how.split(" ", 2)
        site.pages |= pages_in("/docs/")
        written = {"/urls.txt": "{}\n", "/feed.xml": "<item><link>{}</link></item>"}.get(
            start, "<url><loc>{}</loc></url>"
        )
        listed = "".join(written.format(f"{site.origin}/docs/{name}.html") for name in ("boat", "crane"))
        site.pages[start] = form.format(listed)
        return start
    status, start, target = how.split()
    site.pages |= pages_in(target[: target.rindex("/") + 1], target[target.rindex("/") + 1 :])
    site.moved[start], site.moved_status = target, int(status)
    return start


FOLDERS = [
    "/docs/",
    "/docs/index.html",
    "/docs/index.php?lang=en",
    "301 /guide /manual/v2/",
    "302 /docs /docs/",
    "307 /start/ /en/home.html",
    "308 /docs/index.html /docs/v2/index.html",
    "list /lists/sitemap.xml <urlset>{}</urlset>",
    "list /feed.xml <rss><channel>{}</channel></rss>",
    "list /urls.txt {}",
]


@pytest.mark.parametrize("how", FOLDERS)
@pytest.mark.parametrize("reader", ["question", "source", "schedule", "person"])
def test_folder_is_searched_where_it_was_read(
    services: Services, site: LoggedSite, work_off: WorkOff, how: str, reader: str
) -> None:
    url = site.origin + folder(site, how)
    services.__dict__["settings"] = services.settings.model_copy(update={"allow_hosts": (site.origin,)})
    if reader != "question":
        source = submit.add_source(services, url, own=True, min_delay_s=0.0)
    if reader == "question":
        crawl(services, ask(services, url), work_off)
    elif reader == "source":
        crawl(services, ask(services), work_off)
    elif reader == "schedule":
        started = services.write(sites.look_for_new_pages, source, services.now())
        services.dispatcher.send_all("wellread.read", started)
    else:
        sites.start(services, url)
    work_off()
    index(services)
    assert "4 tonnes" in answer(services, url)
    assert "/elsewhere.html" not in site.paths()


@pytest.mark.parametrize("reader", ["question", "person"])
def test_site_that_moved_to_another_host_is_read_and_searched_there(
    services: Services, site: LoggedSite, work_off: WorkOff, reader: str
) -> None:
    with served(pages_in("/docs/") | {"/other.html": article(7)}) as new:
        site.moved["/docs/"] = f"{new.origin}/docs/"
        for origin in (site.origin, new.origin):  # each host passes the guard by itself
            submit.add_source(services, f"{origin}/nothing-here/", own=True, min_delay_s=0.0)
        url = f"{site.origin}/docs/"
        if reader == "question":
            crawl(services, ask(services, url), work_off)
        else:
            sites.start(services, url)
            work_off()
            index(services)
        assert "4 tonnes" in answer(services, url)
        assert "/docs/crane.html" in new.paths()
        assert "/other.html" not in new.paths()


def test_redirect_to_an_inner_address_is_not_followed_nor_remembered(
    services: Services, site: LoggedSite, work_off: WorkOff
) -> None:
    with served(pages_in("/docs/")) as inner:
        site.moved["/docs/"] = f"{inner.origin}/docs/"
        source = submit.add_source(services, f"{site.origin}/docs/", own=True, min_delay_s=0.0)
        sites.start(services, source.url)
        work_off()
        assert inner.log == []
        with services.database.read() as session:
            assert sources.at(session, source.url) == source


def test_source_covers_where_it_redirects_until_it_no_longer_does(
    services: Services, site: LoggedSite, work_off: WorkOff
) -> None:
    start = folder(site, "301 /guide /manual/v2/")
    source = submit.add_source(services, site.origin + start, own=True, min_delay_s=0.0)
    for moved in (True, False):
        sites.start(services, source.url)
        work_off()
        now = services.read(sources.at, source.url)
        assert now is not None
        assert (now.moved_to, now.scope.covers(f"{site.origin}/manual/v2/crane.html")) == (
            (f"{site.origin}/manual/v2/", True) if moved else (None, False)
        )
        site.moved.clear()
        site.pages["/guide"] = article(5)


@pytest.mark.parametrize(
    ("path", "settings", "expected"),
    [
        ("/docs/crane.html", {}, {"/docs/crane.html"}),  # a page alone, not its folder
        ("/docs/", {"page_only": True}, {"/docs/"}),
        ("/docs/", {"depth": 0}, {"/docs/"}),
        ("/docs/", {"depth": 1}, {"/docs/", "/docs/crane.html", "/docs/boat.html"}),
        ("/docs/crane.html", {"depth": 1}, {"/docs/crane.html", "/docs/boat.html", "/docs/old/rope.html"}),
        ("/docs/", {"exclude": ("*/old/*", "/docs/b*")}, {"/docs/", "/docs/crane.html"}),
        ("/docs/", {"include": ("/docs/c*", "old/")}, {"/docs/", "/docs/crane.html", "/docs/old/rope.html"}),
    ],
)
@pytest.mark.parametrize("reader", ["source", "schedule", "person"])
def test_only_what_belongs_to_a_source_is_read(
    services: Services,
    site: LoggedSite,
    work_off: WorkOff,
    path: str,
    settings: dict[str, Any],
    expected: set[str],
    reader: str,
) -> None:
    site.pages |= pages_in("/docs/")
    source = submit.add_source(services, site.origin + path, own=True, min_delay_s=0.0, **settings)
    if reader == "source":
        crawl(services, ask(services), work_off)
    elif reader == "schedule":
        started = services.write(sites.look_for_new_pages, source, services.now())
        services.dispatcher.send_all("wellread.read", started)
    else:
        if not settings:
            expected = set(pages_in("/docs/")) - {"/docs/"}  # a person who asks for all of it means the folder
        sites.start(services, source.url)
    work_off()
    assert set(site.paths()) == expected
    assert all(source.scope_of(whole=reader == "person").covers(site.origin + path) for path in expected)


def test_settings_of_a_source_change_by_name_and_the_others_stay(services: Services, site: LoggedSite) -> None:
    source = submit.add_source(services, f"{site.origin}/", own=True, include=("/a/*",), depth=3)
    changed = sites.change(services, source.id, {"exclude": ("/a/b/*",), "depth": None, "every": "6h"})
    assert changed is not None
    assert (changed.include, changed.exclude, changed.depth) == (("/a/*",), ("/a/b/*",), None)
    assert changed.schedule is not None
    assert submit.add_source(services, source.url, own=False) == changed


def test_selectors_of_the_source_with_the_longest_url_say_what_is_read_of_a_page(
    services: Services, site: LoggedSite
) -> None:
    page = (
        "<html><body><p id=a>The lamp burns oil.</p><p id=b>The horn has steam.</p><p>Both are old.</p></body></html>"
    )
    site.pages |= {"/lamp.html": page, "/docs/lamp.html": page}
    for path, selector in (("/", "#a"), ("/docs/", "#b")):
        submit.add_source(services, f"{site.origin}{path}", own=True, min_delay_s=0.0, select=[selector])

    def text(path: str) -> str:
        row = read_one(services, f"{site.origin}{path}")
        with services.database.read() as session:
            return session.get_one(PageRow, row.page_id).text

    assert (text("/lamp.html"), text("/docs/lamp.html")) == ("The lamp burns oil.", "The horn has steam.")
    (first, _) = services.read(sources.list_all)
    sites.change(services, first.id, {"select": ["p"]})
    assert text("/lamp.html") == "The lamp burns oil.\n\nThe horn has steam.\n\nBoth are old."
