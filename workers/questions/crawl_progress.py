"""Waves of pages read for a question: when one is over, and what it brought."""

from __future__ import annotations

from sqlalchemy.orm import Session

from domain import Question, Status
from store.crawl import candidates
from store.sql.tables import QuestionRow
from workers.questions.crawl_budget import Progress


def status_after_reading(session: Session, question_id: str) -> Status | None:
    """Where a question goes that reads: nowhere while a candidate is unsettled, else to be embedded or asked again."""
    if candidates.count_waiting(session, question_id):
        return None
    return Status.EMBEDDING if candidates.unindexed(session, question_id) else Status.REQUERYING


def progress(session: Session, question: Question) -> Progress:
    """Return how far the question's crawl has come with the wave that is over.

    Looking at a site's front page and lists is no search cycle: nothing was chosen for the question yet.
    """
    wave = [row for row in candidates.of_question(session, question.id) if row.wave == question.waves - 1]
    chosen = any(row.kind == "page" and row.origin != "seed" for row in wave)
    spent = candidates.spent(session, question.id)
    row = session.get_one(QuestionRow, question.id)
    return Progress(
        pages=spent.pages,
        bytes=spent.bytes,
        cycle=question.cycle + (1 if chosen else 0),
        news=any(entry.news for entry in wave),
        exhausted=row.stop_reason or "",
    )
