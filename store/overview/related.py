"""Find questions that what is known may answer too: earlier ones about the same pages, and the answer's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from domain import Status
from store.questions import answers
from store.sql.tables import AnswerRow, EvidenceRow, QuestionRow

#: of those asked before
MOST = 3
_LOOKED_AT = 50


@dataclass(frozen=True, kw_only=True)
class RelatedQuestion:
    """A question that what is known may answer too."""

    question: str
    id: str | None  #: of the question that was asked so before


def related(
    session: Session, question_id: str, stands_alone: Callable[[str, str], bool], owner: str | None = None
) -> list[RelatedQuestion]:
    """Return earlier questions answered from the cited pages, then those that their headings and definitions make.

    Of earlier questions those of an ``owner`` alone; None: everyone's. ``stands_alone`` tells, by its text and its
    language, whether an earlier question is understood without the thread that it was asked in.
    """
    asked, answer = session.get_one(QuestionRow, question_id), answers.last(session, question_id)
    if answer is None or not answer.citations:
        return []
    before = _asked_before(session, asked, answer, owner)
    earlier = [each for each, lang in before if stands_alone(each.question, lang)][:MOST]
    return [*earlier, *(RelatedQuestion(question=each["question"], id=None) for each in answer.related)]


def _asked_before(
    session: Session, asked: QuestionRow, answer: AnswerRow, owner: str | None
) -> list[tuple[RelatedQuestion, str]]:
    """Return earlier questions answered from the pages that an answer cites, each with its language."""
    pages = {int(citation["page_id"]) for citation in answer.citations}
    query = (
        select(QuestionRow.id, QuestionRow.text, QuestionRow.lang)
        .join(AnswerRow, AnswerRow.question_id == QuestionRow.id)
        .join(EvidenceRow, EvidenceRow.answer_id == AnswerRow.id)
        .where(EvidenceRow.page_id.in_(pages), QuestionRow.id != asked.id)
        .where(QuestionRow.status == Status.ANSWERED, QuestionRow.private.is_(False))
        .group_by(QuestionRow.id, QuestionRow.text, QuestionRow.lang, QuestionRow.created_at)
        .order_by(func.count(EvidenceRow.page_id.distinct()).desc(), QuestionRow.created_at.desc())
    )
    if owner is not None:
        query = query.where(QuestionRow.owner == owner)
    found: dict[str, tuple[RelatedQuestion, str]] = {}
    for id, text, lang in session.execute(query.limit(_LOOKED_AT)):
        found.setdefault(text.casefold(), (RelatedQuestion(question=text, id=id), lang))
    found.pop(asked.text.casefold(), None)
    return list(found.values())
