"""What the knowledge base knows of named things."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Fact:
    """Subject–predicate–object with the span that says so."""

    subject: str
    predicate: str
    object: str
    start: int | None = None  #: offsets in the page's text, where the fact stands in it
    end: int | None = None


@dataclass(frozen=True, kw_only=True)
class StatedFact:
    """A fact with the page that states it."""

    fact: Fact
    page_id: int


@dataclass(frozen=True, kw_only=True)
class KnownName:
    """A name, and what the knowledge base has of it."""

    name: str  #: as names compare (text.names)
    pages: tuple[int, ...]  #: those that bear it
    mentions: int  #: passages that mention it, counted up to a thousand
    among: int  #: how many pages there are, about
    passages: tuple[str, ...] = ()  #: ids of such passages, where they were asked for
