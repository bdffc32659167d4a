"""Store the revisions of a question's answer, find them, and copy them to equal questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from domain import Answer, Cost, Verdict
from domain.answer import ABSTENTION, EXTRACTIVE
from domain.record import ContextHit
from store.pages.deletion import not_deleted
from store.questions import evidence
from store.sql.rows import jsonable
from store.sql.tables import AnswerRow


def add(
    session: Session,
    question_id: str,
    answer: Answer,
    *,
    verdict: Verdict | None,
    context: Sequence[ContextHit],
    final: bool,
    now: datetime,
) -> AnswerRow:
    """Save an answer as the question's next revision; a final one with its evidence."""
    fields = answer.structured.fields if answer.structured else ()
    of_form = {field.citation.page_id for field in fields if field.citation}
    # others were deleted while this answer was being made
    held = not_deleted(session, [*map(_page_of, context), *of_form])
    context = [hit for hit in context if _page_of(hit) in held]
    row = AnswerRow(
        question_id=question_id,
        revision=last_revision(session, question_id) + 1,
        provisional=not final,
        text=answer.text,
        sentences=[asdict(sentence) for sentence in answer.sentences],
        citations=[jsonable(asdict(citation)) for citation in answer.citations],
        context=[asdict(hit) for hit in context],
        confidence=answer.confidence,
        composer=answer.composer,
        notice=answer.notice,
        related=[asdict(each) for each in answer.related if each.page_id in held],
        structured=jsonable(asdict(answer.structured)) if answer.structured and of_form <= held else None,
        verdict=asdict(verdict) if verdict else {},
        cost=asdict(answer.cost),
        created_at=now,
    )
    session.add(row)
    session.flush()
    if final:
        evidence.save(session, row, now)
    return row


def copy_to(session: Session, answer: AnswerRow, question_ids: Sequence[str], now: datetime) -> None:
    """Save an answer as the next revision of other questions, with its evidence and at no cost."""
    if not question_ids:
        return
    revisions = _last_revisions(session, question_ids)
    rows = [_copy(answer, id, revisions.get(id, 0) + 1, now) for id in question_ids]
    session.add_all(rows)
    session.flush()
    if not answer.provisional:
        evidence.copy(session, answer.id, [row.id for row in rows])


def last(session: Session, question_id: str, *, without_models: bool = False) -> AnswerRow | None:
    """Return the question's latest answer, final or not; on request none that a model wrote and that is not final."""
    query = select(AnswerRow).where(AnswerRow.question_id == question_id)
    if without_models:
        query = query.where(AnswerRow.composer.in_((EXTRACTIVE, ABSTENTION)) | ~AnswerRow.provisional)
    return session.scalar(query.order_by(AnswerRow.revision.desc()).limit(1))


def at_revision(session: Session, question_id: str, revision: int) -> AnswerRow | None:
    """Return one revision of the question's answer."""
    return session.scalar(select(AnswerRow).where(AnswerRow.question_id == question_id, AnswerRow.revision == revision))


def last_revision(session: Session, question_id: str) -> int:
    """Return the number of the question's latest revision; 0 without an answer."""
    return _last_revisions(session, [question_id]).get(question_id, 0)


def _page_of(hit: ContextHit) -> int:
    number = hit.passage_id.partition("-")[0]
    return int(number) if number.isdigit() else 0


def _last_revisions(session: Session, question_ids: Sequence[str]) -> dict[str, int]:
    latest = select(AnswerRow.question_id, func.max(AnswerRow.revision)).where(AnswerRow.question_id.in_(question_ids))
    return {row[0]: row[1] for row in session.execute(latest.group_by(AnswerRow.question_id))}


def _copy(answer: AnswerRow, question_id: str, revision: int, now: datetime) -> AnswerRow:
    same = {column.key: getattr(answer, column.key) for column in AnswerRow.__table__.c if column.key != "id"}
    changed = {"question_id": question_id, "revision": revision, "cost": asdict(Cost()), "created_at": now}
    return AnswerRow(**(same | changed))
