"""Define what every engine is: from a query to links, within its rate limit; list the engines, and how they fail."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from importlib import import_module
from typing import Any, ClassVar, Final, Literal, NamedTuple, Protocol

from domain import Cost, Link
from domain.errors import WellreadError

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
        """The language; "" if it is not known."""
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
    """Return how new pages must be, None if the question does not say it in English or German."""
    return next((span for span, words in _SPANS if words.search(question)), None)


_HOUR_S = 3600.0
_DAY_S = 24 * _HOUR_S


class EngineError(WellreadError):
    """An engine's answer cannot be understood; the message says which engine and what to do."""

    cooldown_s: ClassVar[float] = 60.0  #: after the first failure; doubled with each that follows
    max_cooldown_s: ClassVar[float] = _HOUR_S
    needs_operator: ClassVar[bool] = False  #: only the operator can solve it

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s  #: as the engine asked, if it did


class QueryRefused(EngineError):
    """The engine does not accept this query; it has no cooldown, because it accepts others."""

    cooldown_s = 0.0


class OverBudget(EngineError):
    """The search could cost more than a question may spend: nothing was sent."""

    cooldown_s = 0.0
    needs_operator = True


class EngineDown(EngineError):
    """The engine did not answer, not in time, or with an error of its own (5xx)."""

    cooldown_s = 15.0
    max_cooldown_s = 15 * 60.0


class EngineUnreachable(EngineDown):
    """It could not be reached: this machine's network, name service or proxy may be why, or the engine's address."""


class RateLimited(EngineError):
    """The engine wants fewer requests (429)."""


class TakenForRobot(EngineError):
    """The engine answers with a captcha or a block page: it takes us for a robot."""

    cooldown_s = 600.0
    max_cooldown_s = _DAY_S


class EngineForbidden(TakenForRobot):
    """An engine without a key forbids the request (401, 403)."""


class EngineKeyRejected(EngineError):
    """The engine does not accept the key (401, 403): only another key helps."""

    cooldown_s = _HOUR_S
    max_cooldown_s = _DAY_S
    needs_operator = True


class OutOfCredit(EngineError):
    """The account has no searches left (402, 432): only new credit or the next month helps."""

    cooldown_s = _HOUR_S
    max_cooldown_s = _DAY_S
    needs_operator = True


def error_named(kind: str) -> type[EngineError]:
    """Return the class of an error that was stored by its name."""
    found = globals().get(kind)
    return found if isinstance(found, type) and issubclass(found, EngineError) else EngineError


def meaning_of(kind: str) -> str:
    """Return what an error of this name means, in a sentence without its full stop."""
    return " ".join(str(error_named(kind).__doc__).split()).rstrip(".")


class EngineEntry(NamedTuple):
    """An engine in the catalogue."""

    module: str  #: of ``crawler.search``
    class_name: str
    setting: str = ""  #: its key or address; the engine is off while it is empty
    opt_in: bool = False  #: on only if WELLREAD_ENGINES names it


#: by name; links of equal score come in this order
ENGINES: Final[Mapping[str, EngineEntry]] = {
    "searxng": EngineEntry("keyless", "SearXNG", "searxng_url"),
    "brave": EngineEntry("keyed", "Brave", "brave_key"),
    "kagi": EngineEntry("keyed", "Kagi", "kagi_key"),
    "tavily": EngineEntry("keyed", "Tavily", "tavily_key"),
    "exa": EngineEntry("keyed", "Exa", "exa_key"),
    "serper": EngineEntry("keyed", "Serper", "serper_key"),
    "mojeek": EngineEntry("keyed", "Mojeek", "mojeek_key"),
    "marginalia": EngineEntry("keyed", "Marginalia", "marginalia_key"),
    "wikipedia": EngineEntry("keyless", "Wikipedia", "wikipedia"),
    "ddgs": EngineEntry("keyless", "Ddgs", opt_in=True),
    "claude": EngineEntry("claude", "ClaudeSearch", "anthropic_api_key", opt_in=True),
}


def engine_class(name: str) -> Callable[..., Engine]:
    """Import an engine's class: the settings, which read the catalogue, need none."""
    entry = ENGINES[name]
    found: Callable[..., Engine] = getattr(import_module(f"crawler.search.{entry.module}"), entry.class_name)
    return found


def missing(name: str, values: Mapping[str, Any]) -> str:
    """Return the environment variable that an engine lacks, "" when it has what it needs."""
    needed = ENGINES[name].setting
    return "" if not needed or plain_value(values.get(needed)) else variable(name)


def variable(name: str) -> str:
    """Return the environment variable that an engine needs."""
    return f"WELLREAD_{ENGINES[name].setting.upper()}"


def plain_value(value: Any) -> str:
    """Return a setting's text, also of a secret; "" if it is not set."""
    if hasattr(value, "get_secret_value"):
        return str(value.get_secret_value())
    return str(value) if value else ""
