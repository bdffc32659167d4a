"""What a site says in a bad minute costs nothing that is known of it, and is never taken for a page."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast

import pytest
from sqlalchemy import select, update

from store.crawl import sources
from store.ephemeral.slots import Slot
from store.pages import pages
from store.pages.listing import list_pages
from store.sql.tables import PageRow
from tests.logged_site import article
from tests.tables import each_row
from tests.workers.crawl.one_candidate import read_one
from tests.workers.crawl.sites.conftest import WorkOff
from workers import sweep
from workers.crawl import sites
from workers.questions import submit
from workers.services import Services

WALL = (
    "<title>Just a moment...</title><p>Checking if your browser is safe. Enable JavaScript and cookies to continue.</p>"
)
LOGIN = "<title>Log in</title><h1>Log in</h1><p>Log in with your name.</p><form><input type=password></form>"
SOON = "<h1>We will be back soon</h1><p>The site is being worked on, and it will be there again in an hour.</p>"
SOFT = "<title>Page not found</title><h1>Page not found</h1><p>Sorry, the page you are looking for does not exist.</p>"
#: fault → status, body and where it leads
FAULTS: dict[str, tuple[int, str, str]] = {
    "403": (403, "no", ""),
    "404": (404, "no", ""),
    "410": (410, "no", ""),
    "500": (500, "no", ""),
    "503": (503, SOON, ""),
    "wall": (200, WALL, ""),
    "login": (302, "", "/login?next={path}"),
    "form": (200, LOGIN, ""),
    "front": (302, "", "/"),
    "soon": (200, SOON, ""),
    "noindex": (200, f"<meta name=robots content=noindex>{SOON}", ""),
    "soft 404": (200, SOFT, ""),
    "empty": (200, "", ""),
    "slow": (200, "", ""),
}
#: after these the text leaves the answers once a second look agrees; the others only say that the site is down
DOUBTFUL = ("404", "403", "wall", "empty", "login", "soft 404", "form", "front")
DOWN = ("500", "503", "soon", "noindex")


class _Site(ThreadingHTTPServer):
    """Pages that are what they are, unless a fault comes instead."""

    daemon_threads = True

    def __init__(self, count: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.origin = f"http://127.0.0.1:{self.server_port}"
        links = "".join(f"<a href=/{at}>{at}</a> " for at in range(1, count))
        self.pages = {
            "/": article(0, links=links),
            **{f"/{at}": article(at) for at in range(1, count)},
            "/login": LOGIN,
        }
        self.fault: Callable[[str], str] = lambda path: ""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        site = cast(_Site, self.server)
        path = self.path.partition("?")[0]
        fault = site.fault(path) if path in site.pages and path != "/login" else ""
        if fault == "silent":
            self.close_connection = True
            return
        status, body, location = FAULTS.get(fault, (200 if path in site.pages else 404, site.pages.get(path, ""), ""))
        self.send_response(status)
        self.send_header("content-type", "text/html; charset=utf-8")
        if location:
            self.send_header("location", location.format(path=path))
        self.send_header("content-length", "100" if fault == "slow" else str(len(body.encode())))
        self.end_headers()
        if fault == "slow":
            time.sleep(2.5)
            self.close_connection = True
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


class _NoWait:
    """Slots at hosts that nobody waits for: the clock of these tests is moved."""

    def claim(self, host: str, *, now: float, delay_s: float) -> Slot:
        return Slot(host=host, token="", wait_s=0.0)

    def release(self, slot: Slot, *, now: float, delay_s: float) -> None:
        pass


class Clock:
    """A clock that is moved on."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now

    def move(self, **by: float) -> None:
        self.now += timedelta(**by)


@pytest.fixture
def clock(services: Services) -> Clock:
    clock = Clock(services.now())
    services.__dict__.update(now=clock, host_slots=_NoWait())
    return clock


@contextmanager
def _served(services: Services, work_off: WorkOff, *, count: int, every: str) -> Iterator[_Site]:
    """Serve a site, and keep it as a source whose pages were read once."""
    site = _Site(count)
    thread = threading.Thread(target=partial(site.serve_forever, poll_interval=0.01), daemon=True)
    thread.start()
    try:
        source = submit.add_source(services, f"{site.origin}/", own=True, min_delay_s=0.0)
        sites.change(services, source.id, {"every": every})
        sites.start(services, f"{site.origin}/")
        work_off()
        with services.database.write() as session:
            session.execute(update(PageRow).values(state="INDEXED"))
        yield site
    finally:
        site.shutdown()
        site.server_close()
        thread.join()


@pytest.fixture
def site(services: Services, clock: Clock, work_off: WorkOff) -> Iterator[_Site]:
    with _served(services, work_off, count=2, every="1m") as site:
        yield site


def _look(services: Services, work_off: WorkOff) -> None:
    """Read what is due, as beat and the workers do; what failed is tried again by the sweep."""
    sweep.sweep(services)
    sites.refresh(services)
    for _ in range(6):
        if not work_off():
            return
        sweep.sweep(services)


def _page(services: Services, url: str) -> PageRow:
    with services.database.read() as session:
        return session.scalars(select(PageRow).where(PageRow.url == url)).one()


def _next_due(services: Services) -> datetime:
    due = services.read(sources.list_all)[0].next_due
    assert due is not None
    return due


@pytest.mark.parametrize("fault", [*DOUBTFUL, *DOWN, "slow"])
def test_one_bad_minute_costs_nothing_and_is_told(
    services: Services, site: _Site, clock: Clock, work_off: WorkOff, fault: str
) -> None:
    url = f"{site.origin}/1"
    before = _page(services, url)
    site.fault = lambda path: fault if path == "/1" else ""
    clock.move(minutes=1)
    _look(services, work_off)
    kept = _page(services, url)
    assert (kept.text, kept.generation, kept.gone_at) == (before.text, 1, None)
    assert kept.next_due <= _next_due(services)
    with services.database.read() as session:
        stored = set(session.scalars(select(PageRow.url)))
        (told,) = list_pages(session, stale=True)
    assert stored == {f"{site.origin}/", url}
    assert (told.url, told.state, told.stale_since, bool(told.reason)) == (url, "stale", before.checked_at, True)
    site.fault = lambda path: ""
    clock.move(minutes=1)
    _look(services, work_off)
    back = _page(services, url)
    assert (back.missed_as, back.missed_at, back.generation) == ("", None, 1)
    assert back.checked_at > clock.now - timedelta(minutes=1)


@pytest.mark.parametrize("fault", [*DOUBTFUL, *DOWN])
def test_text_leaves_the_answers_after_two_looks_an_hour_apart_and_comes_back_with_the_page(
    services: Services, site: _Site, clock: Clock, work_off: WorkOff, fault: str
) -> None:
    url = f"{site.origin}/1"
    site.fault = lambda path: fault if path == "/1" else ""
    for minutes in (1, 1, 56):  # 57 minutes after the first look
        clock.move(minutes=minutes)
        _look(services, work_off)
    assert _page(services, url).gone_at is None
    clock.move(minutes=4)
    _look(services, work_off)
    page = _page(services, url)
    assert (page.gone_at is not None) is (fault in DOUBTFUL)
    assert page.next_due <= _next_due(services)
    site.fault = lambda path: ""
    clock.move(minutes=1)
    _look(services, work_off)
    assert _page(services, url).gone_at is None


def test_page_whose_server_says_that_it_is_gone_for_good_leaves_at_once_and_is_looked_at_by_schedule(
    services: Services, site: _Site, clock: Clock, work_off: WorkOff
) -> None:
    site.fault = lambda path: "410" if path == "/1" else ""
    clock.move(minutes=1)
    _look(services, work_off)
    page = _page(services, f"{site.origin}/1")
    assert page.gone_at is not None
    assert page.next_due == _next_due(services)


@pytest.mark.parametrize(("every", "hours", "is_gone"), [("6h", 5, False), ("6h", 6, True), ("1m", 1, True)])
def test_second_look_counts_one_interval_of_the_source_later(
    services: Services, clock: Clock, work_off: WorkOff, every: str, hours: int, *, is_gone: bool
) -> None:
    with _served(services, work_off, count=2, every=every) as site:
        site.fault = lambda path: "404"
        read_one(services, f"{site.origin}/1")
        clock.move(hours=hours)
        read_one(services, f"{site.origin}/1")
        assert (_page(services, f"{site.origin}/1").gone_at is not None) is is_gone


@each_row(
    ("faults", "is_gone"),
    [
        (("404", "wall"), True),
        (("empty", "login"), True),
        (("403", "404"), True),
        (("404", "500", "empty"), True),  # what failed says nothing of the page
        (("404", "", "404"), False),
        (("500", "404"), False),
        (("404", "500", "500"), False),
    ],
)
def test_two_looks_that_find_no_page_agree_whatever_they_find_instead(
    services: Services, site: _Site, clock: Clock, faults: tuple[str, ...], *, is_gone: bool
) -> None:
    for fault in ("", *faults):
        site.fault = lambda path, fault=fault: fault  # type: ignore[misc]
        read_one(services, f"{site.origin}/1")
        clock.move(hours=2)
    assert (_page(services, f"{site.origin}/1").gone_at is not None) is is_gone


def test_looks_that_alternate_count_from_the_first(services: Services, site: _Site, clock: Clock) -> None:
    for fault in ("404", "wall", "empty", "500", "403", "404"):
        site.fault = lambda path, fault=fault: fault  # type: ignore[misc]
        read_one(services, f"{site.origin}/1")
        assert _page(services, f"{site.origin}/1").gone_at is None
        clock.move(minutes=11)
    read_one(services, f"{site.origin}/1")
    assert _page(services, f"{site.origin}/1").gone_at is not None


def test_site_that_gives_no_answer_keeps_its_texts_and_is_tried_within_its_schedule(
    services: Services, clock: Clock, work_off: WorkOff
) -> None:
    with _served(services, work_off, count=2, every="1h") as site:
        site.fault = lambda path: "silent"
        waits = []
        for _ in range(5):
            clock.move(hours=4)
            _look(services, work_off)
            page = _page(services, f"{site.origin}/1")
            waits.append(page.next_due - clock.now)
    assert (page.gone_at, page.missed_as) == (None, "failed")
    assert waits[0] < timedelta(minutes=2)
    assert max(waits) <= timedelta(hours=1)


def test_login_that_robots_txt_forbids_is_a_login(services: Services, site: _Site, clock: Clock) -> None:
    site.pages["/robots.txt"] = "User-agent: *\nDisallow: /login\n"
    clock.move(hours=25)
    site.fault = lambda path: "login" if path == "/1" else ""
    row = read_one(services, f"{site.origin}/1")
    assert (row.outcome, row.reason) == ("wall", "not read: login page")
    assert _page(services, f"{site.origin}/1").gone_at is None


@pytest.mark.parametrize("fault", ["wall", "form", "login", "soon", "soft 404"])
def test_what_came_instead_of_a_page_is_never_stored(services: Services, site: _Site, fault: str) -> None:
    site.pages["/new"] = article(9)
    site.fault = lambda path: fault
    row = read_one(services, f"{site.origin}/new")
    assert row.page_id is None
    assert (row.reason or "").startswith("not read: ")
    with services.database.read() as session:
        assert session.scalars(select(PageRow.url).where(PageRow.url.not_like("%/1"))).all() == [f"{site.origin}/"]


def test_questions_read_a_page_again_that_the_last_look_did_not_read(
    services: Services, site: _Site, clock: Clock
) -> None:
    def known() -> set[str]:
        return services.read(pages.read_urls, [site.origin], gone_since=clock.now - timedelta(days=1))

    front, url = f"{site.origin}/", f"{site.origin}/1"
    assert known() == {front, url}
    site.fault = lambda path: "404"
    read_one(services, url)
    assert known() == {front}
    clock.move(hours=2)
    read_one(services, url)
    assert known() == {front, url}  # it is gone, as was found a moment ago
    clock.move(days=2)
    assert known() == {front}


@pytest.mark.parametrize(
    ("count", "slow"),
    [(6, 1), pytest.param(300, 20, marks=[pytest.mark.nightly, pytest.mark.timeout(1_800)])],
    ids=["six pages", "300 pages"],
)
def test_day_of_faults_loses_nothing_and_adds_nothing(
    services: Services, clock: Clock, work_off: WorkOff, count: int, slow: int
) -> None:
    """Every other hour another fault comes instead of each page; for six hours the site is down."""
    kinds = [each for fault in (*DOUBTFUL, *DOWN) for each in (fault, "")]  # no two looks in a row find no page
    with _served(services, work_off, count=count, every="1h") as site:
        known = {url: _page(services, url).text for url in _urls(services)}
        assert len(known) == count
        for hour in range(24):
            left = [slow]
            site.fault = partial(_fault_of_hour, hour=hour, kinds=kinds, slow_left=left)
            clock.move(hours=1)
            _look(services, work_off)
            with services.database.read() as session:
                held = {row.url: (row.text, row.gone_at) for row in session.scalars(select(PageRow))}
            assert held == {url: (text, None) for url, text in known.items()}
        site.fault = lambda path: ""
        clock.move(hours=1)
        _look(services, work_off)
        with services.database.read() as session:
            assert list_pages(session, stale=True) == []
            assert all(row.next_due <= clock.now + timedelta(hours=1) for row in session.scalars(select(PageRow)))


def _fault_of_hour(path: str, *, hour: int, kinds: list[str], slow_left: list[int]) -> str:
    if 8 <= hour < 14:
        return DOWN[hour % len(DOWN)]
    fault = kinds[(hour + int(path.strip("/") or 0)) % len(kinds)]
    if hour == 3 and fault and slow_left[0] > 0:
        slow_left[0] -= 1
        return "slow"
    return fault


def _urls(services: Services) -> list[str]:
    with services.database.read() as session:
        return list(session.scalars(select(PageRow.url)))
