"""Links and candidates, which are not fetched yet, and the schedules of sources."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, Final, Literal

from domain.published import always_sent


@dataclass(frozen=True, kw_only=True)
class Link:
    """A URL seen on a page, in a sitemap, a feed or an engine's reply."""

    url: str  #: canonical
    text: str = ""  #: anchor, or the title where there is one; several anchors of one URL, one a line
    context: str = ""  #: the words around it
    #: where it was seen. A page: link (anchor on a page), frame (within a page), sitemap (listed by one), feed (its
    #: entry), seed, engine:NAME. A list of pages: sitemap-file (robots' Sitemap: line, child of an index), feed-file
    #: (rel=alternate)
    origin: str = "link"
    nofollow: bool = False


class ReadOutcome(StrEnum):
    """The outcome of reading one candidate."""

    READ = "read"
    UNCHANGED = "unchanged"  #: the page has the text that is stored
    KNOWN = "known"  #: not fetched: the stored text is fresh
    EMPTY = "empty"  #: the page has no text
    GONE = "gone"
    WALL = "wall"  #: a login, a refusal, a challenge for robots or a question for cookies came instead of the page
    FORBIDDEN = "forbidden"  #: by robots.txt, or the page asks not to be stored
    BLOCKED = "blocked"  #: by the guard
    FAILED = "failed"
    RETRY = "retry"  #: failed for the moment: never stored
    SKIPPED = "skipped"  #: not fetched: its question ended, or has no time left
    NEW = "new"  #: in a page's history: read for the first time
    CHANGED = "changed"  #: in a page's history: read with another text


#: the outcomes after which the page's text is stored
WITH_TEXT: Final = frozenset({ReadOutcome.READ, ReadOutcome.KNOWN, ReadOutcome.UNCHANGED})

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
    """When a source is looked at: every so often, or by a cron line."""

    __pydantic_config__: ClassVar[dict[str, Any]] = always_sent()

    every_s: float | None = None
    cron: str = ""  #: five fields: minute, hour, day of the month, month, day of the week
    zone: str = "UTC"  #: IANA name of the time zone the cron line is in
