"""What is fuzzed: functions of bytes that end in nothing, and raise only where the crawler is wrong.

Each calls the crawler as it is called with what a hostile server sends, lets pass the errors that its docstring names,
and asserts what callers rely on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from crawler import robots
from crawler.discovery.lists import MAX_ENTRIES, MAX_URLS, BadSitemap, parse_feed, parse_sitemap
from crawler.extract.charset import decode
from crawler.extract.chunk import chunk
from crawler.extract.document import NothingToRead, extract
from crawler.fetch.content_encoding import BodyBounds, Corrupt, Decoder, Overflow
from crawler.fetch.guard import Blocked, Guard
from crawler.urls import BadUrl, absolute, canonical, is_trap

URL = "https://www.example.org/a/b.html?c=d"
#: an input's first byte chooses
TYPES = (
    *("text/html", "text/html; charset=utf-8", "text/html; charset=shift_jis", "application/xhtml+xml", ""),
    *("text/plain", "text/markdown; charset=gb18030", "text/plain; charset=utf-16"),
)
ENCODINGS = ("gzip", "deflate", "br", "")
BOUNDS = BodyBounds(max_wire=100_000, max_body=200_000)


def on_extract(data: bytes) -> None:
    """Extract a page and cut it: spans stand in the text, links can be asked for again, passages keep every word."""
    kind, body = _chosen(data, TYPES)
    try:
        page = extract(body, url=URL, content_type=kind)
    except NothingToRead:
        return
    page.text.encode()
    for fact in page.facts:
        assert fact.start is None or page.text[fact.start : fact.end] == fact.object
    for link in page.links:
        assert canonical(link.url) == link.url
    passages = chunk(page, page_id=1, url=URL)
    assert bool(passages) == bool(page.text.strip())
    for passage in passages:
        assert page.text[passage.start : passage.end] == passage.text


def on_robots(data: bytes) -> None:
    """Read a robots.txt and ask it: every answer is one, and the file itself may always be had."""
    rules = robots.parse(data)
    for agent in ("wellread", "Wellread/0.1 (+contact)", "*", "", "\ud800"):
        assert rules.allows(URL, agent) in (True, False)
        assert rules.allows(data[:200].decode("latin-1"), agent) in (True, False)
        assert (rules.delay_s(agent) or 0.0) >= 0.0
    assert all(isinstance(sitemap, str) for sitemap in rules.sitemaps)


def on_url(data: bytes) -> None:
    """Write a URL in its canonical form, which is its own; what the guard lets through is the URL it was asked for."""
    text = data.decode("utf-8", "replace")
    for base in ("", URL):
        try:
            url = canonical(text, base)
        except BadUrl:
            continue
        assert canonical(url) == url
        assert absolute(url) == url
        assert is_trap(url) in (True, False)
        try:
            target = Guard().check(url)
        except Blocked:
            continue
        assert target.port in Guard().ports
        assert absolute(target.url) == target.url


def on_sitemap(data: bytes) -> None:
    """Read a sitemap, or a feed: a bounded list of canonical URLs."""
    try:
        links = parse_sitemap(data, url=URL)
    except BadSitemap:
        links = ()
    assert len(links) <= MAX_URLS
    entries = parse_feed(data, url=URL)
    assert len(entries) <= MAX_ENTRIES
    for link in (*links, *entries):
        assert canonical(link.url) == link.url
        link.text.encode("utf-8", "strict")
        link.context.encode("utf-8", "strict")


def on_charset(data: bytes) -> None:
    """Decode a body by what it says of its charset, and undo a content encoding within its bounds."""
    kind, body = _chosen(data, TYPES)
    assert isinstance(decode(body, kind), str)
    header, _, rest = body.partition(b"\n")
    assert isinstance(decode(rest, header.decode("latin-1")), str)
    encoding, wire = _chosen(data, ENCODINGS)
    decoder, out = Decoder(encoding, BOUNDS), 0
    try:
        for at in range(0, len(wire), 7):
            out += len(decoder.feed(wire[at : at + 7]))
        decoder.finish()
    except (Corrupt, Overflow):
        pass
    assert out <= BOUNDS.max_body


def _chosen(data: bytes, of: tuple[str, ...]) -> tuple[str, bytes]:
    return of[data[0] % len(of)] if data else of[0], data[1:]


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    "extract": on_extract,
    "robots": on_robots,
    "url": on_url,
    "sitemap": on_sitemap,
    "charset": on_charset,
}
