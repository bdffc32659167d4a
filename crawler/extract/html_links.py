"""Read the links of a page: their URLs, their texts, and the text around them; its frames and named neighbours too."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache, partial
from itertools import islice
from typing import Any

from crawler.urls import canonical_or_none, site
from domain import Link
from text.invisible import strip_invisible

MAX_LINKS = 3_000
MAX_TEXT = 500  #: characters of all anchors of one URL
MAX_ANCHORS = 30_000  #: elements examined; a page may repeat one link without end
_CONTEXT_CHARS = 200
#: scripts on the pages of Sphinx's and MkDocs' manuals, and the search index that lists all pages
_SEARCH_INDEX = {"_static/documentation_options.js": "searchindex.js", "search/main.js": "search/search_index.json"}
#: relations of a manual's page to its others, with their titles
_NEIGHBOURS = frozenset(
    {"next", "prev", "up", "contents", "index", "start", "chapter", "section", "subsection", "appendix", "glossary"}
)
_FEEDS = frozenset({"application/rss+xml", "application/atom+xml"})
_FRAMES = frozenset({"frame", "iframe"})
#: where the URL of a frame was seen: its page is shown as a part of another
FRAME = "frame"
_BLOCKS = frozenset({"p", "li", "td", "dd", "dt", "div", "section", "h1", "h2", "h3", "h4", "figcaption"})


def links_of(tree: Any, url: str) -> tuple[Link, ...]:
    """Return a parsed page's links: one for each canonical URL, in page order, with its anchors' words as lines."""
    base = tree.find(".//base")
    href = base.get("href", "").strip() if base is not None else ""
    resolve = cache(partial(canonical_or_none, base=canonical_or_none(href or url, url) or url))
    found: dict[str, Link] = {}
    for element in islice(tree.iter("a", "area", "link", "frame", "iframe", "script"), MAX_ANCHORS):
        target = _target(element, resolve)
        if target is None or target == url:
            continue
        if known := found.get(target):
            if element.tag == "a":  # it may be followed if one of its anchors may
                nofollow = known.nofollow and "nofollow" in _rel(element)
                found[target] = replace(known, text=with_lines(known.text, _lines(element)), nofollow=nofollow)
        elif len(found) < MAX_LINKS and (link := _link(element, target, url)) is not None:
            found[target] = link
    return tuple(found.values())


def _target(element: Any, resolve: Callable[[str], str | None]) -> str | None:
    address = element.get("src") or ""
    if element.tag == "script":
        path = address.partition("?")[0]
        address = next((path.removesuffix(end) + to for end, to in _SEARCH_INDEX.items() if path.endswith(end)), "")
    elif element.tag not in _FRAMES:
        address = element.get("href") or ""
    address = address.strip().split("#", 1)[0]
    is_page = address and not address.startswith(("mailto:", "javascript:", "tel:", "data:"))
    return resolve(address) if is_page else None


def _link(element: Any, target: str, url: str) -> Link | None:
    rel = _rel(element)
    if element.tag in ("a", "area"):
        lines = _lines(element)
        context = _context(element, lines[0] if lines else "")
        return Link(url=target, text=with_lines("", lines), context=context, nofollow="nofollow" in rel)
    if "alternate" in rel and element.get("type", "").lower() in _FEEDS:
        return Link(url=target, text=_title(element), origin="feed-file")
    if element.tag == "script":
        return Link(url=target, origin="sitemap-file")
    if element.tag in _FRAMES:
        return Link(url=target, text=_title(element), origin=FRAME) if site(target) == site(url) else None
    if not _NEIGHBOURS.isdisjoint(rel):
        return Link(url=target, text=_title(element))
    return None


def with_lines(text: str, lines: Iterable[str]) -> str:
    """Return a link's text with further lines, each once, up to ``MAX_TEXT`` characters."""
    for line in lines:
        if line not in text.split("\n") and len(text) + len(line) < MAX_TEXT:
            text = f"{text}\n{line}" if text else line
    return text


def _lines(element: Any) -> list[str]:
    text = " ".join(element.text_content().split())[:300]
    return list(dict.fromkeys(filter(None, (text, _title(element)))))


def _title(element: Any) -> str:
    return " ".join(strip_invisible(element.get("title", "")).split())[:300]


def _rel(element: Any) -> list[str]:
    return list(element.get("rel", "").lower().split())


def _context(element: Any, text: str) -> str:
    """Return the text of the block around a link; "" if it has no more than the link's own."""
    block = next((above for above in element.iterancestors() if above.tag in _BLOCKS), None)
    if block is None:
        return ""
    words: list[str] = []
    for piece in block.itertext():
        words.extend(piece.split())
        if len(words) > 60:
            break
    around = " ".join(words)[:_CONTEXT_CHARS]
    return around if len(around) > len(text) else ""
