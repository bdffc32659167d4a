"""Threads and questions as lines of the file: the JSON that their rows hold, after a look at every part of it."""

import re
from dataclasses import fields, is_dataclass
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, AwareDatetime, BaseModel, Field, TypeAdapter, model_validator

from domain import Budget, Citation, Cost, Sentence, Status, Verdict
from domain.answer import NextQuestion, StructuredAnswer
from domain.flow import FINAL
from domain.options import Overrides
from domain.question import LAST_PRIORITY, Variant
from domain.record import ContextHit, FeedbackVerdict
from store.knowledge.lines import FileLine, Hash, Text, Url

#: what an asker wrote: nothing in it is an id or an address of ours
FREE: Final = frozenset(("value", "answer_schema"))

_ADDRESS = re.compile(r"(https?|files)://")

Id = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
Name = Annotated[str, Field(max_length=32)]
Count = Annotated[int, Field(ge=0, lt=2**31)]
Row = Annotated[int, Field(ge=0, lt=2**63)]
Owner = Annotated[str, Field(max_length=80)]
Callback = Annotated[str, Field(max_length=2_048, pattern=r"^https?://")]


def _plain(value: Any) -> Any:
    """Return JSON as it is; raises ValueError for a NUL, and for an address that is none of a page or a file."""
    if isinstance(value, str) and "\0" in value:
        raise ValueError("it has a NUL character")
    if isinstance(value, dict):
        for key, entry in value.items():
            _plain(key)
            if key == "url" and not (isinstance(entry, str) and _ADDRESS.match(entry)):
                raise ValueError("an address is not that of a page or a file")
            if key not in FREE:
                _plain(entry)
            elif "\\u0000" in ascii(entry) or "\\x00" in ascii(entry):
                raise ValueError("it has a NUL character")
    elif isinstance(value, list | tuple):
        for entry in value:
            _plain(entry)
    return value


def _json_of(kind: Any) -> Any:
    """Return a check that JSON can be read as a value of this kind; it stays as it is."""
    adapter = TypeAdapter(kind)
    known = {field.name for field in fields(kind)} if is_dataclass(kind) else None

    def check(value: Any) -> Any:
        adapter.validate_python(value)
        if known is not None and not value.keys() <= known:
            raise ValueError("it has a field that is not known")
        return value

    return AfterValidator(check)


def _final(status: Status) -> Status:
    if status not in FINAL:
        raise ValueError("the question has not ended")
    return status


class _Detail(BaseModel):
    """What readers of a trace rely on, where it is there."""

    cost: Cost | None = None
    seconds: dict[str, float] | float = 0.0
    question_type: str | None = None
    queries: list[str] = []
    entities: list[Annotated[str, Field(min_length=1)]] = []
    before_fusion: list[dict[str, Any]] = []
    hits: int = 0
    sql_hits: int = 0
    graph_hits: int = 0
    top: list[dict[str, Any]] = []
    rewards: dict[str, bool] = {}
    verdict: Verdict | None = None


class ThreadLine(FileLine):
    """A thread; its questions name it."""

    id: Id
    title: Annotated[Text, Field(max_length=200)]
    owner: Owner | None = None
    created_at: AwareDatetime
    updated_at: AwareDatetime


class StepLine(FileLine):
    """A step of the trace."""

    name: Name
    cycle: Count
    attempt: Count
    outcome: Name
    started_at: AwareDatetime
    finished_at: AwareDatetime
    detail: Annotated[dict[str, Any], _json_of(_Detail)]


class SeenLine(FileLine):
    """A page that was looked at for the question, and what came of it."""

    url: Url
    kind: Annotated[str, Field(max_length=16)]
    score: float
    depth: Count
    origin: Annotated[str, Field(max_length=64)]
    text: Text
    wave: Count
    status: Literal["KNOWN", "SETTLED"]
    outcome: Annotated[str, Field(max_length=16)] | None
    reason: Text | None
    page_id: Row | None
    bytes: Annotated[int, Field(ge=0, lt=2**31)]
    elapsed_s: float
    news: bool
    created_at: AwareDatetime
    settled_at: AwareDatetime | None


class AnswerLine(FileLine):
    """A revision of the answer."""

    revision: Annotated[int, Field(ge=1, lt=2**31)]
    provisional: bool
    text: Text
    sentences: Annotated[list[Any], _json_of(tuple[Sentence, ...])]
    citations: Annotated[list[Any], _json_of(tuple[Citation, ...])]
    context: Annotated[list[Any], _json_of(tuple[ContextHit, ...])]
    confidence: Annotated[float, Field(ge=0, le=1)]
    composer: Text
    notice: Text
    structured: Annotated[dict[str, Any] | None, _json_of(StructuredAnswer | None)] = None
    related: Annotated[list[Any], _json_of(tuple[NextQuestion, ...])]
    verdict: Annotated[dict[str, Any], _json_of(Verdict | Annotated[dict[str, Any], Field(max_length=0)])]
    cost: Annotated[dict[str, Any], _json_of(Cost)]
    created_at: AwareDatetime
    stale_at: AwareDatetime | None = None


class FeedbackLine(FileLine):
    """What a reader said of a revision."""

    revision: Annotated[int, Field(ge=1, lt=2**31)]
    verdict: FeedbackVerdict
    comment: Text
    features: Annotated[dict[str, Any], _json_of(_Detail)]
    created_at: AwareDatetime
    updated_at: AwareDatetime


class WatchLine(FileLine):
    """That the question is asked again when its evidence changes."""

    callback_url: Callback | None = None
    told_revision: Count | None = None
    changed_at: AwareDatetime | None = None
    created_at: AwareDatetime


class QuestionLine(FileLine):
    """A question that has ended, with its answers and all that hangs on it."""

    id: Id
    text: Text
    asked: Text | None = None
    thread_id: Id | None = None
    lang: Annotated[str, Field(max_length=8)]
    status: Annotated[Status, AfterValidator(_final)]
    strategy: Name
    sites: list[Text]
    langs: list[Annotated[str, Field(max_length=8)]]
    private: bool
    crawl_enabled: bool
    max_age_s: Count | None
    overrides: Annotated[dict[str, Any], _json_of(Overrides)]
    answer_schema: dict[str, Any] | None = None
    budget: Annotated[dict[str, Any], _json_of(Budget)]
    priority: Annotated[int, Field(ge=LAST_PRIORITY, le=9)]
    deadline: AwareDatetime
    queries: list[Text]
    variants: list[Annotated[dict[str, Any], _json_of(Variant)]]
    missing: list[Text]
    cycle: Count
    waves: Count
    crawl_reason: Text | None
    stop_reason: Text | None
    crawl_started_at: AwareDatetime | None
    equal_key: Hash
    reuse: bool
    leader_id: Id | None
    cached_from: Id | None
    round: Count
    asked_again_at: AwareDatetime | None
    callback_url: Callback | None
    owner: Owner | None
    error: Text | None
    created_at: AwareDatetime
    updated_at: AwareDatetime
    finished_at: AwareDatetime | None
    steps: tuple[StepLine, ...] = Field(default=(), max_length=10_000)
    seen: tuple[SeenLine, ...] = Field(default=(), max_length=10_000)
    answers: tuple[AnswerLine, ...] = Field(default=(), max_length=1_000)
    feedback: tuple[FeedbackLine, ...] = Field(default=(), max_length=1_000)
    watch: WatchLine | None = None
    private_urls: tuple[Url, ...] = Field(default=(), max_length=10_000)

    @model_validator(mode="before")
    @classmethod
    def _is_plain(cls, value: Any) -> Any:
        return _plain(value)

    @model_validator(mode="after")
    def _is_numbered(self) -> Self:
        for lines in (self.answers, self.feedback):
            numbers = [line.revision for line in lines]
            if len(set(numbers)) != len(numbers):
                raise ValueError("two answers have the same revision")
        return self
