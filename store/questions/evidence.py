"""Store the evidence of an answer: the pages it cites and their content hashes. A changed page makes it stale."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, insert, select
from sqlalchemy.orm import Session

from domain import Question
from store.crawl import sources
from store.pages.visibility import under, visible_to
from store.sql.rows import update_rows
from store.sql.tables import AnswerRow, EvidenceRow, IndexState, PageRow, QuestionRow


def save(session: Session, answer: AnswerRow, now: datetime) -> None:
    """Save the pages a final answer cites; an answer whose quotes are not in their pages any more is stale at once."""
    cited = {int(citation["page_id"]) for citation in (*answer.citations, *_of_form(answer))}
    # shared locks: a page that is changed from now on finds this evidence when it comes to mark answers stale
    pages = session.scalars(
        select(PageRow).where(PageRow.id.in_(cited)).order_by(PageRow.id).with_for_update(read=True)
    )
    held = {page.id: page for page in pages}
    session.add_all(
        EvidenceRow(
            answer_id=answer.id, page_id=page_id, content_hash=held[page_id].content_hash if page_id in held else ""
        )
        for page_id in cited
    )
    if not all(_is_verbatim(citation, held.get(int(citation["page_id"]))) for citation in answer.citations):
        answer.stale_at = now  # a page changed while the answer was composed
    session.flush()


def _of_form(answer: AnswerRow) -> list[dict[str, Any]]:
    """Return where the values of an answer's form stand: each was looked up by itself, perhaps on other pages."""
    fields = (answer.structured or {}).get("fields", ())
    return [each["citation"] for each in fields if each["citation"]]


def copy(session: Session, answer_id: int, to_answer_ids: Sequence[int]) -> None:
    """Give other answers the same evidence."""
    cited = select(AnswerRow.id, EvidenceRow.page_id, EvidenceRow.content_hash)
    of_each = cited.join(EvidenceRow, EvidenceRow.answer_id == answer_id).where(AnswerRow.id.in_(to_answer_ids))
    session.execute(insert(EvidenceRow).from_select(["answer_id", "page_id", "content_hash"], of_each))


def mark_stale(session: Session, page_ids: Sequence[int], now: datetime) -> int:
    """Mark the answers stale that cite one of these pages as it no longer is; returns how many became so."""
    outdated = (
        select(EvidenceRow.answer_id)
        .join(PageRow, PageRow.id == EvidenceRow.page_id)
        .where(EvidenceRow.page_id.in_(page_ids), _changed())
    )
    return update_rows(session, AnswerRow, AnswerRow.id.in_(outdated), AnswerRow.stale_at.is_(None), stale_at=now)


def is_current(session: Session, answer: AnswerRow, *, read_after: datetime | None) -> bool:
    """Return whether the answer cites a page, and every cited page is unchanged and was seen after ``read_after``."""
    if answer.stale_at is not None:
        return False
    holds = PageRow.id.is_not(None) & ~_changed()
    if read_after is not None:
        holds &= PageRow.checked_at >= read_after  # a page that is gone has changed
    cited = select(holds).select_from(EvidenceRow).outerjoin(PageRow, PageRow.id == EvidenceRow.page_id)
    found = session.scalars(cited.where(EvidenceRow.answer_id == answer.id)).all()
    return bool(found) and all(found)


def read_since(session: Session, question: QuestionRow, since: datetime) -> bool:
    """Return whether a page that a question may see got a text, was indexed, vanished or became public since, or waits.

    Only the pages of the question's sites count, if it names any.
    """
    where = [visible_to(question.id)]
    if question.sites:
        page_only = bool(question.overrides.get("only_pages"))
        where.append(under(PageRow.url, sources.scopes(session, question.sites, page_only=page_only)))
    return _any_news(session, since, *where)


def anything_since(session: Session, since: datetime) -> bool:
    """Return whether any page, whoever may see it, got a text, was indexed, vanished or became public since."""
    return _any_news(session, since)


def oldest(max_age_s: int | None, now: datetime) -> datetime | None:
    """Return since when a page must have been read for its text to count; None: at any time."""
    return None if max_age_s is None else now - timedelta(seconds=max_age_s)


def oldest_for(question: Question, now: datetime) -> datetime | None:
    """Return since when a page must have been read for a question; its own crawl's pages count to its end."""
    return oldest(question.max_age_s, question.crawl_started_at or now)


def _any_news(session: Session, since: datetime, *where: ColumnElement[bool]) -> bool:
    """Ask for each kind of news by itself: SQLite goes through every page for any of them."""
    news = (
        PageRow.read_at > since,
        PageRow.indexed_at > since,  # what was read before, but could not be found yet
        PageRow.gone_at > since,
        PageRow.shared_at > since,
        PageRow.state == IndexState.FETCHED,
    )
    return any(session.scalar(select(PageRow.id).where(each, *where).limit(1)) is not None for each in news)


def _changed() -> Any:
    return (EvidenceRow.content_hash != PageRow.content_hash) | PageRow.gone_at.is_not(None)


def _is_verbatim(citation: dict[str, Any], page: PageRow | None) -> bool:
    """Return whether a citation's quote is in its page, at its position."""
    return (
        page is not None
        and page.gone_at is None
        and page.text[citation["start"] : citation["end"]] == citation["quote"]
    )
