"""Define what every engine is: from a query to links, within its rate limit."""

import re
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Final, Literal, Protocol

from domain import Cost, Link

#: the greatest age of a page
Recency = Literal["day", "week", "month", "year"]

#: in order of their length
DAYS: dict[Recency, int] = {"day": 1, "week": 7, "month": 31, "year": 366}
_WORDS: Final[tuple[tuple[Recency, str], ...]] = (
    ("week", r"tonight|yesterday|today's news|breaking news|gestern|heute abend|nachrichten von heute"),
    ("month", r"this week|last week|diese[rn]? woche|letzten? woche|in den letzten tagen|in the last few days"),
    ("year", r"this month|last month|diese[nms]{1,2} monat|letzten monat|this year|diese[sm] jahr"),
    ("year", r"latest|newest|most recent|neueste\w*|neuste\w*|aktuellste\w*|jüngste\w*"),
)
_SPANS: Final = tuple((span, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for span, words in _WORDS)


@dataclass(frozen=True, kw_only=True)
class Query:
    """A search; engines without languages or dates ignore those fields."""

    text: str
    lang: str = ""  #: ISO 639-1; "" or "und": any
    recency: Recency | None = None  #: None: any age
    today: date = date.max  #: ``recency`` counts back from here

    def __post_init__(self) -> None:
        # JSON can hold half a character (a lone surrogate), which cannot be encoded
        object.__setattr__(self, "text", self.text.encode("utf-8", "replace").decode())

    @property
    def since(self) -> date | None:
        """The oldest date allowed; None for any."""
        return self.today - timedelta(days=DAYS[self.recency]) if self.recency else None

    @property
    def known_lang(self) -> str:
        """The language; "" where it is not known."""
        return self.lang if len(self.lang) == 2 and self.lang.isascii() and self.lang.isalpha() else ""

    def cut(self, characters: int, words: int = 1000) -> str:
        """Return the text within an engine's limits, cut between words where possible."""
        text = " ".join(self.text.split()[:words])
        if len(text) <= characters:
            return text
        return text[: characters + 1].rpartition(" ")[0] or text[:characters]


@dataclass(frozen=True, kw_only=True)
class EngineReply:
    """An engine's links, and what they cost."""

    links: tuple[Link, ...] = ()  #: best first
    cost: Cost = field(default_factory=Cost)


@dataclass(frozen=True, kw_only=True)
class RateLimit:
    """Limits on the queries to an engine for one question."""

    max_queries: int  #: few for an engine that is paid by the query
    max_concurrent: int = 2
    delay_s: float = 0.0  #: between two queries


class Engine(Protocol):
    """Finds pages for a query."""

    @property
    def name(self) -> str:
        """The engine's name, in lower case; its links have the origin ``engine:NAME``."""

    @property
    def rate_limit(self) -> RateLimit:
        """Its limits for one question."""

    async def search(self, query: Query, *, limit: int) -> EngineReply:
        """Return at most ``limit`` links; raises EngineError."""


def requested_recency(question: str) -> Recency | None:
    """Return how new pages must be, None where the question does not say it in English or German."""
    return next((span for span, words in _SPANS if words.search(question)), None)
