"""Find, rename and delete threads; read the last turns of one, from which a question is understood."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import Final

from sqlalchemy import Select, and_, func, or_, select, tuple_
from sqlalchemy.orm import Session

from domain import Status
from domain.answer import first_said, short_answer
from domain.errors import WellreadError
from domain.question import Thread, ThreadQuestion, Turn
from store.questions import answers
from store.sql.rows import to_value, update_rows
from store.sql.tables import AnswerRow, QuestionRow, ThreadRow
from text.terms import fold

#: what a question is understood from; more would not help, and a thread may be long
LAST_TURNS: Final = 4
MAX_TITLE_CHARACTERS: Final = 200
#: questions whose words are searched, the latest; of older ones the titles of their threads are
MAX_SEARCHED: Final = 5_000

#: the place of a question in its thread: when it was asked, and its id
Place = tuple[datetime, str]


class UnknownThread(WellreadError):
    """There is no thread with this id."""


def of_question(session: Session, question_id: str, now: datetime) -> str | None:
    """Return the thread of a question, which begins one if it has none; None where there is no such question."""
    row = session.scalar(select(QuestionRow).where(QuestionRow.id == question_id).with_for_update())
    if row is None:
        return None
    if row.thread_id is None:
        row.thread_id = new_id()
        asked_in(session, row.thread_id, row.asked or row.text, now, row.owner)
    return row.thread_id


def new_id() -> str:
    """Return the id of a thread that is to begin."""
    return uuid.uuid4().hex


def asked_in(session: Session, thread_id: str, question: str, now: datetime, owner: str | None = None) -> None:
    """Note that a question was asked in a thread; its first one is its title."""
    if not update_rows(session, ThreadRow, ThreadRow.id == thread_id, updated_at=now):
        session.add(ThreadRow(id=thread_id, owner=owner, created_at=now, updated_at=now, **_titled(question)))
        session.flush()


def last_questions(session: Session, thread_id: str, *, until: str = "") -> list[str]:
    """Return the last questions of a thread in their order, those up to the question ``until`` where one is named."""
    query = _of_thread(thread_id)
    if until and (row := session.get(QuestionRow, until)) is not None:
        query = query.where(tuple_(QuestionRow.created_at, QuestionRow.id) <= (row.created_at, row.id))
    return [row.id for row in reversed(session.scalars(query.limit(LAST_TURNS)).all())]


def turns(session: Session, question_ids: Sequence[str]) -> list[Turn]:
    """Return these questions with their answers, as far as others may be understood from them."""
    rows = (session.get(QuestionRow, question_id) for question_id in question_ids)
    return [_turn(session, row) for row in rows if row is not None]


def latest(
    session: Session, *, words: str = "", limit: int = 50, before: datetime | None = None, owner: str | None = None
) -> list[Thread]:
    """Return an owner's threads (None: all) that were asked in last, newest first.

    Only those with these ``words`` in the title, or in a question and its answers, asked in ``before`` then.
    """
    query = select(ThreadRow).order_by(ThreadRow.updated_at.desc(), ThreadRow.id).limit(limit)
    if owner is not None:
        query = query.where(ThreadRow.owner == owner)
    if sought := fold(words).split():
        titled = and_(*(ThreadRow.folded.contains(word, autoescape=True) for word in sought))
        query = query.where(or_(titled, ThreadRow.id.in_(_that_say(session, sought, owner))))
    if before is not None:
        query = query.where(ThreadRow.updated_at < before)
    rows = session.scalars(query).all()
    return _with_counts(session, rows)


def _that_say(session: Session, words: Sequence[str], owner: str | None) -> set[str]:
    """Return the threads, of those asked in last, where a question with its answers has all of these folded words."""
    query = (
        select(QuestionRow.id, QuestionRow.thread_id, QuestionRow.text, QuestionRow.asked, AnswerRow.text)
        .join(ThreadRow, ThreadRow.id == QuestionRow.thread_id)
        .outerjoin(AnswerRow, AnswerRow.question_id == QuestionRow.id)
        .order_by(QuestionRow.created_at.desc(), QuestionRow.id)
        .limit(MAX_SEARCHED)
    )
    if owner is not None:
        query = query.where(ThreadRow.owner == owner)
    found: set[str] = set()
    for _, turn in groupby(session.execute(query.execution_options(yield_per=500)), lambda row: row[0]):
        rows = list(turn)
        said = fold(" ".join(part for row in rows for part in row[2:] if part))
        if all(word in said for word in words):
            found.add(rows[0].thread_id)
    return found


def find(session: Session, thread_id: str) -> Thread:
    """Return a thread; raises UnknownThread."""
    return _with_counts(session, [_known(session, thread_id)])[0]


def check_owner(session: Session, thread_id: str, owner: str | None) -> None:
    """Raise UnknownThread unless there is such a thread of this owner's."""
    if _known(session, thread_id).owner != owner:
        raise _unknown(thread_id)


def questions(session: Session, thread_id: str, *, limit: int = 50, before: str = "") -> list[ThreadQuestion]:
    """Return the latest questions of a thread in their order, those before a question where one is named."""
    query = _of_thread(thread_id)
    if before and (row := session.get(QuestionRow, before)) is not None:
        query = query.where(tuple_(QuestionRow.created_at, QuestionRow.id) < (row.created_at, row.id))
    rows = session.scalars(query.limit(limit)).all()
    return [_to_question(row) for row in reversed(rows)]


def _to_question(row: QuestionRow) -> ThreadQuestion:
    understood = row.text if row.asked else None
    asked = row.asked or row.text
    return to_value(ThreadQuestion, row, question=asked, question_as_understood=understood, status=Status(row.status))


def in_order(session: Session, thread_id: str, *, after: Place | None, limit: int) -> list[Place]:
    """Return the places of a thread's questions, the first ones first, or those after a place."""
    query = select(QuestionRow.created_at, QuestionRow.id).where(QuestionRow.thread_id == thread_id)
    if after is not None:
        query = query.where(tuple_(QuestionRow.created_at, QuestionRow.id) > after)
    rows = session.execute(query.order_by(QuestionRow.created_at, QuestionRow.id).limit(limit))
    return [(row.created_at, row.id) for row in rows]


def rename(session: Session, thread_id: str, title: str) -> None:
    """Give a thread another title; raises UnknownThread."""
    row = _known(session, thread_id)
    for name, value in _titled(title).items():
        setattr(row, name, value)
    session.flush()


def some_questions(session: Session, thread_id: str, limit: int) -> list[tuple[str, Status]]:
    """Return the ids of some questions of a thread, with what became of them."""
    query = select(QuestionRow.id, QuestionRow.status).where(QuestionRow.thread_id == thread_id).limit(limit)
    return [(row.id, Status(row.status)) for row in session.execute(query)]


def remove_if_empty(session: Session, thread_id: str) -> None:
    """Delete a thread without questions."""
    left = session.scalar(select(QuestionRow.id).where(QuestionRow.thread_id == thread_id).limit(1))
    row = session.get(ThreadRow, thread_id)
    if left is None and row is not None:
        session.delete(row)


def _titled(title: str) -> dict[str, str]:
    shown = " ".join(title.split())[:MAX_TITLE_CHARACTERS]
    return {"title": shown, "folded": fold(shown)}


def _of_thread(thread_id: str) -> Select[QuestionRow]:
    newest_first = QuestionRow.created_at.desc(), QuestionRow.id.desc()
    return select(QuestionRow).where(QuestionRow.thread_id == thread_id).order_by(*newest_first)


def _turn(session: Session, row: QuestionRow) -> Turn:
    """Return a question with the first sentence of its answer; one without a citation says that nothing is known."""
    answer = answers.last(session, row.id)
    if answer is None or not answer.citations:
        return Turn(question=row.text)
    sentences = answers.to_answer(answer).sentences
    first = first_said(sentences)
    return Turn(question=row.text, answer=first.text if first else "", short_answer=short_answer(sentences) or "")


def _known(session: Session, thread_id: str) -> ThreadRow:
    row = session.get(ThreadRow, thread_id)
    if row is None:
        raise _unknown(thread_id)
    return row


def _unknown(thread_id: str) -> UnknownThread:
    return UnknownThread(f"There is no thread {thread_id!r}.")


def _with_counts(session: Session, rows: Sequence[ThreadRow]) -> list[Thread]:
    counted = select(QuestionRow.thread_id, func.count()).group_by(QuestionRow.thread_id)
    counts = dict(session.execute(counted.where(QuestionRow.thread_id.in_([row.id for row in rows]))).all())
    return [to_value(Thread, row, questions=counts.get(row.id, 0)) for row in rows]
