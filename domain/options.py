"""The options of a question, each declared once: its type, default, bounds and description, and who may set it.

What takes options is made from these fields: HTTP bodies, the Celery task's payload, the flags of ``wellread ask``, the
arguments of the tool ``ask`` of assistants, and the types of the clients. pydantic is imported here and nowhere else in
``domain``, so ``domain`` itself does not import this module: ``wellread --help`` must not wait for it.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo

from domain.filters import MAX_FILTERS, checked
from domain.flow import Status
from domain.outcome import Outcome
from domain.page import BLOCK_KINDS, BlockKind
from domain.site import PageKind, Source
from domain.storable import check_json

#: the strategies of retrieval, by the work that a question is part of
StrategyName = Literal[
    "debugging", "code_review", "architecture", "explanation", "testing", "devops", "ml_engineering", "general"
]
#: of an answer: one quote, as many as the question needs, up to six, or sections with headings
Length = Literal["short", "normal", "long", "report"]

#: seconds in which a question must end, unless its asker says otherwise
DEADLINE_S: Final = 900.0
#: likewise, if its requests to a model go into batches
BATCH_DEADLINE_S: Final = 86_400.0
#: of a question's text
MAX_CHARACTERS: Final = 4_000
#: the most hits that any pass asks for [retry_top_k]
MAX_K: Final = 20
#: passages that a search returns at most
MAX_FOUND: Final = 100
#: some thirty years
MAX_AGE_S: Final = 1_000_000_000
MAX_SITES, MAX_LANGS, MAX_EXCLUDED = 20, 20, 100
#: characters of instructions for an answer's form
MAX_INSTRUCTIONS: Final = 2_000
#: bytes of a caller's metadata, as JSON
MAX_METADATA: Final = 4_096
#: begins the address of a task that an answer is sent to
REPLY_SCHEME: Final = "celery://"
#: questions that one request may ask, and that it may name by their ids
MAX_BULK, MAX_IDS = 1_000, 100
#: of a question's text, for the OpenAPI document; what is wrong with one is said by :mod:`pipeline.question.analysis`
LENGTHS: dict[str, Any] = {"minLength": 1, "maxLength": MAX_CHARACTERS}


@dataclass(frozen=True)
class Flag:
    """The flag of ``wellread ask`` that sets an option; ``--no-…`` switches off what is on."""

    flag: str = ""  #: "": of the option's name, as --top-k of top_k
    metavar: str | None = None
    help: str = ""  #: "": the option's description


@dataclass(frozen=True, kw_only=True)
class Argument:
    """The argument of the assistants' tool ``ask`` that sets an option."""

    name: str = ""  #: "": the option's name
    help: str = ""  #: "": the option's description


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


Moment = Annotated[
    datetime,
    BeforeValidator(_written),
    AfterValidator(_moment),
    PlainSerializer(datetime.isoformat, when_used="json"),  # rows hold it in this form, and their keys are made of it
]
#: ISO 639-1, or 639-3 where that has none
Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]
#: long enough for any that can be read; checked further by :func:`workers.questions.submit.check_site`
Url = Annotated[str, Field(min_length=1, max_length=2048)]
#: of a question, to its ``callback_url``
CallbackEvent = Literal[
    "question.answered",
    "question.abstained",
    "question.failed",
    "question.cancelled",
    "question.timed_out",
    "question.changed",
]
CallbackEvents = Annotated[
    list[CallbackEvent], Field(max_length=20, description="The events that `callback_url` receives; default: all.")
]
#: the name of a collection
Collection = Annotated[
    str, Field(max_length=100, description="The collection; default: the key's first, or `default`.")
]
#: a filter of documents by their metadata: see :mod:`domain.filters`
Condition = Annotated[str, Field(max_length=1_000), AfterValidator(checked)]
#: what bounds a question or a search, with the flag and the argument that set it
Sites = Annotated[list[Url], Field(max_length=MAX_SITES), Flag("--site", "URL"), Argument()]
ExcludedSites = Annotated[list[Url], Field(max_length=MAX_EXCLUDED), Flag("--exclude", "URL"), Argument()]
Languages = Annotated[list[Language], Field(max_length=MAX_LANGS), Flag("--lang", "CODE"), Argument()]
Date = Annotated[Moment | None, Flag(metavar="DATE"), Argument()]
Conditions = Annotated[list[Condition], Field(max_length=MAX_FILTERS), Flag("--filter", "CONDITION"), Argument()]
PageKinds = Annotated[list[PageKind], Field(max_length=3), Flag("--source-kind"), Argument()]
#: what a key may use
Amount = Annotated[int | None, Flag(), Field(ge=0)]
Dollars = Annotated[float | None, Flag(), Field(ge=0)]
#: seconds until a question ends
Deadline = Annotated[
    float | None,
    Field(
        gt=0,
        le=BATCH_DEADLINE_S,
        description=f"Seconds until it ends with the best answer so far; default: {DEADLINE_S:g}, or with `batch` "
        f"{BATCH_DEADLINE_S:g}.",
    ),
]


def _short(given: dict[str, Any]) -> dict[str, Any]:
    """Return metadata; raises ValueError where it is too long."""
    if (size := len(json.dumps(given, ensure_ascii=False).encode())) > MAX_METADATA:
        raise ValueError(f"it has {size:,} bytes as JSON, and {MAX_METADATA:,} are kept at most")
    return given


class Storable(BaseModel):
    """What somebody sends; one with a text that cannot be stored, or with very many values, is refused."""

    @model_validator(mode="before")
    @classmethod
    def _can_be_stored(cls, given: Any) -> Any:
        check_json(given)
        return given


class Body(Storable):
    """A body; one with an unknown field is refused, because its sender would not notice that it is ignored."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _flag_or_not(cls, given: Any, info: ValidationInfo) -> Any:
        """Return a value as it is; raises ValueError for 1 where true is meant, and for true where a number is."""
        kind = cls.model_fields[str(info.field_name)].annotation
        is_flag = kind in (bool, bool | None)
        if is_flag and not isinstance(given, bool) and not (given is None and kind is not bool):
            raise ValueError("write true or false")
        if isinstance(given, bool) and not is_flag:
            raise ValueError("true and false are not accepted")
        return given


class BudgetRequest(Body):
    """What one question may use; default: the operator's settings."""

    seconds: float | None = Field(
        default=None, gt=0, description="Longest time for reading pages, not counting waits for a worker."
    )
    pages: int | None = Field(default=None, ge=1, description="Most pages it may read.")
    bytes: int | None = Field(default=None, ge=1, description="Most bytes it may fetch.")
    depth: int | None = Field(default=None, ge=0, le=10, description="Most links from the start of the crawl.")
    cycles: int | None = Field(default=None, ge=0, le=20, description="Most waves of reading, like max_search_cycles.")
    tokens: int | None = Field(default=None, ge=0, description="Most tokens of a language model it may use.")
    usd: float | None = Field(default=None, ge=0, description="Most US dollars it may spend on a language model.")


class ReplyTo(Body):
    """A task of the asker's own service, which gets the record when the question ends."""

    queue: str = Field(pattern=r"^[A-Za-z0-9_.-]{1,100}$", description="Its queue, which the operator allows.")
    task: str = Field(pattern=r"^[A-Za-z0-9_.-]{1,200}$", description="Its name; the record is its only argument.")

    @property
    def address(self) -> str:
        """Return it in the form of a URL."""
        return f"{REPLY_SCHEME}{self.queue}/{self.task}"


class _Question(Body):
    """The question, and where it is asked and looked up."""

    question: str = Field(
        description="What you want to know: at most 4,000 characters.",
        examples=["Who built it?"],
        json_schema_extra=LENGTHS,
    )
    sites: Sites = Field(default_factory=list, description="Read and quote only pages below these URLs.")
    langs: Languages = Field(default_factory=list, description="Answer only from pages in these languages (ISO 639-1).")
    id: UUID | None = Field(default=None, description="Your own id for the question; default: a new one.")
    after: Annotated[
        UUID | None,
        Flag("--after", "ID"),
        Argument(help="The question_id of the question that this one follows, if any."),
    ] = Field(
        default=None, description="The question that this one follows; what it leaves out is completed from there."
    )
    thread: Annotated[UUID | Literal["new"] | None, Flag(metavar="ID"), Argument()] = Field(
        default=None, description="The thread; `new` starts one; default: that of `after`, or none."
    )
    question_as_understood: Annotated[
        str, Flag("--understood", "QUESTION", "The complete question, if it was misunderstood."), Argument()
    ] = Field(
        default="",
        description="The complete question, at most 4,000 characters; default: it is completed automatically.",
    )
    collection: Annotated[Collection, Argument(help="The collection; empty: the default one.")] = ""


class Overrides(Body):
    """The options that the passes of one question follow instead of the operator's settings; rows hold those given.

    A new option belongs here: it is stored, compared and handed to every pass without another line.
    """

    model_config = ConfigDict(frozen=True)

    exclude_sites: ExcludedSites = Field(
        default_factory=list, description="Do not read or quote pages below these URLs."
    )
    only_pages: bool = Field(
        default=False, description="Whether `sites` are single pages: nothing below them is read or quoted."
    )
    published_after: Date = Field(
        default=None, description="Quote only pages that state a publication date after this."
    )
    published_before: Date = Field(
        default=None, description="Quote only pages that state a publication date before this."
    )
    read_before: Date = Field(default=None, description="Quote only pages whose text was read before this.")
    filters: Conditions = Field(
        default_factory=list,
        description="Quote only documents whose metadata fits all of these: `team=support|ops`, `team!=sales`, "
        "`year>=2020`.",
    )
    source_kinds: PageKinds = Field(
        default_factory=list, description="Quote only pages of the web, files, or documents."
    )
    length: Annotated[Length, Flag(), Argument()] = Field(
        default="normal",
        description="Length of the answer: short is one passage, normal as many as the question needs (at most three), "
        "long up to six; a report has sections with headings.",
    )
    verbatim: Annotated[bool | None, Flag(), Argument()] = Field(
        default=None,
        description="Whether the answer is only sentences of the pages, none in a model's words; default: the "
        "operator's setting.",
    )
    instructions: Annotated[str, Flag(metavar="TEXT"), Argument()] = Field(
        default="",
        max_length=MAX_INSTRUCTIONS,
        description="How a model should write the answer, such as its form, tone or terms; it cannot change what "
        "counts as a source.",
    )
    answer_language: Annotated[Language | None, Flag(metavar="CODE"), Argument()] = Field(
        default=None, description="Language (ISO 639-1) that a model writes in; without a model, of the quoted pages."
    )
    batch: Annotated[bool | None, Flag(help="A model may take up to a day, at half the price.")] = Field(
        default=None,
        description="Whether a model may take up to a day to answer, at half the price; default: the operator's "
        "setting.",
    )
    threshold: Annotated[float | None, Flag()] = Field(
        default=None,
        ge=0,
        le=1,
        description="Confidence from which the outcome is `answered`, from 0 to 1, instead of the strategy's.",
    )
    strict: Annotated[bool | None, Flag(), Argument()] = Field(
        default=None,
        description="Whether the outcome is `unknown` where it would be `unsure`; default: the operator's setting.",
    )
    variants: Annotated[
        Literal[0, 2, 3, 4, 5] | None, Flag("--variants", help="Other wordings in phase 2: 2 to 5, or 0 for none.")
    ] = Field(default=None, description="Other wordings in phase 2; 0: none; default: the operator's setting.")
    top_k: Annotated[int | None, Flag(help="Hits in phase 1; phase 2 retrieves twice as many.")] = Field(
        default=None,
        ge=1,
        le=MAX_K,
        description="Hits in phase 1; phase 2 retrieves twice as many; default: chosen from the question.",
    )


class Asked(Overrides, _Question):
    """What a question is asked with: the same over HTTP and in a message."""

    answer_schema: Annotated[dict[str, Any] | None, Flag("--schema"), Argument()] = Field(
        default=None, description="A JSON Schema for values to extract, each with a citation or null."
    )
    crawl_enabled: Annotated[
        bool, Flag("--no-crawl", help="Answer from what is known, without a crawl."), Argument(name="crawl")
    ] = Field(default=True, description="Whether to crawl if too little is known.")
    max_search_cycles: Annotated[int | None, Flag("--cycles", help="Most waves of reading; by default 6.")] = Field(
        default=None, ge=0, le=20, description="Most waves of reading; 0 reads nothing."
    )
    max_age: Annotated[int | None, Argument()] = Field(
        default=None, ge=0, le=MAX_AGE_S, description="Ignore evidence that was read longer ago than this many seconds."
    )
    strategy: Annotated[StrategyName | None, Flag(), Argument()] = Field(
        default=None, description="How certain the answer must be; default: general."
    )
    lang: str = Field(
        default="", pattern=r"^([a-z]{2,3})?$", description="ISO 639-1; default: detected from the question."
    )
    priority: int = Field(default=0, ge=0, le=9, description="9 is served first.")
    reuse: Annotated[bool, Argument()] = Field(
        default=True, description="Whether to reuse the answer, or join the run, of an equal question."
    )
    reply_to: Annotated[ReplyTo | None, Flag("--reply-to", "QUEUE/TASK")] = Field(
        default=None, description="A Celery task on the same Redis that gets the record when the question ends."
    )
    watch: bool = Field(default=False, description="Ask it again when a page that its answer cites changes.")
    budget: Annotated[BudgetRequest, Argument()] = Field(
        default_factory=BudgetRequest, description="What the question may use."
    )
    metadata: Annotated[dict[str, Any], AfterValidator(_short)] = Field(
        default_factory=dict,
        description="Your own data (at most 4,096 bytes as JSON): in the record, the events and the webhook again.",
    )


class QuestionRequest(Asked):
    """A question whose asker does not wait."""

    callback_url: Url | None = Field(default=None, description="Receives a signed POST when the question ends.")
    callback_events: CallbackEvents = Field(default_factory=list)
    deadline: Deadline = None


class QuestionFilter(Body):
    """Which questions are meant: those that all of these are true of."""

    collection: Collection = ""
    id: list[UUID] = Field(default_factory=list, max_length=MAX_IDS, description="Only those with these ids.")
    status: Annotated[list[Status], Flag(metavar="STATUS")] = Field(
        default_factory=list, description="Only those with one of these statuses."
    )
    outcome: Annotated[list[Outcome], Flag()] = Field(
        default_factory=list, description="Only those with one of these outcomes."
    )
    unanswered: Annotated[bool, Flag()] = Field(
        default=False, description="Only those that ended without an answer: unknown, failed or out of time."
    )
    min_confidence: Annotated[float | None, Flag()] = Field(
        default=None, ge=0, le=1, description="Only those whose final answer has at least this confidence."
    )
    max_confidence: Annotated[float | None, Flag()] = Field(
        default=None, ge=0, le=1, description="Only those whose final answer has at most this confidence."
    )
    text: Annotated[str, Flag(metavar="WORDS")] = Field(
        default="", max_length=200, description="Only those with these words in the question, in this order."
    )
    thread: Annotated[UUID | None, Flag(metavar="ID")] = Field(default=None, description="Only those of a thread.")
    key: Annotated[str, Flag(metavar="NAME")] = Field(
        default="", max_length=60, description="Only those asked with the API key of this name."
    )
    metadata: Annotated[list[str], Flag(metavar="NAME=VALUE")] = Field(
        default_factory=list, max_length=10, description="Only those whose metadata has this value: `name=value`."
    )
    asked_after: Annotated[Moment | None, Flag("--after", "DATE")] = Field(
        default=None, description="Only those asked at this time or later."
    )
    asked_before: Annotated[Moment | None, Flag("--before", "DATE")] = Field(
        default=None, description="Only those asked before this time."
    )

    ended_before: Annotated[Moment | None, Flag(metavar="DATE")] = Field(
        default=None, description="Only those that ended before this time."
    )

    @field_validator("unanswered", mode="before")
    @classmethod
    def _as_in_a_query(cls, given: Any) -> Any:
        return {"true": True, "false": False}.get(given, given) if isinstance(given, str) else given


class SearchRequest(Body):
    """Words to find passages for."""

    query: str = Field(
        description="What to look for: at most 4,000 characters.",
        examples=["lighthouse builder"],
        json_schema_extra=LENGTHS,
    )
    collection: Annotated[Collection, Argument(help="The collection; empty: the default one.")] = ""
    sites: Sites = Field(default_factory=list, description="Only pages below these URLs.")
    exclude_sites: ExcludedSites = Field(default_factory=list, description="No pages below these URLs.")
    langs: Languages = Field(default_factory=list, description="Only pages in these languages (ISO 639-1).")
    kinds: Annotated[list[BlockKind], Flag("--kind"), Argument()] = Field(
        default_factory=list,
        max_length=len(BLOCK_KINDS),
        description="Only passages with a part of one of these kinds.",
    )
    published_after: Date = Field(default=None, description="Only pages that state a publication date after this.")
    read_after: Date = Field(default=None, description="Only pages read, or seen unchanged, after this.")
    read_before: Date = Field(default=None, description="Only pages whose text was read before this.")
    published_before: Date = Field(default=None, description="Only pages that state a publication date before this.")
    filters: Conditions = Field(
        default_factory=list,
        description="Only documents whose metadata fits all of these, as in "
        "`team=support|ops`, `team!=sales`, `year>=2020`.",
    )
    source_kinds: PageKinds = Field(default_factory=list, description="Only pages of the web, files, or documents.")
    limit: Annotated[int, Argument()] = Field(default=10, ge=1, le=MAX_FOUND, description="Most passages to return.")
    lang: Annotated[str, Argument()] = Field(
        default="", pattern=r"^([a-z]{2,3})?$", description="The query's language; default: detected from its words."
    )


class KeyLimits(Body):
    """What an API key may use, in UTC days and calendar months; null: as much as everyone."""

    weight: Annotated[float | None, Flag()] = Field(
        default=None, gt=0, le=100, description="Its share of the workers beside other keys; default: 1."
    )
    requests_per_minute: Amount = Field(default=None, description="Most requests a minute.")
    open_questions: Amount = Field(default=None, description="Most open questions at a time in each collection.")
    questions_per_day: Amount = Field(default=None, description="Most new questions a day.")
    questions_per_month: Amount = Field(default=None, description="Most new questions a month.")
    pages_per_day: Amount = Field(
        default=None, description="Most pages read a day; then its questions are answered without a crawl."
    )
    pages_per_month: Amount = Field(default=None, description="Most pages read a month; likewise.")
    tokens_per_day: Amount = Field(
        default=None, description="Most tokens of a model a day; then its questions are answered without one."
    )
    tokens_per_month: Amount = Field(default=None, description="Most tokens of a model a month; likewise.")
    usd_per_day: Dollars = Field(default=None, description="Most US dollars for a model a day; likewise.")
    usd_per_month: Dollars = Field(default=None, description="Most US dollars for a model a month; likewise.")


#: a pattern of paths (see :class:`domain.site.SiteScope`), or a CSS selector
Pattern = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")]
#: a source's fields, as the API describes them
_OF_SOURCE: Final = {each.name: str(each.metadata.get("description", "")) for each in fields(Source)}


class SourceSettings(BaseModel):
    """What can be set of a source besides its schedule: the same in a request, in a file and in its row."""

    min_delay_s: Annotated[float | None, Flag("--delay", "S", "Seconds between two requests to it.")] = Field(
        default=None,
        ge=0,
        le=3600,
        validation_alias=AliasChoices("min_delay_s", "min_delay"),
        description="Seconds between two requests to it; null: the server's setting.",
    )
    paused: bool = Field(default=False, description="Whether to pause it; its schedule is kept.")
    include: Annotated[tuple[Pattern, ...], Flag("--include", "PATTERN", "Only these paths, such as /en/*")] = Field(
        default=(), max_length=30, description=_OF_SOURCE["include"]
    )
    exclude: Annotated[tuple[Pattern, ...], Flag("--exclude", "PATTERN", "Not these paths, such as /old/ or *.pdf")] = (
        Field(default=(), max_length=30, description=_OF_SOURCE["exclude"])
    )
    select: Annotated[tuple[Pattern, ...], Flag("--select", "CSS", "What counts of its pages, such as main")] = Field(
        default=(), max_length=30, description=_OF_SOURCE["select"]
    )
    drop: Annotated[tuple[Pattern, ...], Flag("--drop", "CSS", "What does not count, such as .comments")] = Field(
        default=(), max_length=30, description=_OF_SOURCE["drop"]
    )
    depth: Annotated[int | None, Flag("--depth", "N", "At most this many links from its front page.")] = Field(
        default=None, ge=0, le=1_000, description=_OF_SOURCE["depth"]
    )
    ignore_robots: Annotated[
        bool,
        Flag("--ignore-robots/--no-ignore-robots", help="Read it whatever robots.txt and noindex say: with --own."),
    ] = Field(default=False, description=_OF_SOURCE["ignore_robots"])
    callback_url: Annotated[Url | None, Flag("--callback", "URL")] = Field(
        default=None, description=_OF_SOURCE["callback_url"]
    )
    page_only: Annotated[bool, Flag("--page-only/--no-page-only", help="Only the page with this URL.")] = Field(
        default=False, description=_OF_SOURCE["page_only"]
    )


def _plain_headers(given: dict[str, str]) -> dict[str, str]:
    """Return headers; raises ValueError for what is none, or is the client's to set."""
    for name, value in given.items():
        if not _TOKEN.fullmatch(name) or name.lower() in _NOT_SET:
            raise ValueError(f"{name[:40]!r} cannot be set")
        if not _HEADER_VALUE.fullmatch(value):
            raise ValueError(f"the value of {name[:40]!r} has characters that no header can have")
    return given


def _plain_cookies(given: dict[str, str]) -> dict[str, str]:
    """Return cookies; raises ValueError for what is none."""
    for name, value in given.items():
        if not _TOKEN.fullmatch(name) or not _HEADER_VALUE.fullmatch(value) or ";" in value:
            raise ValueError(f"{name[:40]!r} is no cookie: give its name and its value, without a semicolon")
    return given


_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_HEADER_VALUE: Final = re.compile(r"[\x20-\x7e\x80-\xff]{0,8000}")
_NOT_SET: Final = frozenset({"host", "connection", "content-length", "transfer-encoding", "accept-encoding", "cookie"})
_Pem = Annotated[str | None, Field(default=None, max_length=100_000, repr=False)]
_Word = Annotated[str | None, Field(default=None, max_length=1_000, pattern=r"^[^\x00-\x1f\x7f]*$", repr=False)]


class SourceAccess(Body):
    """How a source of your own is reached. Its secrets go to that site only, and nothing shows them again."""

    model_config = ConfigDict(hide_input_in_errors=True)

    headers: Annotated[dict[str, str], AfterValidator(_plain_headers)] = Field(
        default_factory=dict, max_length=20, repr=False, description="Headers of every request to it."
    )
    user: _Word = Field(default=None, description="User of basic authentication.")
    password: _Word = Field(default=None, description="Password of basic authentication.")
    cookies: Annotated[dict[str, str], AfterValidator(_plain_cookies)] = Field(
        default_factory=dict, max_length=50, repr=False, description="Cookies, by name."
    )
    certificate: _Pem = Field(default=None, description="Client certificate (PEM), perhaps with its key.")
    key: _Pem = Field(default=None, description="Key of the client certificate (PEM), without a password.")
    ca: _Pem = Field(
        default=None, description="Certificates (PEM) of the CAs that are trusted for it beside the usual."
    )
    proxy: _Word = Field(
        default=None, description="Proxy to reach it by, such as http://USER:PASSWORD@proxy.example:3128."
    )


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option."""

    name: str
    field: FieldInfo
    schema: Mapping[str, Any]  #: of its value in JSON, with null left out and references filled in

    flag: Flag | None
    argument: Argument | None

    @property
    def description(self) -> str:
        """Return what the API says of it."""
        return self.field.description or ""


def options_of(body: type[BaseModel]) -> list[Option]:
    """Return a body's options, in their order; the question is none."""
    schema = body.model_json_schema()
    options = []
    for name, field in body.model_fields.items():
        plain = without_null(schema["properties"][name], schema.get("$defs", {}))
        marks: dict[type, Any] = {type(mark): mark for mark in field.metadata}
        flag, argument = marks.get(Flag), marks.get(Argument)
        if flag and not flag.flag:
            flag = replace(flag, flag=f"--{name.replace('_', '-')}")
        options.append(Option(name=name, field=field, schema=plain, flag=flag, argument=argument))
    return [option for option in options if option.name != "question"]


def without_null(schema: Mapping[str, Any], objects: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of what is not null, with its reference, and that of a list's entries, filled in."""
    if "items" in schema:
        return {**schema, "items": without_null(schema["items"], objects)}
    if "$ref" in schema:
        return without_null(objects[schema["$ref"].rpartition("/")[2]], objects)
    if "anyOf" in schema:
        return without_null(next(choice for choice in schema["anyOf"] if choice.get("type") != "null"), objects)
    return schema
