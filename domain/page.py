"""Links and candidates; the text extracted from a document, with its blocks; the stored page, its facts and names."""

import hashlib
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, Literal, get_args

#: prose: a paragraph; list: its items, each "- …" or "1. …" on its line; table: its rows, cells apart by " | ", of
#: which the first may name the columns; rows: a table of which none does; definition: a term and what is said of it
BlockKind = Literal["prose", "heading", "list", "table", "rows", "definition", "code"]
TABLES: Final[frozenset[BlockKind]] = frozenset({"table", "rows"})
BLOCK_KINDS: tuple[BlockKind, ...] = get_args(BlockKind)


@dataclass(frozen=True, kw_only=True)
class Block:
    """A part of a text that is one thing: ``text[start:end]``."""

    kind: BlockKind
    start: int
    end: int


def blocks_between(blocks: Sequence[Block], start: int, end: int) -> Iterator[Block]:
    """Yield the blocks that have a part between ``start`` and ``end``."""
    for at in range(bisect_right(blocks, start, key=lambda block: block.end), len(blocks)):
        if blocks[at].start >= end:
            break
        yield blocks[at]


def blocks_within(blocks: Sequence[Block], start: int, end: int) -> tuple[Block, ...]:
    """Return the parts of blocks within ``start`` and ``end``, at offsets from ``start``."""
    return tuple(
        Block(kind=block.kind, start=max(block.start, start) - start, end=min(block.end, end) - start)
        for block in blocks_between(blocks, start, end)
    )


def titled(title: str, heading: str) -> str:
    """Return the title of a part of a page: the page's, and the headings above the part."""
    return f"{title} › {heading}" if heading and heading != title else title


@dataclass(frozen=True, kw_only=True)
class Fact:
    """Subject–predicate–object with the span that states it."""

    subject: str
    predicate: str
    object: str
    start: int | None = None  #: offsets in the page's text, if the fact is in it
    end: int | None = None


@dataclass(frozen=True, kw_only=True)
class StatedFact:
    """A fact with the page that states it."""

    fact: Fact
    page_id: int

    def is_in(self, page_id: int, text: str, start: int) -> bool:
        """Return whether a page's text from ``start`` on states it, or has its object if no place is known."""
        if page_id != self.page_id:
            return False
        at = self.fact.start
        return self.fact.object in text if at is None else start <= at < start + len(text)


@dataclass(frozen=True, kw_only=True)
class KnownName:
    """A name in the knowledge base, with its pages and mentions."""

    name: str  #: as names compare (text.names)
    pages: tuple[int, ...]  #: the pages named by it
    mentions: int  #: passages that mention it, counted up to a thousand
    among: int  #: the approximate number of all pages
    passages: tuple[str, ...] = ()  #: ids of those passages, if requested


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
class PageText:
    """The text and metadata extracted from one fetched document."""

    title: str
    text: str
    lang: str
    published: datetime | None = None
    modified: datetime | None = None
    canonical_url: str = ""
    links: tuple[Link, ...] = ()
    facts: tuple[Fact, ...] = ()
    headings: tuple[tuple[int, str], ...] = ()  #: (offset in text, heading) in order
    blocks: tuple[Block, ...] = ()  #: in order; together all of the text but the space between them
    places: tuple[tuple[int, str], ...] = ()  #: (offset in text, "page 3") in order, of files that have such
    missing: tuple[str, ...] = ()  #: what of the document could not be read: "2 charts", "pages 501 to 700"
    is_hub: bool = False  #: little but links: they are followed, but it supports no answer
    is_selected: bool = True  #: False where its source's selectors select no text, so that its main content was taken
    fetched_by: str = ""  #: the paid service that fetched it
    index: bool = True  #: False where the page's robots meta says noindex
    follow: bool = True
    until: datetime | None = None  #: it asks not to be shown after that

    @property
    def content_hash(self) -> str:
        """Return what two pages of the same title and text have in common."""
        return hashlib.blake2b(f"{self.title}\0{self.text}".encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Validators:
    """The values a server gave for asking later whether a page changed."""

    etag: str = ""
    last_modified: str = ""

    def headers(self) -> Mapping[str, str]:
        """Return the headers of a conditional request."""
        pairs = {"if-none-match": self.etag, "if-modified-since": self.last_modified}
        return {name: value for name, value in pairs.items() if value}


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page as it is stored."""

    id: int
    url: str
    title: str
    text: str
    lang: str
    headings: tuple[tuple[int, str], ...]
    published: datetime | None
    read_at: datetime
    content_hash: str
    generation: int  #: counts the texts this page has had
    is_gone: bool
    is_hub: bool = False  #: little but links: it has no passages
    is_duplicate: bool = False  #: another page says the same: it has no passages
    private: bool = False  #: it serves only the questions that had it read
    tags: tuple[str, ...] = ()  #: of a document that a program pushed (domain.filters)
    blocks: tuple[Block, ...] = ()  #: as in ``PageText``
