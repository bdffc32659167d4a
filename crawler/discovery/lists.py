"""Read lists of pages: sitemaps (sitemaps.org 0.9), feeds (RSS 0.9-2.0, RSS 1.0, Atom, JSON Feed), lists of URLs.

The search index of a manual is read as a sitemap with titles. Entities of XML are never expanded, nothing is fetched,
and only the current entry is in memory; of a file that is cut off, the entries before the cut are given. No feedparser:
given bytes, it first tries to open the file of that name, and it sanitises markup that is not used here.
"""

import html
import json
import re
from collections.abc import Collection, Iterator, Mapping
from io import BytesIO
from itertools import islice
from typing import Any, Final
from urllib.parse import urljoin

from lxml import etree

from crawler.extract.charset import decode
from crawler.extract.html import XML_DECLARATION
from crawler.extract.html_links import with_lines
from crawler.fetch.content_encoding import BodyBounds, Corrupt, Decoder, Overflow
from crawler.urls import canonical_or_none, site
from domain import Link
from domain.errors import WellreadError

MAX_URLS: Final = 50_000  #: the protocol's own limit for one file
MAX_ENTRIES: Final = 2_000  #: of a feed

_GZIP: Final = b"\x1f\x8b"
_UNPACKED: Final = BodyBounds(max_wire=10_000_000, max_body=20_000_000)
_SLICE: Final = 65_536
_ORIGINS: Final = {"url": "sitemap", "sitemap": "sitemap-file"}
_ROOTS: Final = frozenset({"urlset", "sitemapindex"})
_MAX_TITLE: Final = 300  #: characters, also of a summary
#: how lists of pages begin
_HEAD: Final = 2_000
_LIST: Final = re.compile(rb"<(?:\w{1,20}:)?(?:urlset|sitemapindex|rss|feed|RDF)[\s>]")
_JSON_FEED: Final = re.compile(rb"^\s*\{.*https?://jsonfeed\.org/version/", re.DOTALL)
_FEED_ROOTS: Final = frozenset({"rss", "feed", "rdf"})
_SUMMARIES: Final = ("description", "summary", "encoded", "content")
_SPHINX: Final = b"Search.setIndex("
_TAG: Final = re.compile(r"<[^<>]*>")
#: & without an entity, as in URLs of hand-made files: the parser would drop it with the name that follows
_BARE_AMPERSAND: Final = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});)")
_CDATA: Final = b"<![CDATA["
#: of ampersands and CDATA sections, each of which becomes a node; a file of 50,000 addresses has fewer
_MOST_MARKS: Final = 400_000
#: of tags that never close: each is kept as an error, and takes the parser the longer the more there are
_MOST_BROKEN: Final = 2_000
#: of all elements: only the entries are cleared
_MOST_ELEMENTS: Final = 1_000_000
_MARK: Final = re.compile(rb"&|<!\[CDATA\[")
_BROKEN: Final = re.compile(rb"<(?!!\[CDATA\[)[^<>]*+(?=<)")
_BLANK: Final = b" \t\r\n"
_BOM: Final = b"\xef\xbb\xbf"


class BadSitemap(WellreadError):
    """The file is not a readable sitemap; the message says which and why."""


def parse_sitemap(body: bytes, *, url: str) -> tuple[Link, ...]:
    """Return the links of a sitemap: pages have the origin "sitemap", further sitemaps "sitemap-file".

    ``url`` is the sitemap's. The first ``MAX_URLS`` are read, each once; those of other sites are left out, as the
    protocol says. A feed may serve as a sitemap: its links have the origin "feed". Raises BadSitemap.
    """
    links: dict[str, Link] = {}
    own_site = site(url)
    for link in islice(_listed(_unpacked(body, url), url), MAX_URLS):
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
        or _is_search_index(body, url)
        or (bool(lines) and all(line.startswith(("http://", "https://")) for line in lines[:-1] or lines))
    )


def _is_search_index(body: bytes, url: str) -> bool:
    return body.startswith(_SPHINX) or url.endswith("/search_index.json")


def _listed(body: bytes, url: str) -> Iterator[Link]:
    if _is_search_index(body, url):
        return _indexed(body, url)
    root = _root_name(body)
    if root in _ROOTS:
        return _of_sitemap(body, url)
    if root in _FEED_ROOTS or _JSON_FEED.search(body[:_HEAD]):
        return iter(parse_feed(body, url=url))
    if root:
        raise BadSitemap(f"{url} is not a sitemap but a document of the kind <{root}>; it is not read")
    return _lines(body, url)


def _indexed(body: bytes, url: str) -> Iterator[Link]:
    """Yield each page of a manual's search index, with its titles as lines."""
    plain = body.decode("utf-8", "replace").strip()
    titles: dict[str, dict[str, None]] = {}
    try:
        if body.startswith(_SPHINX):
            titled = _sphinx(json.loads(plain[len(_SPHINX) :].rstrip(";").removesuffix(")")))
        else:
            titled = _mkdocs(json.loads(plain), url)
        for address, title in titled:
            titles.setdefault(address, {})[" ".join(_TAG.sub("", title).split())] = None
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError) as error:
        why = f"it has another form ({type(error).__name__})" if not isinstance(error, ValueError) else error
        raise BadSitemap(f"{url} is no search index that can be read: {why}. Leave it") from error
    for address, named in titles.items():
        yield from _link(address, with_lines("", filter(None, named)), "sitemap", url)


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


def _of_sitemap(body: bytes, url: str) -> Iterator[Link]:
    for entry in _entries(body, _ORIGINS):
        locations = [_text_of(child) for child in entry if _local_name(child) == "loc"]
        # of the extensions for news, images and videos
        titles = (_text_of(element) for element in entry.iter() if _local_name(element) == "title")
        title = next(filter(None, titles), "")[:_MAX_TITLE]
        for address in locations or [(entry.text or "").strip()]:  # some leave the <loc> out
            if address:
                yield from _link(address, title, _ORIGINS[_local_name(entry)], url)


def _lines(body: bytes, url: str) -> Iterator[Link]:
    """Yield the URL of each line; a file whose first line is not a URL is not a sitemap."""
    lines = [line.strip() for line in decode(body, "").splitlines() if line.strip()]
    if not lines or not lines[0].lower().startswith(("http://", "https://")):
        raise BadSitemap(f"{url} is not a sitemap: it is neither XML nor a list of URLs. Leave it")
    for line in lines:
        yield from _link(line, "", "sitemap", "")


def _link(address: str, title: str, kind: str, url: str) -> Iterator[Link]:
    if known := canonical_or_none(address, url):
        yield Link(url=known, text=title, origin=kind)


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


def parse_feed(body: bytes, *, url: str) -> tuple[Link, ...]:
    """Return the links of a feed in its order, with the origin "feed"; none if it is not a feed.

    Relative links are resolved against ``url``. At most ``MAX_ENTRIES`` links, each URL once.
    """
    links: dict[str, Link] = {}
    items = _json(body) if body.lstrip().startswith(b"{") else _xml(body, url)
    for address, base, title, summary in items:
        if to := canonical_or_none(address, base or url):
            links.setdefault(to, Link(url=to, text=title, context=summary, origin="feed"))
        if len(links) >= MAX_ENTRIES:
            break
    return tuple(links.values())


def _xml(body: bytes, url: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield (link, its base, title, summary) of each entry."""
    if _root_name(body) not in _FEED_ROOTS:
        return
    for entry in _entries(body, ("item", "entry")):
        children = [(_local_name(child), child) for child in entry]
        if address := _address(children):
            summary = _first(children, _SUMMARIES)
            base = canonical_or_none(entry.base or url, url) or url  # ``xml:base`` may set another
            yield address, base, _first(children, ("title",)), summary


def _address(children: list[tuple[str, Any]]) -> str:
    """Return the entry's URL: RSS has it as text, Atom in ``href`` of the link without ``rel`` or with "alternate".

    RSS may leave out the link if the entry's id is its URL.
    """
    own = (child for name, child in children if name == "link" and child.get("rel", "alternate") == "alternate")
    ids = (child for name, child in children if name == "guid" and child.get("isPermaLink", "true") == "true")
    linked = next(filter(None, (child.get("href", "").strip() or _text_of(child) for child in own)), "")
    return str(linked) or next(map(_text_of, ids), "")


def _first(children: list[tuple[str, Any]], names: tuple[str, ...]) -> str:
    """Return the text of the first child that has any, in the order of ``names``, without quoted markup."""
    for wanted in names:
        for name, child in children:
            if name == wanted and (found := _plain(_text_of(child))):
                return found[:_MAX_TITLE]
    return ""


def _plain(markup: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", html.unescape(markup))).split())


def _json(body: bytes) -> Iterator[tuple[str, str, str, str]]:
    try:
        feed = json.loads(body)
    except (ValueError, RecursionError):
        return
    items = feed.get("items") if isinstance(feed, dict) else None
    for item in items if isinstance(items, list) else ():
        if not isinstance(item, dict):
            continue
        texts = {name: value for name, value in item.items() if isinstance(value, str)}
        summary = texts.get("summary") or texts.get("content_text") or texts.get("content_html") or ""
        if address := texts.get("url"):
            yield address, "", _plain(texts.get("title", ""))[:_MAX_TITLE], _plain(summary)[:_MAX_TITLE]


def _root_name(body: bytes) -> str:
    for _, element in _events(body, ("start",)):
        return _local_name(element)
    return ""


def _entries(body: bytes, names: Collection[str]) -> Iterator[Any]:
    """Yield each element with one of these local names, in order; each is cleared before the next."""
    for _, element in _events(body, ("end",)):
        if _local_name(element) in names:
            yield element
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]


def _local_name(element: Any) -> str:
    return element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else ""


def _text_of(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())


def _events(body: bytes, events: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    parsing = etree.iterparse(
        BytesIO(_prepared(body)),
        events=events,
        recover=True,
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        yield from islice(parsing, _MOST_ELEMENTS)
    except etree.XMLSyntaxError:
        return  # the entries before the damage were given


def _prepared(body: bytes) -> bytes:
    """Return the body without a BOM and leading blanks, with bare ampersands escaped outside CDATA."""
    if body[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in body[:4]:  # UTF-16, which is not compatible with ASCII
        body = XML_DECLARATION.sub("", decode(body)).encode()
    for marks, most in ((_MARK, _MOST_MARKS), (_BROKEN, _MOST_BROKEN)):
        if (last := next(islice(marks.finditer(body), most, None), None)) is not None:
            body = body[: last.start()]
    first, *rest = body.removeprefix(_BOM).lstrip(_BLANK).split(_CDATA)
    prepared = [_BARE_AMPERSAND.sub(b"&amp;", first)]
    for part in rest:
        quoted, end, after = part.partition(b"]]>")
        prepared += [_CDATA, quoted, end, _BARE_AMPERSAND.sub(b"&amp;", after)]
    return b"".join(prepared)
