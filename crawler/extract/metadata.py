"""Read an HTML page's metadata: title, language, dates, canonical URL, and its directives for robots."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from crawler.extract.html import linked_data
from crawler.urls import canonical_or_none, host
from domain import PageText
from text.invisible import strip_invisible

_SUFFIX = re.compile(r"\s+[|·•»–—-]\s+[^|·•»–—]{1,60}$")
_PUBLISHED = ("article:published_time", "datepublished", "dc.date", "dc.date.issued", "date", "pubdate", "publishdate")
_MODIFIED = ("article:modified_time", "datemodified", "dc.date.modified", "last-modified", "og:updated_time")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_ROBOTS = frozenset({"robots", "wellread"})
#: directives with a value, which no robot's name is
_VALUED = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
_MOST_DIRECTIVES = 100
_ROBOT = re.compile(r"\*|[a-z_][\w.-]*")


@dataclass(frozen=True, kw_only=True)
class Directives:
    """What a page, or the header of its answer, asks of robots."""

    index: bool = True
    follow: bool = True
    until: datetime | None = None  #: it is not to be shown after that


def read_metadata(tree: Any, url: str) -> PageText:
    """Return what a parsed page says of itself, without its text; its language is the declared one."""
    named: dict[str, str] = {}  # the meta elements by name or property; the first of each counts
    for meta in tree.iter("meta"):
        if name := (meta.get("name") or meta.get("property") or meta.get("itemprop") or "").strip().lower():
            named.setdefault(name, meta.get("content", "").strip())
    dates = dict(_dates_in_json(tree))
    asked = (meta.get("content", "") for meta in tree.iter("meta") if meta.get("name", "").strip().lower() in _ROBOTS)
    directives = robots_directives("\n".join(asked))
    return PageText(
        title=_title(tree, named),
        text="",
        lang=tree.get("lang", tree.get("xml:lang", "")).split("-")[0].strip().lower()[:3],
        published=_first_date(named, _PUBLISHED) or dates.get("datePublished"),
        modified=_first_date(named, _MODIFIED) or dates.get("dateModified"),
        canonical_url=_canonical(tree, url),
        index=directives.index,
        follow=directives.follow,
        until=directives.until,
    )


def robots_directives(value: str, *, agent: str = "wellread") -> Directives:
    """Return the directives of robots meta elements or X-Robots-Tag headers, one a line, of all that are for us.

    A robot's name (``googlebot: noindex, nofollow``) is for the words up to the next name or the end of the line.
    """
    words, until = set[str](), None
    for line in value.lower().splitlines()[:_MOST_DIRECTIVES]:
        is_ours, parts = True, line.split(",")[:_MOST_DIRECTIVES]
        while parts:
            name, colon, rest = (part.strip() for part in parts.pop(0).partition(":"))
            if colon and name not in _VALUED and _ROBOT.fullmatch(name):
                is_ours = name == "*" or agent.lower().partition("/")[0].strip() == name
                name, colon, rest = (part.strip() for part in rest.partition(":"))
            if name == "unavailable_after":
                when = parse_date(rest)
                if when is None and parts:  # "Friday, 25-Jun-2010 15:00:00 PST"
                    when = parse_date(f"{rest}, {parts[0].strip()}")
                    parts = parts[1:] if when else parts
                until = min(when, until or when) if when and is_ours else until
            elif is_ours:
                words.add(name)
    return Directives(
        index=words.isdisjoint(("none", "noindex")), follow=words.isdisjoint(("none", "nofollow")), until=until
    )


def parse_date(value: str) -> datetime | None:
    """Parse an ISO 8601 or RFC 5322 date, in UTC without a zone; None for any other text and years before 1990."""
    value = value.strip()
    day = _DAY.match(value)
    others = (datetime.fromisoformat, day[0]) if day else (parsedate_to_datetime, value)
    for parse, written in ((datetime.fromisoformat, value), others):
        with suppress(ValueError, TypeError, OverflowError, IndexError):
            when = parse(written)
            if not 1990 <= when.year <= 2100:
                return None
            return when if when.tzinfo else when.replace(tzinfo=UTC)
    return None


def _title(tree: Any, named: dict[str, str]) -> str:
    element = tree.find(".//title")
    title = " ".join((element.text_content() if element is not None else "").split())
    social = " ".join(strip_invisible(named.get("og:title", "")).split())
    if social and title.startswith(social):
        return social[:300]
    site = named.get("og:site_name", "")
    if site and title.endswith(site):
        return _SUFFIX.sub("", title)[:300]
    return (title or social)[:300]


def _canonical(tree: Any, url: str) -> str:
    """Return the page's canonical URL; "" for one on another host, which a page cannot vouch for."""
    for link in tree.iter("link"):
        if "canonical" in link.get("rel", "").lower().split() and (href := link.get("href", "").strip()):
            named = canonical_or_none(href, url) or ""
            return named if named and host(named) == host(url) else ""
    return ""


def _first_date(named: dict[str, str], names: tuple[str, ...]) -> datetime | None:
    return next((when for name in names if (when := parse_date(named.get(name, "")))), None)


def _dates_in_json(tree: Any) -> Iterator[tuple[str, datetime]]:
    for entries in linked_data(tree):
        for entry in entries if isinstance(entries, list) else [entries]:
            for name in ("datePublished", "dateModified"):
                value = entry.get(name) if isinstance(entry, dict) else None
                if isinstance(value, str) and (when := parse_date(value)):
                    yield name, when
