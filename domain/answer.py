"""What is judged and said in reply to a question, and what that rests on and costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from domain.contradiction import Contradiction, Dispute


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
class SolvedQuestion:
    """A question with the answer that a reader said is right."""

    question: str
    answer: str  #: with markers, or without
    lang: str = ""


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
