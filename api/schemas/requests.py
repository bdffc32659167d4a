"""The bodies of the requests; turns one into a question."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, AliasChoices, BaseModel, ConfigDict, Field

from domain import BLOCK_KINDS, BlockKind, Budget
from domain.errors import WellreadError
from domain.question import Overrides, Task
from store.questions.new_questions import NewQuestion
from workers.questions.search import MAX_FOUND, PassageQuery
from workers.questions.submit import Threshold, TopK, VariantCount

MAX_WAIT_S = 120.0
#: some thirty years
MAX_AGE_S = 1_000_000_000

MAX_LANGS = 20
#: ISO 639-1, or 639-3 where that has none
Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]
#: long enough for any that can be read; checked further by :func:`workers.questions.submit.check_site`
Url = Annotated[str, Field(min_length=1, max_length=2048)]

Every = Annotated[str | None, Field(max_length=40, description="Look at it this often: 90m, 6h, 1d12h.")]
Cron = Annotated[str | None, Field(max_length=100, description="Look at it at these times: a cron line.")]
Delay = Annotated[float | None, Field(ge=0, le=3600, validation_alias=AliasChoices("min_delay_s", "min_delay"))]


def _moment(given: datetime) -> datetime:
    """Return the time in UTC, which it is in where it names no zone; raises ValueError."""
    if not 1900 <= given.year <= 2200:
        raise ValueError("the year must be between 1900 and 2200")
    return given.replace(tzinfo=UTC) if given.tzinfo is None else given.astimezone(UTC)


Moment = Annotated[datetime, AfterValidator(_moment)]


class BadBudget(WellreadError):
    """The question asks for more than the operator allows."""


class _Request(BaseModel):
    """A body; one with an unknown field is refused, because its sender would not notice that it is ignored."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class BudgetRequest(_Request):
    """What one question may use; what is left out is the operator's default."""

    seconds: float | None = Field(default=None, gt=0, description="Longest time it may read the web.")
    pages: int | None = Field(default=None, ge=1, description="Most pages it may read.")
    bytes: int | None = Field(default=None, ge=1, description="Most bytes it may fetch.")
    depth: int | None = Field(default=None, ge=0, le=10, description="Most links from where the crawl begins.")
    cycles: int | None = Field(default=None, ge=0, le=20, description="Waves of reading; as max_search_cycles.")
    tokens: int | None = Field(default=None, ge=0, description="Most tokens of a language model it may use.")
    usd: float | None = Field(default=None, ge=0, description="Most US dollars it may spend on a language model.")


class _Asked(_Request):
    """The fields of both ways of asking."""

    question: str = Field(description="What you want to know: at most 4,000 characters.", examples=["Who built it?"])
    crawl_enabled: bool = Field(default=True, description="Whether the web may be read when too little is known.")
    max_search_cycles: int | None = Field(default=None, ge=0, le=20, description="Waves of reading; 0 reads nothing.")
    max_age: int | None = Field(
        default=None, ge=0, le=MAX_AGE_S, description="Evidence read longer ago than this many seconds is ignored."
    )
    strategy: Task | None = Field(default=None, description="How sure the answer must be; left out: from the question.")
    threshold: Threshold = Field(
        default=None, description="The confidence that suffices, instead of the strategy's, 0 to 1."
    )
    variants: VariantCount = Field(
        default=None, description="Other wordings in phase 2; 0: none; left out: the operator's number."
    )
    top_k: TopK = Field(
        default=None, description="Hits of phase 1, and half of those of phase 2; left out: from the question."
    )
    lang: str = Field(default="", pattern=r"^([a-z]{2,3})?$", description="ISO 639-1; left out: from the question.")
    priority: int = Field(default=0, ge=0, le=9, description="9 is served first.")
    sites: list[Url] = Field(default_factory=list, max_length=20, description="Read and answer from these only.")
    langs: list[Language] = Field(
        default_factory=list, max_length=MAX_LANGS, description="Answer from pages in these languages only (ISO 639-1)."
    )
    reuse: bool = Field(default=True, description="Whether an equal question's answer, or run, may be given.")
    watch: bool = Field(default=False, description="Ask it again when a page that its answer cites changes.")
    budget: BudgetRequest = Field(default_factory=lambda: BudgetRequest(), description="What the question may use.")


class ChatRequest(_Asked):
    """A question whose asker waits for the answer."""

    wait: float = Field(default=30.0, ge=0, le=MAX_WAIT_S, description="Seconds to wait for the final answer.")
    queued: bool = Field(default=False, description="Do not wait at all: the answer is fetched or watched by its id.")


class QuestionRequest(_Asked):
    """A question whose asker does not wait."""

    callback_url: Url | None = Field(default=None, description="Told by a signed POST when the question ends.")
    deadline: float = Field(
        default=900.0, gt=0, le=86_400, description="Seconds until it ends with the best answer there is."
    )


class SearchRequest(_Request):
    """Words to find passages for."""

    query: str = Field(description="What to look for: at most 4,000 characters.", examples=["lighthouse builder"])
    sites: list[Url] = Field(default_factory=list, max_length=20, description="Pages below these URLs only.")
    langs: list[Language] = Field(
        default_factory=list, max_length=MAX_LANGS, description="Pages in these languages only (ISO 639-1)."
    )
    kinds: list[BlockKind] = Field(
        default_factory=list,
        max_length=len(BLOCK_KINDS),
        description="Passages with a part of one of these kinds only.",
    )
    published_after: Moment | None = Field(
        default=None, description="Pages that say they were published after this only."
    )
    read_after: Moment | None = Field(default=None, description="Pages read, or seen unchanged, after this only.")
    limit: int = Field(default=10, ge=1, le=MAX_FOUND, description="Most passages to return.")
    lang: str = Field(default="", pattern=r"^([a-z]{2,3})?$", description="Of the query; left out: from its words.")


class WatchRequest(_Request):
    """A question to ask again when its evidence changes."""

    callback_url: Url | None = Field(
        default=None, description="Told of changes by a signed POST; left out: the question's own."
    )


class FeedbackRequest(_Request):
    """What a reader says of an answer."""

    verdict: Literal["right", "wrong", "citation_wrong"]
    comment: str = Field(default="", max_length=4000)
    revision: int | None = Field(default=None, ge=1, le=2**31 - 1, description="Of the record; left out: the latest.")


class SourceRequest(_Request):
    """A site to read for any question."""

    url: Url
    own: bool = Field(default=False, description="Your own site: its address may be private. Needs the role admin.")
    min_delay_s: Delay = Field(default=None, description="Seconds between two requests to it.")
    every: Every = None
    cron: Cron = None
    zone: str | None = Field(
        default=None, max_length=64, description="Time zone of the cron line, such as Europe/Berlin; left out: UTC."
    )


class SourceChanges(_Request):
    """What is to be changed of a source; what is left out stays. `every` and `cron` null end its schedule."""

    min_delay_s: Delay = Field(
        default=None, description="Seconds between two requests to it; null: the server's setting."
    )
    every: Every = None
    cron: Cron = None
    zone: str | None = Field(
        default=None, max_length=64, description="Time zone of the cron line, such as Europe/Berlin; null: as it is."
    )


class SiteReadRequest(_Request):
    """A whole site to read."""

    url: Url
    max_pages: int = Field(default=10_000, ge=1, le=1_000_000, description="Most pages to look at.")
    max_depth: int = Field(default=20, ge=0, le=1_000, description="Most links from where it begins.")


class ReadRequest(_Request):
    """A page to read now."""

    url: Url


def to_new(
    asked: ChatRequest | QuestionRequest, allowed: Budget, *, idempotency_key: str = "", private: bool = False
) -> NewQuestion:
    """Return the body as the store takes it; raises :class:`BadBudget` where it asks for more than ``allowed``."""
    budget = _budget(asked, allowed)
    new = NewQuestion(
        text=asked.question,
        strategy=asked.strategy or "",
        sites=tuple(asked.sites),
        private=private,
        langs=tuple(asked.langs),
        lang=asked.lang,
        priority=asked.priority,
        crawl_enabled=asked.crawl_enabled and budget.cycles > 0,
        max_age_s=asked.max_age,
        budget=budget,
        overrides=Overrides(threshold=asked.threshold, variants=asked.variants, top_k=asked.top_k),
        reuse=asked.reuse,
        watch=asked.watch,
        idempotency_key=idempotency_key,
    )
    if isinstance(asked, ChatRequest):
        return new
    return replace(new, deadline_s=asked.deadline, callback_url=asked.callback_url or "")


def to_passage_query(asked: SearchRequest) -> PassageQuery:
    """Return the body as the search takes it."""
    return PassageQuery(
        text=asked.query,
        sites=tuple(asked.sites),
        langs=tuple(asked.langs),
        kinds=tuple(asked.kinds),
        published_after=asked.published_after,
        read_after=asked.read_after,
        limit=asked.limit,
        lang=asked.lang,
    )


def _budget(asked: _Asked, allowed: Budget) -> Budget:
    wanted = {name: value for name, value in asked.budget.model_dump().items() if value is not None}
    for name in ("seconds", "pages", "bytes", "tokens", "usd"):
        if wanted.get(name, 0) > (most := getattr(allowed, name)):
            raise BadBudget(f"budget.{name} is {wanted[name]:g}, and the operator allows {most:g} a question.")
    if asked.max_search_cycles is not None:
        wanted["cycles"] = asked.max_search_cycles
    return replace(allowed, **wanted)
