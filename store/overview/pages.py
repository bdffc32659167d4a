"""List stored pages for their operator, and the URLs of which no text is stored with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from domain import WITH_TEXT, ReadOutcome
from store.sql.rows import to_value
from store.sql.tables import CandidateRow, IndexState, PageRow

#: unread URLs that are looked through for the latest of each
_LOOKED_AT = 1_000


@dataclass(frozen=True, kw_only=True)
class ListedPage:
    """A stored page without its text."""

    id: int
    url: str
    title: str
    lang: str
    characters: int
    read_at: datetime
    checked_at: datetime
    next_due: datetime
    is_gone: bool
    in_knowledge_base: bool
    why_not: str  #: why no answer is drawn from it


@dataclass(frozen=True, kw_only=True)
class UnreadPage:
    """A URL that was looked at, and of which no text is stored."""

    url: str
    outcome: str
    reason: str | None
    at: datetime


def read_pages(session: Session, *, text: str = "", before: int | None = None, limit: int = 50) -> list[ListedPage]:
    """Return pages, the newest first: those with the text in URL or title, and with ids below ``before``."""
    query = select(PageRow, func.length(PageRow.text)).where(PageRow.deleted_at.is_(None), *_holds(text))
    if before is not None:
        query = query.where(PageRow.id < before)
    rows = session.execute(query.order_by(PageRow.id.desc()).limit(limit))
    return [_listed(row, characters) for row, characters in rows]


def unread_pages(session: Session, *, text: str = "", limit: int = 50) -> list[UnreadPage]:
    """Return URLs of pages that could not be read, the latest first; sitemaps and feeds are none."""
    query = select(CandidateRow).where(
        CandidateRow.kind == "page",
        CandidateRow.outcome.is_not(None),
        CandidateRow.outcome.not_in([*WITH_TEXT, ReadOutcome.SKIPPED]),
        CandidateRow.url.not_in(select(PageRow.url).where(PageRow.gone_at.is_(None))),
    )
    if text:
        query = query.where(CandidateRow.url.icontains(text, autoescape=True))
    rows = session.scalars(query.order_by(CandidateRow.id.desc()).limit(_LOOKED_AT))
    latest = {row.url: row for row in reversed(list(rows))}
    newest = sorted(latest.values(), key=lambda row: row.id, reverse=True)[:limit]
    return [to_value(UnreadPage, row, outcome=row.outcome or "", at=row.settled_at or row.created_at) for row in newest]


def _holds(text: str) -> Sequence[ColumnElement[bool]]:
    if not text:
        return ()
    return (or_(PageRow.url.icontains(text, autoescape=True), PageRow.title.icontains(text, autoescape=True)),)


def _listed(row: PageRow, characters: int) -> ListedPage:
    why_not = _why_not(row)
    return to_value(
        ListedPage,
        row,
        characters=characters,
        is_gone=row.gone_at is not None,
        in_knowledge_base=not why_not and row.state == IndexState.INDEXED,
        why_not=why_not,
    )


def _why_not(row: PageRow) -> str:
    if row.gone_at is not None:
        return "It is gone from its site."
    if row.duplicate_of is not None:
        return "Another page says the same, and stands for it."
    if row.is_hub:
        return "It holds little but links, which are followed."
    if row.state == IndexState.FAILED:
        return f"It could not be taken into the knowledge base: {row.error or 'no reason was kept'}"
    return ""
