"""Questions, pages and answers in SQL, moved on as the workers would."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from domain import Answer, Citation, PageText, Sentence, Status, Validators
from domain.record import Record
from store.pages import pages
from store.questions import new_questions, records, state
from store.questions.new_questions import NewQuestion
from store.questions.state import Move
from store.questions.trace import LookupDetail
from store.sql import leases
from store.sql.database import Database
from store.sql.tables import PageRow, QuestionRow

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def ask(database: Database, text: str = "Capital of France?", *, at: datetime = NOW, **terms: Any) -> str:
    """Ask as the intake does."""
    with database.write() as session:
        question, _ = new_questions.ask(session, NewQuestion(text=text, **terms), at)
        row = state.lock(session, question.id)
        assert row is not None
        new_questions.start_from_cache_or_run(session, row, at)
    return question.id


def status(database: Database, question_id: str) -> str:
    """The row's own status."""
    with database.read() as session:
        return session.get_one(QuestionRow, question_id).status


def record(database: Database, question_id: str, at: datetime = NOW) -> Record:
    """The record."""
    with database.read() as session:
        return records.read(session, question_id, at)


def move(database: Database, question_id: str, move: Move, *, at: datetime = NOW, step: str = "retrieve") -> bool:
    """Do a step's work; False when the question waits for nobody."""
    with database.write() as session:
        waits = QuestionRow.status == session.get_one(QuestionRow, question_id).status
        lease = leases.claim(session, QuestionRow, question_id, waits, at)
        return lease is not None and state.record(session, lease, move, step=step, started_at=at, now=at)


def page(database: Database, text: str = "Paris is the capital.", *, path: str = "a", at: datetime = NOW) -> int:
    """A page as it was just read and embedded."""
    with database.write() as session:
        page_id, _ = pages.save(
            session,
            url=f"https://example.org/{path}",
            host="https://example.org",
            page=PageText(title="A page", text=text, lang="en"),
            content_hash=f"{path}:{text}",
            validators=Validators(),
            depth=0,
            now=at,
        )
        session.get_one(PageRow, page_id).state = "INDEXED"
    return page_id


def answer(text: str = "Paris.", page_id: int | None = None, quote: str = "Paris is the capital.") -> Answer:
    """An answer that quotes the beginning of a page, or nothing."""
    cited = () if page_id is None else (_citation(page_id, quote),)
    return Answer(text=text, sentences=(Sentence(text=text),), citations=cited, confidence=0.9, composer="extractive")


def answered(page_id: int | None = None, text: str = "Paris.", quote: str = "Paris is the capital.") -> Move:
    """The move that ends a question with an answer."""
    return Move(
        to=Status.ANSWERED, outcome="sufficient", detail=LookupDetail(hits=3), answer=answer(text, page_id, quote)
    )


def abstained() -> Move:
    """The move that ends a question without."""
    return Move(
        to=Status.ABSTAINED, outcome="insufficient", detail=LookupDetail(hits=3), answer=answer("That is not known.")
    )


def provisional(text: str = "Perhaps Paris.") -> Move:
    """The move that gives a provisional answer out and goes on to reading."""
    return Move(to=Status.SEEKING, outcome="insufficient", answer=answer(text))


def _citation(page_id: int, quote: str) -> Citation:
    return Citation(
        marker=1,
        passage_id=f"{page_id}-0",
        page_id=page_id,
        url=f"https://example.org/{page_id}",
        title="A page",
        quote=quote,
        start=0,
        end=len(quote),
    )
