"""Threads and questions: rows as lines of the file, and lines as rows; every part of the JSON in them is looked at."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, Field, TypeAdapter, model_validator
from sqlalchemy import func, select, tuple_
from sqlalchemy.orm import Session

from domain import Budget, Citation, Cost, Sentence, Status, Verdict
from domain.answer import NextQuestion, StructuredAnswer
from domain.flow import FINAL
from domain.options import Overrides
from domain.question import LAST_PRIORITY, Variant
from domain.record import ContextHit, FeedbackVerdict
from store.archive import archive
from store.archive.archive import FileLine, LeftOut, Short, Text, Url, line_of, line_or_left_out, lines_of, values_of
from store.crawl.candidates import CandidateStatus
from store.pages import visibility
from store.questions import answers, state
from store.sql.database import Database
from store.sql.rows import add_missing
from store.sql.tables import (
    AnswerRow,
    CandidateRow,
    FeedbackRow,
    PrivateReadRow,
    QuestionRow,
    StepRow,
    ThreadRow,
    WatchRow,
)
from text.terms import fold

#: what an asker wrote: nothing in it is an id or an address of ours
FREE: Final = frozenset(("value", "answer_schema", "caller_metadata"))

_ADDRESS = re.compile(r"(https?|files)://")

Id = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
Revision = Annotated[int, Field(ge=1, lt=2**31)]
Callback = Annotated[str, Field(max_length=2_048, pattern=r"^(https?|celery)://")]


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
    not_reranked: str = ""
    hits: int = 0
    sql_hits: int = 0
    graph_hits: int = 0
    top: list[dict[str, Any]] = []
    rewards: dict[str, bool] = {}
    verdict: Verdict | None = None


class ThreadLine(line_of(ThreadRow, "folded")):  # type: ignore[misc]
    """A thread; its questions name it."""

    member = archive.THREADS

    id: Id
    title: Annotated[Text, Field(max_length=200)]


class StepLine(line_of(StepRow, "id")):  # type: ignore[misc]
    """A step of the trace."""

    detail: Annotated[dict[str, Any], _json_of(_Detail)]


class SeenLine(line_of(CandidateRow, "id", "site_read_id")):  # type: ignore[misc]
    """A page that was looked at for the question, and what came of it."""

    url: Url
    status: Literal["KNOWN", "SETTLED"]
    page_id: Annotated[int, Field(ge=0, lt=2**63)] | None


class AnswerLine(line_of(AnswerRow, "id")):  # type: ignore[misc]
    """A revision of the answer."""

    revision: Revision
    sentences: Annotated[list[Any], _json_of(tuple[Sentence, ...])]
    citations: Annotated[list[Any], _json_of(tuple[Citation, ...])]
    context: Annotated[list[Any], _json_of(tuple[ContextHit, ...])]
    confidence: Annotated[float, Field(ge=0, le=1)]
    structured: Annotated[dict[str, Any] | None, _json_of(StructuredAnswer | None)] = None
    related: Annotated[list[Any], _json_of(tuple[NextQuestion, ...])]
    verdict: Annotated[dict[str, Any], _json_of(Verdict | Annotated[dict[str, Any], Field(max_length=0)])]
    cost: Annotated[dict[str, Any], _json_of(Cost)]


class FeedbackLine(line_of(FeedbackRow, "id")):  # type: ignore[misc]
    """What a reader said of a revision."""

    revision: Revision
    verdict: FeedbackVerdict
    features: Annotated[dict[str, Any], _json_of(_Detail)]


class WatchLine(line_of(WatchRow)):  # type: ignore[misc]
    """That the question is asked again when its evidence changes."""

    callback_url: Callback | None = None


class QuestionLine(line_of(QuestionRow, "outcome", "confidence", "draft", "idempotency_key", "fingerprint")):  # type: ignore[misc]
    """A question that has ended, with its answers and all that hangs on it."""

    member = archive.QUESTIONS

    id: Id
    thread_id: Id | None = None
    status: Annotated[Status, AfterValidator(_final)]
    sites: list[Text]
    langs: list[Short]
    overrides: Annotated[dict[str, Any], _json_of(Overrides)]
    budget: Annotated[dict[str, Any], _json_of(Budget)]
    priority: Annotated[int, Field(ge=LAST_PRIORITY, le=9)]
    queries: list[Text]
    variants: list[Annotated[dict[str, Any], _json_of(Variant)]]
    missing: list[Text]
    leader_id: Id | None
    cached_from: Id | None
    callback_url: Callback | None
    error: Text | None
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


#: questions in memory at one time
_BATCH: Final = 16
_SEEN: Final = CandidateRow.status != CandidateStatus.WAITING
#: what hangs on a question: its line, its table, and which rows in which order; what still waits to be read is left out
_PARTS: Final[Mapping[str, tuple[type[FileLine], Any, Any]]] = {
    "steps": (StepLine, StepRow, select(StepRow).order_by(StepRow.id)),
    "seen": (SeenLine, CandidateRow, select(CandidateRow).where(_SEEN).order_by(CandidateRow.id)),
    "answers": (AnswerLine, AnswerRow, select(AnswerRow).order_by(AnswerRow.revision)),
    "feedback": (FeedbackLine, FeedbackRow, select(FeedbackRow).order_by(FeedbackRow.id)),
}

Taken = Literal["new", "known"]


def threads_of(database: Database) -> Iterator[ThreadLine | LeftOut]:
    """Yield the threads."""
    with database.read() as session:
        rows = session.scalars(select(ThreadRow).order_by(ThreadRow.created_at, ThreadRow.id)).all()
    for row in rows:
        yield line_or_left_out(f"thread {row.id}", partial(ThreadLine, **values_of(ThreadLine, row)))


def questions_of(database: Database) -> Iterator[QuestionLine | LeftOut]:
    """Yield the questions that have ended, the first asked first."""
    place = (QuestionRow.created_at, QuestionRow.id)
    query = select(QuestionRow).where(QuestionRow.status.in_(FINAL)).order_by(*place).limit(_BATCH)
    after: tuple[Any, ...] | None = None
    while True:
        with database.read() as session:
            rows = session.scalars(query if after is None else query.where(tuple_(*place) > after)).all()
            lines = [line_or_left_out(f"question {row.id}", partial(_to_line, session, row)) for row in rows]
        if not rows:
            return
        yield from lines
        after = (rows[-1].created_at, rows[-1].id)


def unfinished(database: Database) -> int:
    """Return how many questions have not ended."""
    with database.read() as session:
        open_ = select(func.count()).select_from(QuestionRow).where(QuestionRow.status.not_in(FINAL))
        return session.scalar(open_) or 0


def take_thread(session: Session, line: ThreadLine) -> None:
    """Store a thread unless it is known."""
    add_missing(session, ThreadRow, ThreadRow.id, **line.model_dump(), folded=fold(line.title))


def take(session: Session, line: QuestionLine, page_ids: Mapping[int, int], *, own: bool) -> Taken:
    """Store a question of the file with all that hangs on it, unless it is known; return which it is.

    ``page_ids``: what the pages of the file are called here. ``own``: it may call its caller back.
    """
    if session.get(QuestionRow, line.id) is not None:
        return "known"
    here = QuestionLine.model_validate(renumbered(line.model_dump(mode="json"), page_ids))
    row = QuestionRow(**here.model_dump(exclude={*_PARTS, "watch", "private_urls"}), due_at=here.updated_at)
    row.callback_url = here.callback_url if own else None
    session.add(row)
    session.flush()
    for name, (_, table, _) in _PARTS.items():
        for part in getattr(here, name):
            values = part.model_dump()
            if table is CandidateRow:  # a page that is not here is no row's
                values |= {"page_id": values["page_id"] or None, "due_at": values["created_at"]}
            session.add(table(question_id=here.id, **values))
    if here.watch is not None:
        watch = here.watch.model_dump() | ({} if own else {"callback_url": None})
        session.add(WatchRow(question_id=here.id, **watch))
    session.flush()
    state.set_outcome(session, row)
    visibility.grant(session, here.id, here.private_urls)
    final = select(AnswerRow).where(AnswerRow.question_id == here.id, ~AnswerRow.provisional)
    for answer in session.scalars(final).all():  # one whose quotes its pages here do not have is stale
        stale_at = answer.stale_at
        answers.save_evidence(session, answer, answer.created_at)
        answer.stale_at = stale_at or answer.stale_at
    session.flush()
    return "new"


def _to_line(session: Session, row: QuestionRow) -> QuestionLine:
    parts: dict[str, Any] = {
        name: lines_of(kind, session.scalars(query.where(table.question_id == row.id)))
        for name, (kind, table, query) in _PARTS.items()
    }
    watch = session.get(WatchRow, row.id)
    read = select(PrivateReadRow.url).where(PrivateReadRow.question_id == row.id).order_by(PrivateReadRow.url)
    return QuestionLine(
        **values_of(QuestionLine, row),
        **parts,
        watch=WatchLine(**values_of(WatchLine, watch)) if watch else None,
        private_urls=tuple(session.scalars(read)),
    )


_PASSAGE = re.compile(r"(\d{1,19})-(\d{1,10})")


def renumbered(value: Any, ids: Mapping[int, int], key: str = "") -> Any:
    """Return JSON, the value of a ``key``, with the ids of pages replaced; by 0 where a page is not here."""
    if key in FREE:
        return value
    if key == "page_id" and isinstance(value, int):
        return ids.get(value, 0)
    if key in ("passage", "passage_id") and isinstance(value, str) and (found := _PASSAGE.fullmatch(value)):
        return f"{ids.get(int(found[1]), 0)}-{found[2]}"
    if isinstance(value, list):
        return [renumbered(entry, ids) for entry in value]
    return {name: renumbered(each, ids, name) for name, each in value.items()} if isinstance(value, dict) else value
