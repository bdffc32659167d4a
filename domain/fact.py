"""Define facts and names in the knowledge base."""

from dataclasses import dataclass


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


@dataclass(frozen=True, kw_only=True)
class KnownName:
    """A name in the knowledge base, with its pages and mentions."""

    name: str  #: as names compare (text.names)
    pages: tuple[int, ...]  #: the pages named by it
    mentions: int  #: passages that mention it, counted up to a thousand
    among: int  #: the approximate number of all pages
    passages: tuple[str, ...] = ()  #: ids of those passages, if requested
