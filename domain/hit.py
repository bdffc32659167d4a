"""Define passages, the scope of a search, its hits, and what was read in a hit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple, Protocol, TypedDict, Unpack

from domain.page import Block, Page, PageText
from domain.site import PageKind, SiteScope

#: similarity: 1 − cosine distance, [−1, 1]; bm25: ≥ 0, unbounded; minmax, rerank: [0, 1]; rrf: Σ 1/(k + rank)
Scale = Literal["similarity", "bm25", "minmax", "rrf", "rerank"]

#: graph: a name leads to it; fact: it states what is asked
Via = Literal["", "graph", "fact"]


@dataclass(frozen=True, kw_only=True)
class Passage:
    """The stored, searchable piece of a page: exactly ``page.text[start:end]``."""

    id: str  #: ``{page_id}-{ord}``
    page_id: int
    ord: int  #: 0-based position in the page
    url: str
    title: str  #: the page's title, and the headings above the passage where there are any
    lang: str  #: ISO 639-1, or "und"
    text: str
    start: int  #: character offset in the page's stored text
    end: int
    content_hash: str  #: of title, lead and text; the embedding is kept while it does not change
    read_at: datetime | None = None
    published: datetime | None = None
    blocks: tuple[Block, ...] = ()  #: its parts by kind, at offsets in its text; none where they are not known
    lead: str = ""  #: where it begins within a table, list or definition: the header, introducing sentence or term
    private: bool = False  #: it serves only the questions that had its page read
    tags: tuple[str, ...] = ()  #: of a document that a program pushed (domain.filters)


def passage_of_page(page: Page | PageText, start: int, end: int, **others: Any) -> Passage:
    """Return a page's text between two offsets as a passage; ``others`` are its fields that the page does not say."""
    values: dict[str, Any] = {"title": page.title, "lang": page.lang, "published": page.published, "content_hash": ""}
    if isinstance(page, Page):
        values |= {"page_id": page.id, "url": page.url, "read_at": page.read_at, "tags": page.tags}
    return Passage(text=page.text[start:end], start=start, end=end, **values | others)


class AnswerSpan(NamedTuple):
    """The few words of a passage that answer best, at character offsets in its text."""

    start: int
    end: int
    margin: float  #: its logit less that of "there is none"


class Reading(Protocol):
    """What was read in a passage, with the question in mind."""

    @property
    def answers(self) -> float:
        """The logit that the passage answers the question."""

    def evidence(self, spans: Sequence[tuple[int, int]]) -> list[float]:
        """Return for each character span of the passage the mean logit that its words are of what answers."""

    def short_answer(self) -> AnswerSpan | None:
        """Return the few words that answer best; None where the passage has no text."""


class Ranked(TypedDict, total=False):
    """What ranking sets of a hit."""

    score: float
    scale: Scale
    rank: int
    original_rank: int
    similarity: float | None
    bm25: float | None
    query: str
    found_by: tuple[str, ...]
    sentence_cosines: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Hit:
    """A passage returned for a query."""

    passage: Passage
    score: float
    scale: Scale
    rank: int  #: 1 is best
    similarity: float | None = None  #: 1 − cosine distance, where the vector leg found it
    bm25: float | None = None  #: where the text leg found it
    original_rank: int = 0  #: its rank before it was reranked; 0: it was not
    query: str = ""  #: the query it was found by (the best one, after fusion)
    via: Via = ""  #: what added or raised it, besides the search
    reading: Reading | None = field(default=None, repr=False, compare=False)  #: where it was read
    #: sentence → cosine of it and the question; where it was not read in English, and the embedder knows the language
    nearness: Mapping[str, float] = field(default_factory=dict, repr=False, compare=False)
    #: term of the question → terms of this passage near it in meaning → cosine; where its language is another
    near_terms: Mapping[str, Mapping[str, float]] = field(default_factory=dict, repr=False, compare=False)
    #: of the question and each sentence of its lead and text, in their context; where they are stored
    sentence_cosines: tuple[float, ...] = field(default=(), repr=False, compare=False)
    found_by: tuple[str, ...] = ()  #: after the fusion of several queries: those with it among their first hits

    def ranked(self, **values: Unpack[Ranked]) -> "Hit":
        """Return the hit with these values, as ``dataclasses.replace`` does more slowly: four wordings need 1,500."""
        hit = object.__new__(Hit)
        object.__setattr__(hit, "__dict__", vars(self) | values)
        return hit


@dataclass(frozen=True, kw_only=True)
class Scope:
    """The limits of a search; empty means everything."""

    sites: tuple[str | SiteScope, ...] = ()  #: URLs of pages or folders, or what belongs to a site
    exclude_sites: tuple[str, ...] = ()  #: URL prefixes of pages that are not found
    langs: tuple[str, ...] = ()
    read_after: datetime | None = None
    read_before: datetime | None = None
    published_after: datetime | None = None  #: pages that say no date are left out
    published_before: datetime | None = None  #: likewise
    kinds: tuple[PageKind, ...] = ()  #: pages of the web, files or documents
    any_tags: tuple[tuple[str, ...], ...] = ()  #: of each, a passage has one
    no_tags: tuple[str, ...] = ()  #: of which a passage has none
    private_pages: tuple[int, ...] = ()  #: those that may be found besides the public ones
    confirmed: tuple[int, ...] = ()  #: pages read before that time, and seen unchanged since


@dataclass(frozen=True, kw_only=True)
class SearchedPages:
    """The pages that a question may be answered from."""

    pages: int
    hosts: tuple[str, ...]  #: those of most pages first
    waiting: int  #: pages that were read, and cannot be searched yet
