"""Reading one candidate: what the site allows, what came back, and the outcome, all as values."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from crawler.extract.document import EXTRACTION
from crawler.fetch.client import Fetcher
from crawler.fetch.guard import Blocked, Guard, allowlist_entry
from crawler.fetch.response import Fetched, FetchTimeout, HostUnreachable, Limits, NotText
from crawler.read import PreviousRead, ReadResult, read
from crawler.robots import RobotsFile
from domain import Candidate, Validators
from tests import office
from tests.crawler.extract.pdfs import pdf
from tests.crawler.hostile import answer, redirect, routed, serving
from tests.tables import each_row

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
ORIGIN = "http://a.example"
URL = f"{ORIGIN}/lamp.html"
TEXT = "The keeper trims the wick every evening before he lights the lamp, and again at midnight."
HTML = f"<html lang=en><head><title>Lamp</title></head><body><p>{TEXT}</p><a href='/wick.html'>Wicks</a></body></html>"
KNOWN = PreviousRead(validators=Validators(etag='"1"'), content_hash="x", body_hash=f"{EXTRACTION}-x")

Answer = Callable[[str, Mapping[str, str]], Fetched]


def page_at(url: str, status: int = 200, body: str | bytes = HTML, **headers: str) -> Fetched:
    named = {"content-type": "text/html", **{name.replace("_", "-"): value for name, value in headers.items()}}
    sent = body.encode() if isinstance(body, str) else body
    return Fetched(url=url, status=status, headers=named, body=sent, elapsed_s=0.1)


class Web:
    """The web as a function from request to response; an answer from another URL was redirected to it."""

    def __init__(self, answer: Answer, robots: str | int = 404) -> None:
        self.answer, self.robots, self.asked = answer, robots, list[tuple[str, dict[str, str]]]()

    async def get(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        accept: frozenset[str] | None = None,
        on_redirect: Callable[[str], Awaitable[None]] | None = None,
    ) -> Fetched:
        self.asked.append((url, dict(headers or {})))
        if url.endswith("/robots.txt"):
            if isinstance(self.robots, int):
                return page_at(url, self.robots, "")
            return page_at(url, 200, self.robots, content_type="text/plain")
        fetched = self.answer(url, headers or {})
        if fetched.url != url and on_redirect is not None:
            await on_redirect(fetched.url)
        return fetched

    def check_part(self, url: str, page: str) -> None:
        """Refuse nothing."""


class Cache:
    """robots.txt files in memory."""

    def __init__(self) -> None:
        self.files: dict[str, RobotsFile] = {}

    def get(self, origin: str) -> RobotsFile | None:
        return self.files.get(origin)

    def put(self, origin: str, file: RobotsFile) -> None:
        self.files[origin] = file


def _read(
    web: Web, url: str = URL, *, cache: Cache | None = None, known: PreviousRead | None = None, now: datetime = NOW
) -> ReadResult:
    candidate = Candidate(url=url)
    return asyncio.run(read(candidate, client=web, robots=cache or Cache(), agent="wellread", now=now, known=known))


def _says(status: int, body: str | bytes = HTML, **headers: str) -> Web:
    return Web(lambda url, _: page_at(url, status, body, **headers))


def test_a_page_is_read_with_its_links_and_validators() -> None:
    reading = _read(_says(200, etag='"1"', last_modified="Sat, 21 Nov 2026 08:00:00 GMT"))
    assert reading.outcome == "read"
    assert reading.page is not None
    assert TEXT in reading.page.text
    assert [link.url for link in reading.links] == [f"{ORIGIN}/wick.html"]
    assert reading.validators == Validators(etag='"1"', last_modified="Sat, 21 Nov 2026 08:00:00 GMT")


def test_what_robots_txt_forbids_is_never_requested() -> None:
    web = Web(lambda url, _: pytest.fail(f"{url} was asked for"), robots="User-agent: *\nDisallow: /lamp")
    assert _read(web).outcome == "forbidden"


def test_a_site_whose_robots_txt_cannot_be_fetched_is_not_read() -> None:
    web = Web(lambda url, _: pytest.fail(f"{url} was asked for"), robots=503)
    reading = _read(web)
    assert (reading.outcome, "robots.txt" in reading.reason) == ("failed", True)


def test_a_site_that_cannot_be_reached_says_why_also_when_it_is_not_asked_again() -> None:
    candidate, cache, guard = (
        Candidate(url="http://127.0.0.1:9/"),
        Cache(),
        Guard(own_sites=frozenset({allowlist_entry("http://127.0.0.1:9/")})),
    )

    async def why() -> str:
        async with Fetcher(guard=guard, limits=Limits(), user_agent="wellread-test/1.0") as client:
            return (await read(candidate, client=client, robots=cache, agent="wellread", now=NOW)).reason

    reasons = [asyncio.run(why()) for _ in range(2)]
    assert reasons[0] == reasons[1]
    assert reasons[0].startswith("The site could not be reached: ")
    assert "onnect" in reasons[0]
    assert "robots.txt" not in reasons[0]


def test_robots_txt_is_fetched_once_a_day_and_its_sitemaps_are_found() -> None:
    web, cache = (
        Web(lambda url, _: page_at(url), robots=f"Sitemap: {ORIGIN}/map.xml\nSitemap: http://b.example/x.xml"),
        Cache(),
    )
    first = _read(web, cache=cache)
    _read(web, cache=cache, now=NOW + timedelta(hours=23))
    assert [url for url, _ in web.asked].count(f"{ORIGIN}/robots.txt") == 1
    _read(web, cache=cache, now=NOW + timedelta(hours=25))
    assert [url for url, _ in web.asked].count(f"{ORIGIN}/robots.txt") == 2
    assert [(link.url, link.origin) for link in first.links][:1] == [(f"{ORIGIN}/map.xml", "sitemap-file")]
    assert not any("b.example" in link.url for link in first.links)


def test_a_known_page_is_requested_conditionally_and_a_304_means_unchanged() -> None:
    web = _says(304, "")
    reading = _read(web, known=KNOWN)
    assert reading.outcome == "unchanged"
    assert web.asked[-1][1]["if-none-match"] == '"1"'


def test_a_page_that_an_earlier_extraction_read_is_fetched_and_extracted_again() -> None:
    body_hash = _read(_says(200)).body_hash.removeprefix(f"{EXTRACTION}-")
    web = _says(200)
    assert _read(web, known=replace(KNOWN, body_hash=body_hash)).outcome == "read"
    assert "if-none-match" not in web.asked[-1][1]


def test_a_304_with_noindex_withdraws_the_page() -> None:
    web = _says(304, "", x_robots_tag="noindex")
    assert _read(web, known=KNOWN).outcome == "forbidden"


@pytest.mark.parametrize(
    "header",
    ["max-image-preview:none", "noindexing"],  # of pictures; no such word
)
def test_header_that_does_not_forbid_us_to_store_the_text_is_ignored(header: str) -> None:
    assert _read(_says(200, x_robots_tag=header)).outcome == "read"


# whom a word is for, and until when a page may be shown; NOW is the 21st of November 2026
HEADERS = [
    ("wellread: noindex", "forbidden", True),
    ("WellRead: none", "forbidden", False),
    ("*: noindex", "forbidden", True),
    ("googlebot: noindex, nofollow", "read", True),
    ("googlebot: noindex\nnofollow", "read", False),  # a line of its own is for all
    ("googlebot: nofollow, wellread: nofollow", "read", False),
    ("otherbot: noindex, nofollow, wellread: max-snippet: 20", "read", True),
    ("unavailable_after: 25 Jun 2010 15:00:00 PST", "forbidden", True),
    ("unavailable_after: Friday, 25-Jun-2010 15:00:00 PST", "forbidden", True),
    ("nofollow, unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, noarchive", "forbidden", False),
    ("unavailable_after: 2010-06-25T15:00:00+02:00", "forbidden", True),
    ("unavailable_after: 2030-06-25", "read", True),
    ("unavailable_after: soon, noindex", "forbidden", True),
    ("googlebot: unavailable_after: 25 Jun 2010 15:00:00 PST", "read", True),
    ("wellread: unavailable_after: 25 Jun 2010 15:00:00 PST", "forbidden", True),
]


@each_row(("header", "outcome", "follows"), HEADERS)
def test_a_header_for_robots_counts_for_whom_it_names(header: str, outcome: str, follows: bool) -> None:
    reading = _read(_says(200, x_robots_tag=header))
    assert (reading.outcome, bool(reading.links)) == (outcome, follows)
    assert (_read(_says(304, "", x_robots_tag=header), known=KNOWN).outcome == "forbidden") == (outcome == "forbidden")


METAS = [
    ("<meta name=wellread content=noindex>", "forbidden"),
    ("<meta name=robots content=index><meta name=ROBOTS content=NOINDEX>", "forbidden"),
    ("<meta name=googlebot content=noindex>", "read"),
    ("<meta name=robots content='unavailable_after: Friday, 25-Jun-2010 15:00:00 PST'>", "forbidden"),
    ("<meta name=wellread content='unavailable_after: 2010-06-25'>", "forbidden"),
    ("<meta name=robots content='unavailable_after: 2030-06-25'>", "read"),
]


@each_row(("meta", "outcome"), METAS)
def test_a_page_says_itself_whether_it_may_be_stored(meta: str, outcome: str) -> None:
    assert _read(_says(200, HTML.replace("<head>", f"<head>{meta}"))).outcome == outcome


def test_a_page_is_withdrawn_after_its_last_day_although_it_never_changed() -> None:
    web = _says(
        200, HTML.replace("<head>", "<head><meta name=robots content='unavailable_after: 2026-12-01'>"), etag="1"
    )
    first = _read(web)
    known = PreviousRead(validators=first.validators, content_hash=first.content_hash, body_hash=first.body_hash)
    assert (first.outcome, first.validators) == ("read", Validators())
    again = _read(web, known=known)
    assert again.page is not None
    assert again.page.until == datetime(2026, 12, 1, tzinfo=UTC)
    later = _read(web, known=known, now=NOW + timedelta(days=30))
    assert (later.outcome, "unavailable_after" in later.reason) == ("forbidden", True)


LOCATIONS = "".join(f"<url><loc>{ORIGIN}/docs/{name}</loc></url>" for name in ("crane.html", "tide/"))
URLSET = f"<?xml version='1.0'?><urlset>{LOCATIONS}</urlset>"
FEED = f"<rss version='2.0'><channel><item><link>{ORIGIN}/docs/crane.html</link></item></channel></rss>"
JSON_FEED = f'{{"version": "https://jsonfeed.org/version/1.1", "items": [{{"url": "{ORIGIN}/docs/crane.html"}}]}}'
LISTS = [
    (URLSET, "application/xml"),
    (URLSET, "text/html"),
    (URLSET, "application/octet-stream"),
    (f"<sitemapindex><sitemap><loc>{ORIGIN}/docs/map.xml</loc></sitemap></sitemapindex>", "text/xml"),
    (FEED, "application/rss+xml"),
    (FEED, "text/xml"),
    (f"<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='{ORIGIN}/docs/crane.html'/></entry></feed>", ""),
    (JSON_FEED, "application/feed+json"),
    (JSON_FEED, "application/json"),
    (f"{ORIGIN}/docs/crane.html\n{ORIGIN}/docs/tide/\n", "text/plain"),
]


def test_a_list_of_other_sites_says_so() -> None:
    reading = _read(_says(200, URLSET.replace(ORIGIN, "http://b.example"), content_type="application/xml"))
    assert (reading.outcome, "without a page of its own site" in reading.reason) == ("empty", True)


@each_row(("body", "kind"), LISTS)
def test_a_list_of_pages_that_is_read_as_a_page_leads_to_them(body: str, kind: str) -> None:
    reading = _read(_says(200, body, content_type=kind), url=f"{ORIGIN}/list")
    assert (reading.outcome, reading.page, reading.url) == ("read", None, f"{ORIGIN}/docs/")
    assert reading.links
    assert all(link.url.startswith(f"{ORIGIN}/docs/") for link in reading.links)


@pytest.mark.parametrize(
    "body",
    [
        HTML.replace(TEXT, f"{TEXT} A feed begins with &lt;rss&gt; and a sitemap with &lt;urlset&gt;."),
        HTML.replace("<head>", "<head><script>var feed = '<rss version=2.0>'</script>"),
    ],
)
def test_a_page_about_feeds_is_none(body: str) -> None:
    assert _read(_says(200, body)).page is not None


def _framed(frame: str, **pages: str) -> Web:
    def reply(url: str, _: Mapping[str, str]) -> Fetched:
        path = url.removeprefix(ORIGIN)
        return page_at(url, 200, pages.get(path.strip("/"), frame if path == "/lamp.html" else "<p>nothing"))

    return Web(reply)


FRAMED = [
    "<title>Lamp</title><iframe src='/inner'></iframe>",
    "<title>Lamp</title><frameset><frame src='inner'></frameset>",
    "<title>Lamp</title><p>Loading<iframe src='http://b.example/ads'></iframe><iframe src=/inner></iframe>",
]


@pytest.mark.parametrize("page", FRAMED)
def test_a_page_that_is_a_frame_has_its_text(page: str) -> None:
    reading = _read(_framed(page, inner=HTML))
    assert (reading.outcome, reading.url) == ("read", URL)
    assert reading.page is not None
    assert (reading.page.title, TEXT in reading.page.text) == ("Lamp", True)
    assert [link.url for link in reading.links] == [f"{ORIGIN}/wick.html"]


def test_frames_that_hold_each_other_end() -> None:
    web = _framed("<iframe src='/inner'></iframe>", inner="<iframe src='/lamp.html'></iframe>")
    assert _read(web).outcome == "empty"
    assert len(web.asked) <= 3


def test_what_robots_txt_forbids_is_not_fetched_for_a_frame() -> None:
    web = _framed("<iframe src='/inner'></iframe>", inner=HTML)
    web.robots = "User-agent: *\nDisallow: /inner"
    assert _read(web).outcome == "empty"
    assert not any(url.endswith("/inner") for url, _ in web.asked)


def test_frames_of_other_sites_are_no_part_of_a_page() -> None:
    reading = _read(_framed("<p>x<iframe src='http://b.example/ads'></iframe>"))
    assert reading.links == ()


ROWS = "Boat,Berth\nHeron,17\nGull,18\n"
UNKNOWN = "application/octet-stream"
OFFICE = office.SECTIONS["Travel"][0]
FACT = "The keeper trims the wick every evening."
# what a server sends, under which type, at which path; and what it says
DOCUMENTS = [
    (pdf([[FACT]]), UNKNOWN, "/rules.pdf", FACT),
    (pdf([[FACT]]), "binary/octet-stream", "/download?id=5", FACT),
    (b"\r\n" + pdf([[FACT]]), "application/force-download", "/rules", FACT),
    (pdf([[FACT]]), "text/html", "/rules", FACT),
    (pdf([[FACT]]), "", "/rules", FACT),
    (office.docx(), "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "/x", OFFICE),
    (office.docx(), UNKNOWN, "/x", OFFICE),
    (office.docx(), "application/msword", "/x.docx", OFFICE),
    (office.docx(), "text/plain", "/x.docx", OFFICE),
    (office.odt(), "application/vnd.oasis.opendocument.text", "/x", OFFICE),
    (office.pptx(), "application/zip", "/x.pptx", OFFICE),
    (office.epub(), "application/epub+zip", "/x.epub", OFFICE),
    (ROWS, "text/csv", "/boats.csv", "Boat: Heron; Berth: 17"),
    (ROWS, "text/csv", "/export?of=boats", "Boat: Heron; Berth: 17"),
    (ROWS, UNKNOWN, "/boats.csv", "Boat: Heron; Berth: 17"),
    ("Лодка,Причал\nЦапля,17\n".encode("koi8-r"), "text/csv; charset=koi", "/boats", "Лодка: Цапля; Причал: 17"),
    (ROWS, "text/plain", "/boats.csv", "Boat: Heron; Berth: 17"),
    (f"# Lamp\n\n{TEXT}", "text/plain", "/README.md", TEXT),
    (f"# Lamp\n\n{TEXT}", UNKNOWN, "/README.md", TEXT),
    (ROWS, "application/vnd.ms-excel", "/boats.csv", "Boat: Heron; Berth: 17"),
    (ROWS.replace(",", "\t"), "application/vnd.ms-excel", "/export?id=7", "Boat: Heron; Berth: 17"),
    (f"<table><tr><td>{TEXT}</td></tr></table>", "application/vnd.ms-excel", "/boats.xls", TEXT),
    (ROWS, UNKNOWN, "/boats.xls", "Boat: Heron; Berth: 17"),
    (HTML, "text/plain", "/lamp", TEXT),
    (f"<?xml version='1.0'?>\n<!-- Lamp -->\n{HTML}", "text/plain; charset=utf-8", "/lamp.txt", TEXT),
    (HTML, UNKNOWN, "/lamp", TEXT),
    (HTML, "", "/lamp", TEXT),
    (TEXT, UNKNOWN, "/lamp", TEXT),
]


@each_row(("body", "kind", "path", "text"), DOCUMENTS)
def test_a_document_of_the_web_is_what_its_bytes_are(body: str | bytes, kind: str, path: str, text: str) -> None:
    reading = _read(_says(200, body, content_type=kind), url=f"{ORIGIN}{path}")
    assert reading.outcome == "read", reading.reason
    assert reading.page is not None
    assert text in reading.page.text
    assert "<p>" not in reading.page.text


NO_DOCUMENTS = [
    (b"\x89PNG\r\n\x1a\n" + bytes(200), UNKNOWN, "/rules.pdf"),
    (office.zipped({"a.txt": "text"}), UNKNOWN, "/x.docx"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2_000), "application/msword", "/old.doc"),
    (bytes(range(256)) * 20, UNKNOWN, "/x"),
    (random.Random(1).randbytes(3_000), "text/html", "/x"),
    ("<html><script>never</script>", "application/xslt+xml", "/x"),
]


@each_row(("body", "kind", "path"), NO_DOCUMENTS)
def test_what_is_no_text_is_not_read_whatever_its_type(body: str | bytes, kind: str, path: str) -> None:
    reading = _read(_says(200, body, content_type=kind), url=f"{ORIGIN}{path}")
    assert (reading.outcome, reading.page) == ("empty", None)
    assert reading.reason


def test_the_same_text_again_is_unchanged_although_the_server_sent_it_anew() -> None:
    first = _read(_says(200))
    again = _read(
        _says(200, HTML.replace("<p>", "<p class='new'>")),
        known=PreviousRead(validators=Validators(), content_hash=first.content_hash),
    )
    assert again.outcome == "unchanged"


@each_row(
    ("status", "outcome"),
    [
        *((404, "gone"), (410, "gone"), (429, "retry"), (503, "retry"), (500, "retry")),
        *((401, "wall"), (403, "wall"), (451, "wall"), (400, "failed"), (418, "failed")),
    ],
)
def test_statuses_mean_what_they_say(status: int, outcome: str) -> None:
    assert _read(_says(status)).outcome == outcome


def test_error_of_a_program_does_not_replace_a_page() -> None:
    known = PreviousRead(validators=Validators(), content_hash="x", characters=len(TEXT))
    answer = _says(200, '{"error": "Too many connections"}', content_type="application/json")
    assert (_read(answer, known=known).outcome, _read(answer).outcome) == ("retry", "read")


def test_a_busy_server_says_when_to_come_back() -> None:
    assert _read(_says(429, "", retry_after="17")).retry_after_s == 17


@pytest.mark.parametrize("headers", [{"x_robots_tag": "noindex"}, {"x_robots_tag": "none"}])
def test_a_page_with_noindex_is_not_stored(headers: dict[str, str]) -> None:
    reading = _read(_says(200, **headers))
    assert (reading.outcome, reading.page) == ("forbidden", None)


def test_nofollow_stores_the_page_and_not_its_links() -> None:
    reading = _read(_says(200, x_robots_tag="nofollow"))
    assert (reading.outcome, reading.links) == ("read", ())


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (Blocked("a private address"), "blocked"),
        (FetchTimeout("too slow"), "retry"),
        (HostUnreachable("no such host"), "retry"),
        (NotText("a picture"), "failed"),
    ],
)
def test_a_failed_fetch_is_a_value_with_its_reason(error: Exception, outcome: str) -> None:
    def fail(url: str, _: Mapping[str, str]) -> Fetched:
        raise error

    reading = _read(Web(fail))
    assert (reading.outcome, reading.reason) == (outcome, str(error))


def test_an_empty_page_says_so() -> None:
    assert _read(_says(200, "<html><body></body></html>")).outcome == "empty"


def test_an_empty_page_still_leads_to_its_frames() -> None:
    read = _read(_says(200, "<html><frameset><frame src='/navig.html'></frameset></html>"))
    assert (read.outcome, [link.url for link in read.links]) == ("empty", [f"{ORIGIN}/navig.html"])


def test_a_redirect_into_what_robots_txt_forbids_is_not_followed() -> None:
    async def scenario() -> None:
        rules = answer(b"User-agent: *\nDisallow: /private/", kind="text/plain")
        routes = {"/robots.txt": rules, "/a": redirect("/b"), "/b": redirect("/private/x"), "/private/x": answer()}
        async with serving(routed(routes)) as site:
            guard = Guard(own_sites=frozenset({site.hole}))
            async with Fetcher(guard=guard, limits=Limits(), user_agent="wellread-test/1.0") as client:
                candidate = Candidate(url=site.url("/a"))
                reading = await read(candidate, client=client, robots=Cache(), agent="wellread", now=NOW)
        assert (reading.outcome, site.url("/private/x") in reading.reason) == ("forbidden", True)
        assert [head.split(" ")[1] for head in site.requests] == ["/robots.txt", "/a", "/b"]

    asyncio.run(scenario())


def test_a_redirect_to_another_site_asks_that_sites_robots_txt_first_and_finds_its_sitemaps() -> None:
    there = "http://www.a.example"
    web = Web(
        lambda url, _: page_at(f"{there}/lamp.html"), robots=f"Sitemap: {there}/map.xml\nUser-agent: *\nDisallow:"
    )
    reading = _read(web)
    assert [url for url, _ in web.asked] == [f"{ORIGIN}/robots.txt", URL, f"{there}/robots.txt"]
    assert (reading.outcome, reading.links[0].url) == ("read", f"{there}/map.xml")


def test_a_redirect_to_a_site_whose_robots_txt_cannot_be_fetched_is_not_followed() -> None:
    web = Web(lambda url, _: page_at("http://b.example/lamp.html"))
    cache = Cache()
    cache.put("http://b.example", RobotsFile(status=503, body=b"", fetched_at=NOW))
    assert _read(web, cache=cache).outcome == "failed"


def test_a_page_that_moved_is_stored_under_its_new_url() -> None:
    assert _read(Web(lambda url, _: page_at(f"{ORIGIN}/new.html?utm_source=x"))).url == f"{ORIGIN}/new.html"
