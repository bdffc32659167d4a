"""What a question is asked with: the same over HTTP and in a message; turns it into one that can be stored."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator

from domain import Budget
from domain.errors import WellreadError
from domain.question import DEADLINE_S, Length, Overrides, Task
from pipeline.limits import MAX_K
from pipeline.question.analysis import MAX_CHARACTERS
from store.questions.new_questions import NewQuestion
from workers.questions.conditions import clean_sites

#: some thirty years
MAX_AGE_S = 1_000_000_000
MAX_SITES, MAX_LANGS, MAX_EXCLUDED = 20, 20, 100
#: ISO 639-1, or 639-3 where that has none
Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]
#: of a question's text, for the OpenAPI document; what is wrong with one is said by :mod:`pipeline.question.analysis`
LENGTHS: dict[str, Any] = {"minLength": 1, "maxLength": MAX_CHARACTERS}
#: long enough for any that can be read; checked further by :func:`workers.questions.submit.check_site`
Url = Annotated[str, Field(min_length=1, max_length=2048)]


def _written(given: Any) -> Any:
    """Return a time as it was given; raises ValueError for a number, which would be read as seconds since 1970."""
    if not isinstance(given, datetime) and not re.match(r"\d{4}-", str(given)):
        raise ValueError("write it as 2026-01-31T12:00:00Z")
    return given


def _moment(given: datetime) -> datetime:
    """Return the time in UTC, which it is in where it names no zone; raises ValueError."""
    if not 1900 <= given.year <= 2200:
        raise ValueError("the year must be between 1900 and 2200")
    return given.replace(tzinfo=UTC) if given.tzinfo is None else given.astimezone(UTC)


Moment = Annotated[datetime, BeforeValidator(_written), AfterValidator(_moment)]
#: the name of a collection
Collection = Annotated[
    str, Field(max_length=100, description="The collection that is meant; left out: the key's first, or `default`.")
]
#: what one question may set instead of the operator's settings
Threshold = Annotated[float | None, Field(ge=0, le=1)]
VariantCount = Literal[0, 2, 3, 4, 5] | None
TopK = Annotated[int | None, Field(ge=1, le=MAX_K)]


class BadBudget(WellreadError):
    """The question asks for more than the operator allows."""


class Body(BaseModel):
    """A body; one with an unknown field is refused, because its sender would not notice that it is ignored."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _flag_or_not(cls, given: Any, info: ValidationInfo) -> Any:
        """Return a value as it is; raises ValueError for 1 where true is meant, and for true where a number is."""
        is_flag = cls.model_fields[str(info.field_name)].annotation is bool
        if is_flag and not isinstance(given, bool):
            raise ValueError("write true or false")
        if isinstance(given, bool) and not is_flag:
            raise ValueError("true and false are not taken")
        return given


class BudgetRequest(Body):
    """What one question may use; what is left out is the operator's default."""

    seconds: float | None = Field(
        default=None, gt=0, description="Longest time that pages are read; what they wait for a worker is not counted."
    )
    pages: int | None = Field(default=None, ge=1, description="Most pages it may read.")
    bytes: int | None = Field(default=None, ge=1, description="Most bytes it may fetch.")
    depth: int | None = Field(default=None, ge=0, le=10, description="Most links from where the crawl begins.")
    cycles: int | None = Field(default=None, ge=0, le=20, description="Waves of reading; as max_search_cycles.")
    tokens: int | None = Field(default=None, ge=0, description="Most tokens of a language model it may use.")
    usd: float | None = Field(default=None, ge=0, description="Most US dollars it may spend on a language model.")


class Asked(Body):
    """The fields of every way of asking."""

    question: str = Field(
        description="What you want to know: at most 4,000 characters.",
        examples=["Who built it?"],
        json_schema_extra=LENGTHS,
    )
    id: UUID | None = Field(
        default=None, description="An id of your own, under which the answer is found; left out: one is made."
    )
    after: UUID | None = Field(
        default=None, description="The question that it follows: what it leaves out is understood from there."
    )
    thread: UUID | Literal["new"] | None = Field(
        default=None,
        description="The thread that it is asked in; `new` begins one; left out: that of `after`, or none.",
    )
    question_as_understood: str = Field(
        default="", description="What to look up for it, at most 4,000 characters; left out: it is completed here."
    )
    answer_schema: dict[str, Any] | None = Field(
        default=None,
        description="A JSON Schema that the answer fills too: an object of values or lists, each cited or null.",
    )
    collection: Collection = ""
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
    sites: list[Url] = Field(default_factory=list, max_length=MAX_SITES, description="Read and answer from these only.")
    exclude_sites: list[Url] = Field(
        default_factory=list, max_length=MAX_EXCLUDED, description="Neither read nor quote pages below these URLs."
    )
    published_after: Moment | None = Field(
        default=None, description="Quote only pages that say they were published after this."
    )
    length: Length = Field(default="normal", description="Of the answer: one quote, up to five, or up to six.")
    answer_language: Language | None = Field(
        default=None, description="What a model writes in (ISO 639-1); without a model: of the pages that are quoted."
    )
    langs: list[Language] = Field(
        default_factory=list, max_length=MAX_LANGS, description="Answer from pages in these languages only (ISO 639-1)."
    )
    reuse: bool = Field(default=True, description="Whether an equal question's answer, or run, may be given.")
    watch: bool = Field(default=False, description="Ask it again when a page that its answer cites changes.")
    budget: BudgetRequest = Field(default_factory=lambda: BudgetRequest(), description="What the question may use.")


class Payload(Asked):
    """What ``send_task("wellread.ask", [payload])`` takes: a published contract."""

    idempotency_key: str = Field("", max_length=255, description="Makes a repeat harmless, as an id does.")
    lang: str = Field("", max_length=8, description="ISO 639-1; left out: from the question.")
    strategy: Annotated[Task | None, BeforeValidator(lambda given: given or None)] = None
    callback_url: str = ""
    owner: str = Field("", max_length=100, description="The name of the API key that reads the answer back.")
    deadline: float = Field(
        DEADLINE_S, gt=0, le=86_400, description="Seconds until it ends with the best answer there is."
    )


def to_new(
    asked: Asked,
    allowed: Budget,
    *,
    deadline_s: float = DEADLINE_S,
    callback_url: str = "",
    idempotency_key: str = "",
    private: bool = False,
    owner: str | None = None,
) -> NewQuestion:
    """Return the body as the store takes it; raises :class:`BadBudget` where it asks for more than ``allowed``."""
    budget = _budget(asked, allowed)
    return NewQuestion(
        id=asked.id.hex if asked.id else "",
        text=asked.question,
        understood=asked.question_as_understood,
        thread_id=asked.thread.hex if isinstance(asked.thread, UUID) else asked.thread or "",
        after_id=asked.after.hex if asked.after else "",
        answer_schema=asked.answer_schema,
        strategy=asked.strategy or "",
        sites=tuple(asked.sites),
        private=private,
        owner=owner,
        langs=tuple(asked.langs),
        lang=asked.lang,
        priority=asked.priority,
        crawl_enabled=asked.crawl_enabled and budget.cycles > 0,
        max_age_s=asked.max_age,
        budget=budget,
        overrides=_overrides(asked),
        reuse=asked.reuse,
        watch=asked.watch,
        idempotency_key=idempotency_key,
        deadline_s=deadline_s,
        callback_url=callback_url,
    )


def _overrides(asked: Asked) -> Overrides:
    return Overrides(
        threshold=asked.threshold,
        variants=asked.variants,
        top_k=asked.top_k,
        exclude_sites=clean_sites(asked.exclude_sites) or None,
        published_after=asked.published_after.isoformat() if asked.published_after else None,
        length=asked.length if asked.length != "normal" else None,
        answer_language=asked.answer_language,
    )


def _budget(asked: Asked, allowed: Budget) -> Budget:
    wanted = {name: value for name, value in asked.budget.model_dump().items() if value is not None}
    for name in ("seconds", "pages", "bytes", "tokens", "usd"):
        if wanted.get(name, 0) > (most := getattr(allowed, name)):
            raise BadBudget(f"budget.{name} is {wanted[name]:g}, and the operator allows {most:g} a question.")
    if asked.max_search_cycles is not None:
        wanted["cycles"] = asked.max_search_cycles
    return replace(allowed, **wanted)
