"""Define what every engine is: from a query to links, within its rate limit."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Literal, Protocol

from domain import Cost, Link

#: the greatest age of a page
Recency = Literal["day", "week", "month", "year"]

#: in order of their length
DAYS: dict[Recency, int] = {"day": 1, "week": 7, "month": 31, "year": 366}


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
