"""Store the revisions of a question's answer, find them and related questions, copy them to equal questions.

The evidence of a final answer is the pages that it cites, with their content hashes. A changed page makes it stale.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, fields, replace
from datetime import datetime, timedelta
from typing import Any, cast

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Select, Table, bindparam, func, insert, literal, or_, select
from sqlalchemy.orm import Session, aliased

from domain import Answer, Cost, Question, Status, Verdict
from domain.answer import ABSTENTION, EXTRACTIVE
from domain.filters import fits
from domain.published import described, published
from domain.record import ContextHit
from store.crawl import sources
from store.pages.deletion import not_deleted
from store.pages.visibility import under, visible_to
from store.sql.rows import jsonable, update_rows
from store.sql.tables import AnswerRow, EvidenceRow, IndexState, PageRow, QuestionRow, UtcDateTime

#: of those asked before
MOST = 3
_LOOKED_AT = 50
_ANSWER = TypeAdapter(Answer)
_ANSWERS, _EVIDENCE = (cast(Table, each.__table__) for each in (AnswerRow, EvidenceRow))


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
    values = answer.structured.fields if answer.structured else ()
    of_form = {each.citation.page_id for each in values if each.citation}
    # others were deleted while this answer was being made
    held = not_deleted(session, [*map(_page_of, context), *of_form])
    context = [hit for hit in context if _page_of(hit) in held]
    related = tuple(each for each in answer.related if each.page_id in held)
    answer = replace(answer, related=related, structured=answer.structured if of_form <= held else None)
    row = AnswerRow(
        question_id=question_id,
        revision=last_revision(session, question_id) + 1,
        provisional=not final,
        context=[asdict(hit) for hit in context],
        verdict=asdict(verdict) if verdict else {},
        created_at=now,
        **jsonable(asdict(answer)),
    )
    session.add(row)
    session.flush()
    if final:
        save_evidence(session, row, now)
    return row


def copy_to(session: Session, answer_id: int, question_ids: Sequence[str], now: datetime) -> None:
    """Save an answer as the next revision of other questions, with its evidence and at no cost."""
    if question_ids:
        copied = session.scalars(_COPY, {"answer": answer_id, "questions": question_ids, "now": now}).all()
        session.execute(_COPY_EVIDENCE, {"answer": answer_id, "copied": copied})


def to_answer(row: AnswerRow) -> Answer:
    """Return a revision as a plain value, without what it cost; fields that older rows lack have defaults."""
    stored = {each.name: getattr(row, each.name) for each in fields(Answer) if each.name != "cost"}
    return _ANSWER.validate_python(stored | {"structured": row.structured or None})


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
    return session.scalar(_LAST_REVISION, {"question": question_id}) or 0


_LAST_REVISION = select(func.max(AnswerRow.revision)).where(AnswerRow.question_id == bindparam("question"))


def _page_of(hit: ContextHit) -> int:
    number = hit.passage_id.partition("-")[0]
    return int(number) if number.isdigit() else 0


def _copy() -> Any:
    """Return the statement that copies an answer: the database does, which need not read its JSON."""
    own, answer = aliased(AnswerRow), _ANSWERS.c
    last = select(func.max(own.revision)).where(own.question_id == QuestionRow.id).scalar_subquery()
    changed = {
        "question_id": QuestionRow.id,
        "revision": func.coalesce(last, 0) + 1,
        "cost": literal(asdict(Cost()), answer.cost.type),
        "created_at": bindparam("now", type_=UtcDateTime),
    }
    columns = {column.key: changed.get(column.key, column) for column in answer if column.key != "id"}
    copies = select(*columns.values()).select_from(QuestionRow).join(AnswerRow, AnswerRow.id == bindparam("answer"))
    copies = copies.where(QuestionRow.id.in_(bindparam("questions", expanding=True)))
    return insert(_ANSWERS).from_select(list(columns), copies).returning(AnswerRow.id)


def _copy_evidence() -> Any:
    cited = select(AnswerRow.id, EvidenceRow.page_id, EvidenceRow.content_hash)
    cited = cited.join(EvidenceRow, EvidenceRow.answer_id == bindparam("answer"))
    of_each = cited.where(AnswerRow.id.in_(bindparam("copied", expanding=True)))
    return insert(_EVIDENCE).from_select(["answer_id", "page_id", "content_hash"], of_each)


_COPY, _COPY_EVIDENCE = _copy(), _copy_evidence()


@published
class RelatedQuestion:
    """A question that what is known may answer too."""

    question: str
    id: str | None = described("Of the question that was asked so before; null: it was not asked yet.")


def related(
    session: Session, question_id: str, stands_alone: Callable[[str, str], bool], owner: str | None = None
) -> list[RelatedQuestion]:
    """Return earlier questions answered from the cited pages, then those that their headings and definitions make.

    Of earlier questions those of an ``owner`` alone; None: everyone's. ``stands_alone`` tells, by its text and its
    language, whether an earlier question is understood without the thread that it was asked in.
    """
    asked, answer = session.get_one(QuestionRow, question_id), last(session, question_id)
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


def save_evidence(session: Session, answer: AnswerRow, now: datetime) -> None:
    """Save the pages a final answer cites; an answer that its pages do not bear out any more is stale at once.

    Their texts may have changed since they were searched, and so may the metadata that the question filters by.
    """
    # each value of a form was looked up by itself, perhaps on other pages
    of_form = [each["citation"] for each in (answer.structured or {}).get("fields", ()) if each["citation"]]
    cited = {int(citation["page_id"]) for citation in (*answer.citations, *of_form)}
    # shared locks: a page that is changed from now on finds this evidence when it comes to mark answers stale
    pages = select(PageRow).where(PageRow.id.in_(cited)).order_by(PageRow.id).with_for_update(read=True)
    held = {page.id: page for page in session.scalars(pages)}
    for page_id in cited:
        content_hash = held[page_id].content_hash if page_id in held else ""
        session.add(EvidenceRow(answer_id=answer.id, page_id=page_id, content_hash=content_hash))
    filters = session.get_one(QuestionRow, answer.question_id).overrides.get("filters", ())
    if not all(_is_verbatim(citation, held.get(int(citation["page_id"]))) for citation in answer.citations) or not all(
        fits(page.tags, filters) for page in held.values()
    ):
        answer.stale_at = now  # a page changed while the answer was composed
    session.flush()


def mark_stale(session: Session, page_ids: Sequence[int], now: datetime) -> int:
    """Mark the answers stale that cite one of these pages as it no longer is; returns how many became so."""
    citing = select(EvidenceRow.answer_id).join(PageRow, PageRow.id == EvidenceRow.page_id)
    outdated = citing.where(EvidenceRow.page_id.in_(page_ids), _changed())
    return update_rows(session, AnswerRow, AnswerRow.id.in_(outdated), AnswerRow.stale_at.is_(None), stale_at=now)


def is_borne_out(read_after: Any) -> ColumnElement[bool]:
    """Return whether an answer cites a page, and every cited page is unchanged and was seen after ``read_after``."""
    cited = select(EvidenceRow.page_id).where(EvidenceRow.answer_id == AnswerRow.id)
    holds = ~_changed() & (PageRow.checked_at >= read_after)  # a page that is gone has changed
    held = select(PageRow.id).where(PageRow.id == EvidenceRow.page_id, holds).exists()
    return cited.exists() & ~cited.where(~held).exists()


def read_since(session: Session, since: datetime, question: QuestionRow | None = None) -> bool:
    """Return whether a page got a text, was indexed, vanished or became public since, or waits.

    Of a ``question`` only pages that it may see count and, if it names any, those of its sites.
    """
    if not session.scalar(_ANY_NEWS, {"since": since}):
        return False
    if question is None:
        return True
    where = [visible_to(question.id)]
    if question.sites:
        page_only = bool(question.overrides.get("only_pages"))
        where.append(under(PageRow.url, sources.scopes(session, question.sites, page_only=page_only)))
    return bool(session.scalar(_news(*where), {"since": since}))


def _news(*where: ColumnElement[bool]) -> Select[tuple[bool]]:
    kinds = (
        PageRow.read_at > _SINCE,
        PageRow.indexed_at > _SINCE,  # what was read before, but could not be found yet
        PageRow.gone_at > _SINCE,
        PageRow.shared_at > _SINCE,
        PageRow.state == IndexState.FETCHED,
    )
    # each kind of news by itself: SQLite goes through every page for any of them
    return select(or_(*(select(PageRow.id).where(each, *where).exists() for each in kinds)))


_SINCE = bindparam("since", type_=UtcDateTime)
_ANY_NEWS = _news()


def oldest(max_age_s: int | None, now: datetime) -> datetime | None:
    """Return since when a page must have been read for its text to count; None: at any time."""
    return None if max_age_s is None else now - timedelta(seconds=max_age_s)


def oldest_for(question: Question, now: datetime) -> datetime | None:
    """Return since when a page must have been read for a question; its own crawl's pages count to its end."""
    return oldest(question.max_age_s, question.crawl_started_at or now)


def _changed() -> Any:
    return (EvidenceRow.content_hash != PageRow.content_hash) | PageRow.gone_at.is_not(None)


def _is_verbatim(citation: dict[str, Any], page: PageRow | None) -> bool:
    """Return whether a citation's quote is in its page, at its position."""
    if page is None or page.gone_at is not None:
        return False
    return bool(page.text[citation["start"] : citation["end"]] == citation["quote"])
