"""Read sitemaps (sitemaps.org 0.9): lists of pages, lists of sitemaps, plain lists of URLs, feeds; gzipped or not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from crawler.discovery.feed import FEED_ROOTS, parse_feed
from crawler.discovery.xml import entries, local_name, root_name, text_of
from crawler.extract.charset import decode
from crawler.fetch.content_encoding import BodyBounds, Corrupt, Decoder, Overflow
from crawler.urls import BadUrl, canonical, origin
from domain import Link
from domain.errors import WellreadError

MAX_URLS: Final = 50_000  #: the protocol's own bound for one file

_GZIP: Final = b"\x1f\x8b"
_UNPACKED: Final = BodyBounds(max_wire=10_000_000, max_body=20_000_000)
_SLICE: Final = 65_536
_ORIGINS: Final = {"url": "sitemap", "sitemap": "sitemap-file"}
_ROOTS: Final = frozenset({"urlset", "sitemapindex"})
_MAX_TITLE: Final = 300


class BadSitemap(WellreadError):
    """This is not a sitemap that can be read; the message says which and why."""


def parse_sitemap(body: bytes, *, url: str) -> tuple[Link, ...]:
    """List what a sitemap names: pages with the origin "sitemap", further sitemaps with "sitemap-file".

    ``url`` is where it was fetched. URLs of other sites are left out, as the protocol has it; at most ``MAX_URLS``
    are given, each once. A feed may serve as a sitemap: its entries keep the origin "feed".

    Raises:
        BadSitemap: see there.
    """
    plain = _unpacked(body, url)
    links: dict[str, Link] = {}
    site = _site(url)
    for link in _listed(plain, url):
        if _site(link.url) == site:
            links.setdefault(link.url, link)
        if len(links) >= MAX_URLS:
            break
    return tuple(links.values())


def _listed(body: bytes, url: str) -> Iterator[Link]:
    root = root_name(body)
    if root in _ROOTS:
        return _entries(body, url)
    if root in FEED_ROOTS:
        return iter(parse_feed(body, url=url))
    if root:
        raise BadSitemap(f"{url} is no sitemap but a document of the kind <{root}>: leave it")
    return _lines(body, url)


def _entries(body: bytes, url: str) -> Iterator[Link]:
    for entry in entries(body, _ORIGINS):
        locations = [text_of(child) for child in entry if local_name(child) == "loc"]
        for address in locations or [(entry.text or "").strip()]:  # some leave the <loc> out
            if address:
                yield from _link(address, _title(entry), _ORIGINS[local_name(entry)], url)


def _title(entry: Any) -> str:
    """The title that the extensions for news, pictures and films give, the first one there is."""
    titles = (text_of(element) for element in entry.iter() if local_name(element) == "title")
    return next(filter(None, titles), "")[:_MAX_TITLE]


def _lines(body: bytes, url: str) -> Iterator[Link]:
    """One URL a line; a file whose first line is none is something else."""
    lines = [line.strip() for line in decode(body, "").splitlines() if line.strip()]
    if not lines or not lines[0].lower().startswith(("http://", "https://")):
        raise BadSitemap(f"{url} is no sitemap: neither XML nor a list of URLs. Leave it")
    for line in lines:
        yield from _link(line, "", "sitemap", "")


def _link(address: str, title: str, kind: str, url: str) -> Iterator[Link]:
    try:
        yield Link(url=canonical(address, url), text=title, origin=kind)
    except BadUrl:
        return


def _unpacked(body: bytes, url: str) -> bytes:
    """The sitemap's bytes; of a gzipped one that is damaged or too long, those before the damage or the limit."""
    if not body.startswith(_GZIP):
        return body
    decoder, plain = Decoder("gzip", _UNPACKED), bytearray()
    try:
        for start in range(0, len(body), _SLICE):
            plain += decoder.feed(body[start : start + _SLICE])
    except (Corrupt, Overflow) as error:
        if not plain:
            raise BadSitemap(f"{url} cannot be unpacked: {error}. Leave it") from error
    return bytes(plain)


def _site(url: str) -> str:
    """The site a URL belongs to, whether with http or https, with or without www."""
    return origin(url).partition("://")[2].removeprefix("www.")
