"""Find questions by what is true of them, part by part, newest first; give each as one line with its answer."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Text, and_, cast, func, or_, select, tuple_
from sqlalchemy.orm import Session

from domain import Status
from domain.answer import short_answer
from domain.errors import WellreadError
from domain.options import QuestionFilter
from domain.record import CitedLine, QuestionLine
from store.questions import answers
from store.sql.database import Database
from store.sql.rows import to_value
from store.sql.tables import AnswerRow, QuestionRow

#: how questions end without an answer
UNANSWERED = (Status.ABSTAINED, Status.FAILED, Status.TIMED_OUT)
#: questions in memory at one time
_PART = 200
#: how SQLite's JSON has the values true and false
_AS_NUMBERS = {"true": "1", "false": "0"}
_NEWEST_FIRST = (QuestionRow.created_at.desc(), QuestionRow.id.desc())
#: by the name of a filter, which questions its value means
_FITS: Final[Mapping[str, Callable[[Any], ColumnElement[bool]]]] = {
    "id": lambda ids: QuestionRow.id.in_([each.hex for each in ids]),
    "status": QuestionRow.status.in_,
    "outcome": QuestionRow.outcome.in_,
    "unanswered": lambda _: QuestionRow.status.in_(UNANSWERED),
    "min_confidence": lambda least: QuestionRow.confidence >= least,
    "max_confidence": lambda most: QuestionRow.confidence <= most,
    "text": lambda text: or_(*(c.icontains(text, autoescape=True) for c in (QuestionRow.text, QuestionRow.asked))),
    "thread": lambda thread: QuestionRow.thread_id == thread.hex,
    "asked_after": lambda moment: QuestionRow.created_at >= moment,
    "asked_before": lambda moment: QuestionRow.created_at < moment,
    "ended_before": lambda moment: QuestionRow.finished_at < moment,
}


class BadFilter(WellreadError):
    """A filter cannot be read; the message says how to write it."""


class UnknownPlace(WellreadError):
    """The cursor is none that a listing gave."""


def find(
    session: Session, wanted: ColumnElement[bool], *, limit: int, after: str = ""
) -> tuple[list[QuestionRow], str]:
    """Return the questions, newest first, and the cursor of those that follow; "" where none do.

    ``after`` is such a cursor, which also stands after its question is deleted. Raises UnknownPlace.
    """
    query = select(QuestionRow).where(wanted, _behind(after)).order_by(*_NEWEST_FIRST)
    rows = list(session.scalars(query.limit(limit + 1)))
    last = rows[limit - 1] if len(rows) > limit else None
    return rows[:limit], f"{last.created_at.isoformat()}_{last.id}" if last else ""


def latest(session: Session, limit: int = 20) -> list[QuestionRow]:
    """Return the latest questions, newest first."""
    return find(session, QuestionRow.id.is_not(None), limit=limit)[0]


def count(session: Session, wanted: ColumnElement[bool]) -> int:
    """Return how many questions are meant."""
    return session.scalar(select(func.count()).select_from(QuestionRow).where(wanted)) or 0


def lines(database: Database, wanted: ColumnElement[bool]) -> Iterator[QuestionLine]:
    """Yield the questions with their answers, newest first, each part in a transaction of its own."""
    after = ""
    while True:
        with database.read() as session:
            rows, after = find(session, wanted, limit=_PART, after=after)
            latest = _latest_answers(session, [row.id for row in rows])
            found = [_to_line(row, latest.get(row.id)) for row in rows]
        yield from found
        if not after:
            return


def meant(
    session: Session, asked: QuestionFilter, *, owner: str | None = None, key: str | None = None
) -> ColumnElement[bool]:
    """Return the condition that a filter is. Raises BadFilter.

    ``owner``: only of this one's questions; ``key``: what those of the filter's key are marked with.
    """
    wanted = [] if owner is None else [QuestionRow.owner == owner]
    if asked.key:
        wanted.append(QuestionRow.owner == key)
    given = asked.model_dump(exclude_defaults=True)
    wanted += [fits(given[name]) for name, fits in _FITS.items() if name in given]
    return and_(*wanted, *map(_has, asked.metadata)) if wanted or asked.metadata else QuestionRow.id.is_not(None)


def _has(pair: str) -> ColumnElement[bool]:
    name, equals, value = pair.partition("=")
    if not name or not equals or '"' in name:
        raise BadFilter(f"{pair[:80]!r} is no filter of metadata: write it as name=value, such as team=support.")
    held = cast(QuestionRow.caller_metadata[name].as_string(), Text)
    return held.in_({value, _AS_NUMBERS.get(value, value)})


def _behind(after: str) -> ColumnElement[bool]:
    if not after:
        return QuestionRow.id.is_not(None)
    at, _, question_id = after.partition("_")
    try:
        created_at = datetime.fromisoformat(at).astimezone(UTC)
        return tuple_(QuestionRow.created_at, QuestionRow.id) < (created_at, question_id)
    except (ValueError, OverflowError):
        raise UnknownPlace(
            f"{after[:80]!r} is no place in the list: take it from the `Link` of the part before."
        ) from None


def _latest_answers(session: Session, question_ids: Sequence[str]) -> dict[str, AnswerRow]:
    last = select(AnswerRow.question_id, func.max(AnswerRow.revision)).where(AnswerRow.question_id.in_(question_ids))
    query = select(AnswerRow).where(
        tuple_(AnswerRow.question_id, AnswerRow.revision).in_(last.group_by(AnswerRow.question_id))
    )
    return {row.question_id: row for row in session.scalars(query)}


def _to_line(row: QuestionRow, answered: AnswerRow | None) -> QuestionLine:
    answer = answers.to_answer(answered) if answered else None
    others: dict[str, Any] = {
        "question": row.asked or row.text,
        "metadata": row.caller_metadata or {},
        "thread": row.thread_id,
        "status": Status(row.status),
        "confidence": answer.confidence if answer else None,
        "answer": answer.text if answer else None,
        "short_answer": short_answer(answer.sentences) if answer and row.outcome == "answered" else None,
        "citations": tuple(to_value(CitedLine, each, n=each.marker) for each in answer.citations) if answer else (),
        "structured": answer.structured.value if answer and answer.structured else None,
    }
    return to_value(QuestionLine, row, **others)


def cells_of(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return the cells of a line in JSON, by column: of citations the addresses, and no spreadsheet's formula."""
    cited = [each["url"] for each in line.get("citations") or ()]
    cells = dict(line) | ({"citations": " ".join(cited)} if "citations" in line else {})
    return {name: _cell(value) for name, value in cells.items()}


def _cell(value: Any) -> Any:
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False) if value else ""
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
