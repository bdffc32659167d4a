"""Read sitemaps (sitemaps.org 0.9), gzipped or not: lists of pages or of sitemaps, plain lists of URLs, feeds.

The search index of a manual is read as a sitemap with titles.
"""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final
from urllib.parse import urljoin

from crawler.discovery.feed import FEED_ROOTS, parse_feed
from crawler.discovery.xml import entries, local_name, root_name, text_of
from crawler.extract.charset import decode
from crawler.fetch.content_encoding import BodyBounds, Corrupt, Decoder, Overflow
from crawler.urls import BadUrl, canonical, site
from domain import Link
from domain.errors import WellreadError

MAX_URLS: Final = 50_000  #: the protocol's own limit for one file

_GZIP: Final = b"\x1f\x8b"
_UNPACKED: Final = BodyBounds(max_wire=10_000_000, max_body=20_000_000)
_SLICE: Final = 65_536
_ORIGINS: Final = {"url": "sitemap", "sitemap": "sitemap-file"}
_ROOTS: Final = frozenset({"urlset", "sitemapindex"})
_MAX_TITLE: Final = 300
#: how lists of pages begin
_HEAD: Final = 2_000
_LIST: Final = re.compile(rb"<(?:\w{1,20}:)?(?:urlset|sitemapindex|rss|feed|RDF)[\s>]")
_JSON_FEED: Final = re.compile(rb"^\s*\{.*https?://jsonfeed\.org/version/", re.DOTALL)


class BadSitemap(WellreadError):
    """The file is not a readable sitemap; the message says which and why."""


def parse_sitemap(body: bytes, *, url: str) -> tuple[Link, ...]:
    """Return the links of a sitemap: pages have the origin "sitemap", further sitemaps "sitemap-file".

    ``url`` is the sitemap's. The first ``MAX_URLS`` are read, each once; those of other sites are left out, as the
    protocol says. A feed may serve as a sitemap: its links have the origin "feed". Raises BadSitemap.
    """
    plain = _unpacked(body, url)
    links: dict[str, Link] = {}
    own_site = site(url)
    for link in islice(_listed(plain, url), MAX_URLS):
        if site(link.url) == own_site:
            links.setdefault(link.url, link)
    return tuple(links.values())


def is_list(body: bytes, *, url: str) -> bool:
    """Return whether a document, whatever its type, looks like nothing but a list of pages."""
    head = body[:_HEAD]
    lines = head.decode("utf-8", "replace").split()
    return (
        body.startswith(_GZIP)
        or (_LIST.search(head) is not None and b"<html" not in head.lower())
        or _JSON_FEED.search(head) is not None
        or is_search_index(body, url)
        or (bool(lines) and all(line.startswith(("http://", "https://")) for line in lines[:-1] or lines))
    )


def _listed(body: bytes, url: str) -> Iterator[Link]:
    if is_search_index(body, url):
        return _indexed(body, url)
    root = root_name(body)
    if root in _ROOTS:
        return _entries(body, url)
    if root in FEED_ROOTS or _JSON_FEED.search(body[:_HEAD]):
        return iter(parse_feed(body, url=url))
    if root:
        raise BadSitemap(f"{url} is not a sitemap but a document of the kind <{root}>; it is not read")
    return _lines(body, url)


def _indexed(body: bytes, url: str) -> Iterator[Link]:
    try:
        pages = list(pages_of_index(body, url))
    except ValueError as error:
        raise BadSitemap(f"{url} is no search index that can be read: {error}. Leave it") from error
    for address, titles in pages:
        yield from _link(address, titles, "sitemap", url)


def _entries(body: bytes, url: str) -> Iterator[Link]:
    for entry in entries(body, _ORIGINS):
        locations = [text_of(child) for child in entry if local_name(child) == "loc"]
        for address in locations or [(entry.text or "").strip()]:  # some leave the <loc> out
            if address:
                yield from _link(address, _title(entry), _ORIGINS[local_name(entry)], url)


def _title(entry: Any) -> str:
    """Return the first title that the extensions for news, images and videos give."""
    titles = (text_of(element) for element in entry.iter() if local_name(element) == "title")
    return next(filter(None, titles), "")[:_MAX_TITLE]


def _lines(body: bytes, url: str) -> Iterator[Link]:
    """Yield the URL of each line; a file whose first line is not a URL is not a sitemap."""
    lines = [line.strip() for line in decode(body, "").splitlines() if line.strip()]
    if not lines or not lines[0].lower().startswith(("http://", "https://")):
        raise BadSitemap(f"{url} is not a sitemap: it is neither XML nor a list of URLs. Leave it")
    for line in lines:
        yield from _link(line, "", "sitemap", "")


def _link(address: str, title: str, kind: str, url: str) -> Iterator[Link]:
    try:
        yield Link(url=canonical(address, url), text=title, origin=kind)
    except BadUrl:
        return


def _unpacked(body: bytes, url: str) -> bytes:
    """Return the sitemap unpacked; a gzipped one that is damaged or too long only up to the damage or limit."""
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


_SPHINX: Final = b"Search.setIndex("
_TAG: Final = re.compile(r"<[^>]{0,200}>")
_MAX_TEXT: Final = 500


def is_search_index(body: bytes, url: str) -> bool:
    """Return whether the file is the search index of a manual."""
    return body.startswith(_SPHINX) or url.endswith("/search_index.json")


def pages_of_index(body: bytes, url: str) -> Iterator[tuple[str, str]]:
    """Yield the address of each page with its titles as lines; raises ValueError where the index is not readable."""
    plain = body.decode("utf-8", "replace").strip()
    titles: dict[str, dict[str, None]] = {}
    try:
        if body.startswith(_SPHINX):
            entries = _sphinx(json.loads(plain[len(_SPHINX) :].rstrip(";").removesuffix(")")))
        else:
            entries = _mkdocs(json.loads(plain), url)
        for address, title in entries:
            titles.setdefault(address, {})[" ".join(_TAG.sub("", title).split())] = None
    except (AttributeError, IndexError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"it has another form ({type(error).__name__})") from error
    for address, named in titles.items():
        yield urljoin(url, address), _as_lines(named)


def _sphinx(index: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    addresses = [f"{name}.html" for name in index["docnames"]]
    yield from zip(addresses, index["titles"], strict=False)
    for title, places in index.get("alltitles", {}).items():
        for document, _ in places:
            yield addresses[document], title


def _mkdocs(index: Mapping[str, Any], url: str) -> Iterator[tuple[str, str]]:
    root = urljoin(url, "..")
    for entry in index["docs"]:
        yield urljoin(root, entry["location"].partition("#")[0]), entry["title"]


def _as_lines(titles: Mapping[str, None]) -> str:
    text = ""
    for title in titles:
        if title and len(text) + len(title) < _MAX_TEXT:
            text = f"{text}\n{title}" if text else title
    return text
