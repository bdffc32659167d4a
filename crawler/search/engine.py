"""What an engine is asked and what it replies; the same for all of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Literal, Protocol

from domain import Cost, Link

#: how old a page may be
Recency = Literal["day", "week", "month", "year"]

_DAYS: dict[Recency, int] = {"day": 1, "week": 7, "month": 31, "year": 366}


@dataclass(frozen=True, kw_only=True)
class Query:
    """What an engine is asked; engines that know no languages or no dates leave these out."""

    text: str
    lang: str = ""  #: ISO 639-1; "" or "und": any
    recency: Recency | None = None  #: None: of any age
    today: date = date.max  #: from which ``recency`` counts back

    def __post_init__(self) -> None:
        # half a character, as JSON can hold it, has no bytes to be sent
        object.__setattr__(self, "text", self.text.encode("utf-8", "replace").decode())

    @property
    def since(self) -> date | None:
        """The oldest date wanted, where one is."""
        return self.today - timedelta(days=_DAYS[self.recency]) if self.recency else None

    @property
    def known_lang(self) -> str:
        """The language, "" where it is not known."""
        return self.lang if len(self.lang) == 2 and self.lang.isascii() and self.lang.isalpha() else ""

    def cut(self, characters: int, words: int = 1000) -> str:
        """The text within an engine's limits, cut between words where it can be."""
        kept = " ".join(self.text.split()[:words])
        if len(kept) <= characters:
            return kept
        return kept[: characters + 1].rpartition(" ")[0] or kept[:characters]


@dataclass(frozen=True, kw_only=True)
class EngineReply:
    """What an engine found."""

    links: tuple[Link, ...] = ()  #: best first
    cost: Cost = field(default_factory=Cost)


@dataclass(frozen=True, kw_only=True)
class RateLimit:
    """How an engine wants to be asked for one question."""

    max_queries: int  #: an engine that is paid by the query gets few
    max_concurrent: int = 2
    delay_s: float = 0.0  #: between two queries


class Engine(Protocol):
    """Finds pages for a query."""

    @property
    def name(self) -> str:
        """The engine's name, in lower case: where its links come from is written ``engine:NAME``."""
        ...

    @property
    def rate_limit(self) -> RateLimit:
        """How it wants to be asked."""
        ...

    async def search(self, query: Query, *, limit: int) -> EngineReply:
        """Return at most ``limit`` links.

        Raises:
            EngineError: one of its subclasses.
        """
        ...
