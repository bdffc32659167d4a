"""Find questions that what is known may answer too: earlier ones about the same pages, and those pages' headings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from domain import Status
from store.questions import answers
from store.sql.tables import AnswerRow, EvidenceRow, PageRow, QuestionRow

#: of each kind
MOST = 3
#: characters of a heading that says what its section is about
SHORTEST, LONGEST = 4, 60
_LOOKED_AT = 50


@dataclass(frozen=True, kw_only=True)
class RelatedQuestion:
    """A question that what is known may answer too."""

    question: str
    id: str | None  #: of the question that was asked so before


def related(session: Session, question_id: str) -> list[RelatedQuestion]:
    """Return earlier questions answered from the cited pages, then the sections around the quotes as questions."""
    asked, answer = session.get_one(QuestionRow, question_id), answers.last(session, question_id)
    if answer is None or not answer.citations:
        return []
    earlier = _asked_before(session, asked, answer)
    return [*earlier, *_sections(session, answer, asked.lang)]


def _asked_before(session: Session, asked: QuestionRow, answer: AnswerRow) -> list[RelatedQuestion]:
    pages = {int(citation["page_id"]) for citation in answer.citations}
    query = (
        select(QuestionRow.id, QuestionRow.text)
        .join(AnswerRow, AnswerRow.question_id == QuestionRow.id)
        .join(EvidenceRow, EvidenceRow.answer_id == AnswerRow.id)
        .where(EvidenceRow.page_id.in_(pages), QuestionRow.id != asked.id)
        .where(QuestionRow.status == Status.ANSWERED, QuestionRow.private.is_(False))
        .group_by(QuestionRow.id, QuestionRow.text, QuestionRow.created_at)
        .order_by(func.count(EvidenceRow.page_id.distinct()).desc(), QuestionRow.created_at.desc())
    )
    found = {asked.text.casefold(): RelatedQuestion(question=asked.text, id=asked.id)}
    for id, text in session.execute(query.limit(_LOOKED_AT)):
        found.setdefault(text.casefold(), RelatedQuestion(question=text, id=id))
    return list(found.values())[1 : MOST + 1]


def _sections(session: Session, answer: AnswerRow, lang: str) -> list[RelatedQuestion]:
    """Return the headings nearest to the first quote as questions, in the order of the page."""
    first = answer.citations[0]
    page = session.get(PageRow, int(first["page_id"]))
    if page is None:
        return []
    every = [(int(at), str(text).strip()) for at, text in page.headings]
    own = {max((at for at, _ in every if at <= int(one["start"])), default=-1) for one in answer.citations}
    headings = [
        (at, text) for at, text in every if SHORTEST <= len(text) <= LONGEST and at not in own and text != page.title
    ]
    nearest = sorted(headings, key=lambda heading: abs(heading[0] - int(first["start"])))[:MOST]
    texts: Sequence[str] = list(dict.fromkeys(text for _, text in sorted(nearest)))
    return [RelatedQuestion(question=_as_question(text, page.title, lang), id=None) for text in texts]


def _as_question(heading: str, title: str, lang: str) -> str:
    if heading.endswith("?"):
        return heading
    return f"What does “{title}” say about “{heading}”?" if lang in ("", "en") else f"{heading} – {title}"
