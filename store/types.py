"""The plain values that cross the rooms: what is asked, found, judged, answered and read.

Nothing here touches a disk, a network or a clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

from store.dispute import Contradiction, Dispute


class Status(StrEnum):
    """Where a question stands; each open status names exactly one next task, FOLLOWING none: another moves it."""

    ASKED = "ASKED"
    RETRYING = "RETRYING"
    SEEKING = "SEEKING"
    READING = "READING"
    EMBEDDING = "EMBEDDING"
    REQUERYING = "REQUERYING"
    FOLLOWING = "FOLLOWING"  #: an equal question is worked on; its answer is this one's too
    ANSWERED = "ANSWERED"
    ABSTAINED = "ABSTAINED"
    CANCELLED = "CANCELLED"
    TIMED_OUT = "TIMED_OUT"
    FAILED = "FAILED"

    @property
    def is_final(self) -> bool:
        """Whether the question moves no further by itself."""
        return self in FINAL


FINAL = frozenset({Status.ANSWERED, Status.ABSTAINED, Status.CANCELLED, Status.TIMED_OUT, Status.FAILED})

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
    content_hash: str  #: of title and text; the embedding is kept while it does not change
    read_at: datetime | None = None
    published: datetime | None = None


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
    via: Via = ""  #: what pulled it in, or up, beside the search
    signals: tuple[float, ...] = ()  #: what the learned reranker saw in it
    found_by: tuple[str, ...] = ()  #: after the fusion of several queries: those that have it among their first hits


@dataclass(frozen=True, kw_only=True)
class Scope:
    """What a search may look at; empty means everything."""

    sites: tuple[str, ...] = ()  #: URL prefixes
    langs: tuple[str, ...] = ()
    read_after: datetime | None = None
    confirmed: tuple[int, ...] = ()  #: pages that were read before, and seen since to say the same


VariantKind = Literal["paraphrase", "perspective_shift", "keyword_focus"]


@dataclass(frozen=True, kw_only=True)
class Variant:
    """Another wording of a question."""

    kind: VariantKind
    text: str


@dataclass(frozen=True, kw_only=True)
class VariantKey:
    """What variants were made for; the same key gives the same variants back."""

    question: str  #: folded, without needless space
    lang: str
    maker: str  #: the model's name
    count: int


@dataclass(frozen=True, kw_only=True)
class Tally:
    """How often a kind of variant was tried for a type of question, and how often that earned a citation."""

    tried: int = 0
    rewarded: int = 0


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether the hits suffice, and how sure that is."""

    sufficient: bool
    confidence: float  #: calibrated probability in [0, 1] that the hits answer the question
    reason: str
    missing: tuple[str, ...] = ()  #: words of the question the hits do not cover
    judge: str = ""  #: which judge said so
    disputes: tuple[Dispute, ...] = ()  #: hits that contradict each other, as far as the judge tells
    version: int = 0  #: of the judge, where it was learned here; 0: as shipped
    embedder: str = ""  #: whose similarities were weighed
    #: what was weighed: feature → value; verdicts that say the same are equal
    evidence: Mapping[str, float] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, kw_only=True)
class Citation:
    """A link from a sentence of the answer to a span of a stored page."""

    marker: int  #: the number shown in the answer, [1] first
    passage_id: str
    page_id: int
    url: str
    title: str
    quote: str  #: exactly ``page.text[start:end]``
    start: int
    end: int
    published: datetime | None = None
    modified: datetime | None = None  #: as the page itself says
    read_at: datetime | None = None  #: when the page was last seen to say so


@dataclass(frozen=True, kw_only=True)
class PageDates:
    """Of when a page is."""

    published: datetime | None
    modified: datetime | None  #: as the page itself says
    seen_at: datetime  #: when it was last seen to say what is stored


@dataclass(frozen=True, kw_only=True)
class Focus:
    """The few words of a sentence that say just what was asked: ``text[start:end]``."""

    start: int
    end: int
    confidence: float  #: that these are the words, [0, 1]


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """A sentence of an answer with what supports it."""

    text: str
    markers: tuple[int, ...] = ()
    focus: Focus | None = None
    contradicts: tuple[int, ...] = ()  #: citations that give another value for what was asked
    disputes: tuple[Contradiction, ...] = ()  #: what its citations, with others, disagree about
    says: str = ""  #: "Yes" or "No" (in the question's language), where it settles a question that asks whether


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What a model's API was asked for and what that cost."""

    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            model=self.model or other.model,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            usd=self.usd + other.usd,
        )


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What is said in reply to a question, every sentence with its citations."""

    text: str  #: the sentences joined, with their [n] markers
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    confidence: float
    composer: str  #: "extractive" or the model's name
    notice: str = ""  #: what the reader must know of how it was made (a model that failed, say)
    cost: Cost = field(default_factory=Cost)


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What one question may use."""

    seconds: float = 120.0
    pages: int = 20
    bytes: int = 50_000_000
    depth: int = 3
    cycles: int = 6
    tokens: int = 200_000  #: of a language model, read and written
    usd: float = 0.5


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
class Named:
    """A name, and what the knowledge base has of it."""

    name: str  #: as names compare (store.names)
    pages: tuple[int, ...]  #: those that bear it
    mentions: int  #: passages that mention it, counted up to a thousand
    among: int  #: how many pages there are, about
    passages: tuple[str, ...] = ()  #: ids of such passages, where they were asked for


@dataclass(frozen=True, kw_only=True)
class PageText:
    """What extraction made of one fetched document."""

    title: str
    text: str
    lang: str
    published: datetime | None = None
    modified: datetime | None = None
    canonical_url: str = ""
    links: tuple[Link, ...] = ()
    facts: tuple[Fact, ...] = ()
    headings: tuple[tuple[int, str], ...] = ()  #: (offset in text, heading) in order
    is_hub: bool = False  #: little but links: followed, and no evidence of anything
    index: bool = True  #: False where the page's robots meta says noindex
    follow: bool = True


@dataclass(frozen=True, kw_only=True)
class Validators:
    """What a server gave to ask later whether a page changed."""

    etag: str = ""
    last_modified: str = ""

    def headers(self) -> Mapping[str, str]:
        """The conditional request's headers."""
        pairs = {"if-none-match": self.etag, "if-modified-since": self.last_modified}
        return {name: value for name, value in pairs.items() if value}


@dataclass(frozen=True, kw_only=True)
class Question:
    """What was asked, under which conditions, and how far it has come."""

    id: str
    text: str
    status: Status
    created_at: datetime
    deadline: datetime
    lang: str = ""  #: ISO 639-1; empty: to be detected
    strategy: str = ""  #: a task strategy's name; empty: to be inferred
    sites: tuple[str, ...] = ()  #: URL prefixes that answers and the crawl are bound to; empty: anywhere
    langs: tuple[str, ...] = ()  #: languages of the pages that may answer, ISO 639-1; empty: any
    crawl_enabled: bool = True
    max_age_s: int | None = None  #: evidence read longer ago does not count
    budget: Budget = field(default_factory=Budget)
    priority: int = 0  #: 0–9, 9 is served first
    queries: tuple[str, ...] = ()  #: the question's text and its variants
    variants: tuple[Variant, ...] = ()
    missing: tuple[str, ...] = ()  #: what the last verdict found uncovered
    cycle: int = 0  #: search cycles completed
    waves: int = 0  #: waves of candidates begun
    crawl_reason: str = ""
    crawl_started_at: datetime | None = None
    callback_url: str = ""


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
