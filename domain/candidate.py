"""What is found and not yet fetched, and when a source is looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, kw_only=True)
class Link:
    """A URL seen on a page, in a sitemap, a feed or an engine's reply."""

    url: str  #: canonical
    text: str = ""  #: anchor, or the title where there is one; several anchors of one URL, one a line
    context: str = ""  #: the words around it
    #: where it was seen. A page: link (anchor on a page), sitemap (listed by one), feed (its entry), seed,
    #: engine:NAME. A list of pages: sitemap-file (robots' Sitemap: line, child of an index), feed-file (rel=alternate)
    origin: str = "link"
    nofollow: bool = False


CandidateKind = Literal["page", "sitemap", "feed"]

#: of links, those that lead to a list of pages: by their origin
LIST_KINDS: Final[Mapping[str, CandidateKind]] = {"sitemap-file": "sitemap", "feed-file": "feed"}


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A URL found, not yet fetched."""

    url: str  #: canonical
    kind: CandidateKind = "page"
    score: float = 0.0  #: how likely it is to answer, higher is better
    depth: int = 0  #: links from where the crawl began
    origin: str = "link"
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """When a source is looked at: every so often, or at the times of a cron line."""

    every_s: float | None = None
    cron: str = ""  #: five fields: minute, hour, day of the month, month, day of the week
    zone: str = "UTC"  #: IANA name of the time zone the cron line is in
