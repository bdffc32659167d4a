"""Turn threads and questions into lines of the file, and lines into threads and questions."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from pydantic import ValidationError
from sqlalchemy import func, select, tuple_
from sqlalchemy.orm import Session

from domain.flow import FINAL
from store.crawl.candidates import CandidateStatus
from store.knowledge.lines import FileLine, LeftOut, line_or_left_out, said, values_of
from store.knowledge.question_lines import (
    FREE,
    AnswerLine,
    FeedbackLine,
    QuestionLine,
    SeenLine,
    StepLine,
    ThreadLine,
    WatchLine,
)
from store.pages import visibility
from store.questions import evidence, state
from store.sql.database import Database
from store.sql.rows import add_missing
from store.sql.tables import (
    AnswerRow,
    CandidateRow,
    FeedbackRow,
    PrivateReadRow,
    QuestionRow,
    StepRow,
    Table,
    ThreadRow,
    WatchRow,
)
from text.analyser import fold

#: questions in memory at one time
_BATCH: Final = 16
#: what hangs on a question: its field in the line, the line, the table
_PARTS: Final[tuple[tuple[str, type[FileLine], Any, Any], ...]] = (
    ("steps", StepLine, StepRow, StepRow.id),
    ("seen", SeenLine, CandidateRow, CandidateRow.id),
    ("answers", AnswerLine, AnswerRow, AnswerRow.revision),
    ("feedback", FeedbackLine, FeedbackRow, FeedbackRow.id),
)

Taken = Literal["new", "known"]


def threads_of(database: Database) -> Iterator[ThreadLine | LeftOut]:
    """Yield the threads."""
    with database.read() as session:
        rows = session.scalars(select(ThreadRow).order_by(ThreadRow.created_at, ThreadRow.id)).all()
    for row in rows:
        yield line_or_left_out(ThreadLine, f"thread {row.id}", values_of(ThreadLine, row))


def questions_of(database: Database) -> Iterator[QuestionLine | LeftOut]:
    """Yield the questions that have ended, the first asked first."""
    place = (QuestionRow.created_at, QuestionRow.id)
    query = select(QuestionRow).where(QuestionRow.status.in_(FINAL)).order_by(*place).limit(_BATCH)
    after: tuple[Any, ...] | None = None
    while True:
        with database.read() as session:
            rows = session.scalars(query if after is None else query.where(tuple_(*place) > after)).all()
            lines = [_to_line(session, row) for row in rows]
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
    row = QuestionRow(**_of_table(QuestionRow, here), due_at=here.updated_at)
    row.callback_url = here.callback_url if own else None
    session.add(row)
    session.flush()
    for name, _, table, _ in _PARTS:
        session.add_all(table(question_id=here.id, **_more(table, each)) for each in getattr(here, name))
    if here.watch is not None:
        watch = here.watch.model_dump() | ({} if own else {"callback_url": None})
        session.add(WatchRow(question_id=here.id, **watch))
    session.flush()
    row.outcome = state.outcome_of(session, row)
    visibility.grant(session, here.id, here.private_urls)
    _save_evidence(session, here)
    return "new"


def _save_evidence(session: Session, line: QuestionLine) -> None:
    """Note which pages the final answers cite; one whose quotes its pages here do not have is stale."""
    final = select(AnswerRow).where(AnswerRow.question_id == line.id, ~AnswerRow.provisional)
    for answer in session.scalars(final).all():
        stale_at = answer.stale_at
        evidence.save(session, answer, answer.created_at)
        answer.stale_at = stale_at or answer.stale_at
    session.flush()


def _more(table: type[Table], line: FileLine) -> dict[str, Any]:
    """Return the columns of a part; a page that is not here is no row's."""
    values = line.model_dump()
    if table is CandidateRow:
        values |= {"page_id": values["page_id"] or None, "due_at": values["created_at"]}
    return values


def _to_line(session: Session, row: QuestionRow) -> QuestionLine | LeftOut:
    parts: dict[str, Any] = {}
    try:
        for name, kind, table, order in _PARTS:
            rows = session.scalars(select(table).where(table.question_id == row.id).order_by(order))
            parts[name] = tuple(kind(**values_of(kind, each)) for each in rows if _is_kept(each))
        watch = session.get(WatchRow, row.id)
        read = select(PrivateReadRow.url).where(PrivateReadRow.question_id == row.id).order_by(PrivateReadRow.url)
        return QuestionLine(
            **values_of(QuestionLine, row),
            **parts,
            watch=WatchLine(**values_of(WatchLine, watch)) if watch else None,
            private_urls=tuple(session.scalars(read)),
        )
    except ValidationError as error:
        return LeftOut(name=f"question {row.id}", why=said(error))


def _is_kept(row: Table) -> bool:
    """Return whether a row is written: what still waits to be read for an ended question is not."""
    return not isinstance(row, CandidateRow) or row.status != CandidateStatus.WAITING


def _of_table(table: type[Table], line: FileLine) -> dict[str, Any]:
    """Return the line's values of the table's columns."""
    columns = table.__table__.columns.keys()
    return {name: value for name, value in line.model_dump().items() if name in columns}


_PASSAGE = re.compile(r"(\d{1,19})-(\d{1,10})")


def renumbered(value: Any, ids: Mapping[int, int]) -> Any:
    """Return JSON with the ids of pages replaced; 0 stands for a page that is not here."""
    if isinstance(value, list):
        return [renumbered(entry, ids) for entry in value]
    if not isinstance(value, dict):
        return value
    return {key: entry if key in FREE else _renumbered(key, entry, ids) for key, entry in value.items()}


def _renumbered(key: str, entry: Any, ids: Mapping[int, int]) -> Any:
    if key == "page_id" and isinstance(entry, int):
        return ids.get(entry, 0)
    if key in ("passage", "passage_id"):
        return _passage(entry, ids)
    return renumbered(entry, ids)


def _passage(passage_id: Any, ids: Mapping[int, int]) -> Any:
    found = _PASSAGE.fullmatch(passage_id) if isinstance(passage_id, str) else None
    return f"{ids.get(int(found[1]), 0)}-{found[2]}" if found else passage_id
