"""Read the links and titles of feeds: RSS 0.9–2.0, RSS 1.0, Atom, JSON Feed.

Not with feedparser: given bytes, it first tries to open the file of that name, and it sanitises markup that is not
used here.
"""

import html
import json
import re
from collections.abc import Iterator
from typing import Any, Final

from crawler.discovery.xml import entries, local_name, root_name, text_of
from crawler.urls import canonical_or_none
from domain import Link

MAX_ENTRIES: Final = 2_000
FEED_ROOTS: Final = frozenset({"rss", "feed", "rdf"})

_MAX_CHARS: Final = 300  #: of a title or summary
_TAG: Final = re.compile(r"<[^<>]*>")
_SUMMARIES: Final = ("description", "summary", "encoded", "content")


def parse_feed(body: bytes, *, url: str) -> tuple[Link, ...]:
    """Return the links of a feed in its order, with the origin "feed"; none where it is not a feed.

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
    if root_name(body) not in FEED_ROOTS:
        return
    for entry in entries(body, ("item", "entry")):
        children = [(local_name(child), child) for child in entry]
        address = _address(children) or _permalink(children)
        if address:
            summary = _first(children, _SUMMARIES)
            base = canonical_or_none(entry.base or url, url) or url  # ``xml:base`` may set another
            yield address, base, _first(children, ("title",)), summary


def _address(children: list[tuple[str, Any]]) -> str:
    """Return the entry's URL: RSS has it as text, Atom in ``href`` of the link without ``rel`` or with "alternate"."""
    for name, child in children:
        is_own = name == "link" and child.get("rel", "alternate") == "alternate"
        if is_own and (found := child.get("href", "").strip() or text_of(child)):
            return str(found)
    return ""


def _permalink(children: list[tuple[str, Any]]) -> str:
    """Return the entry's id if it is its URL: RSS may then leave out the link."""
    for name, child in children:
        if name == "guid" and child.get("isPermaLink", "true") == "true":
            return text_of(child)
    return ""


def _first(children: list[tuple[str, Any]], names: tuple[str, ...]) -> str:
    """Return the text of the first child that has any, in the order of ``names``, without quoted markup."""
    for wanted in names:
        for name, child in children:
            if name == wanted and (found := _plain(text_of(child))):
                return found[:_MAX_CHARS]
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
            yield address, "", _plain(texts.get("title", ""))[:_MAX_CHARS], _plain(summary)[:_MAX_CHARS]
