"""List what was read, and what was not and why, by address and in parts."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, bindparam, func, literal, null, or_, select, union_all
from sqlalchemy.orm import Session, aliased

from domain import ReadOutcome
from domain.file import SCHEME, is_file_address
from domain.site import PageKind, PageSummary, SiteScope
from store.crawl.candidates import CandidateStatus
from store.pages.visibility import under
from store.sql.rows import to_value
from store.sql.tables import CandidateRow, DocumentRow, IndexState, PageCheckRow, PageRow

_CHARACTERS = func.coalesce(PageRow.characters, func.length(PageRow.text))
#: of what is listed of a page, all but its text
_SHOWN = (
    *(PageRow.id, PageRow.url, PageRow.title, PageRow.lang, PageRow.published, PageRow.read_at, PageRow.checked_at),
    *(PageRow.next_due, PageRow.private, PageRow.gone_at, PageRow.duplicate_of, PageRow.is_hub, PageRow.state),
    *(PageRow.error, PageRow.missed_as, PageRow.missing, PageRow.tags, _CHARACTERS.label("characters")),
)
_KNOWN = select(PageRow.url, PageRow.id.label("page_id"), null().label("candidate_id"))
_IDS: Any = bindparam("ids", expanding=True)
_WHOLE, _URLS = (select(*columns).where(PageRow.id.in_(_IDS)) for columns in (_SHOWN, (PageRow.id, PageRow.url)))
_TRIED = select(CandidateRow).where(CandidateRow.id.in_(_IDS))
_LAST = select(func.max(PageCheckRow.id)).where(PageCheckRow.page_id.in_(_IDS)).group_by(PageCheckRow.page_id)
#: what the last visit of each page said
_REASONS = select(PageCheckRow.page_id, PageCheckRow.reason).where(PageCheckRow.id.in_(_LAST))


def list_pages(
    session: Session,
    *,
    below: Sequence[Sequence[str | SiteScope]] = (),
    since: datetime | None = None,
    kind: PageKind | None = None,
    not_read: bool = False,
    stale: bool = False,
    text: str = "",
    after: str = "",
    limit: int = 100,
) -> list[PageSummary]:
    """Return the pages behind the address ``after``, by address: those below a site of each ``below``, read ``since``.

    With ``text``, only those that have it in URL or title; with ``stale``, those whose last look did not read them.

    ``not_read``: instead what answers cannot be drawn from, read or not, with the reason.
    """
    found: Any = _bound(_KNOWN, PageRow.url, below, kind, after).where(PageRow.deleted_at.is_(None))
    if text:
        found = found.where(or_(*(column.icontains(text, autoescape=True) for column in (PageRow.url, PageRow.title))))
    if since is not None:
        found = found.where(PageRow.read_at >= since)
    if stale:
        found = found.where(PageRow.missed_as != "", PageRow.gone_at.is_(None))
    rows: Any = found.order_by(PageRow.url).limit(limit)
    if not_read:
        left = (PageRow.gone_at.is_not(None), PageRow.duplicate_of.is_not(None), PageRow.is_hub)
        found = found.where(or_(*left, PageRow.state != IndexState.INDEXED))
        unread = _bound(_unread(since), CandidateRow.url, below, kind, after)
        unread = unread.where(CandidateRow.url.icontains(text, autoescape=True))
        both = union_all(found, unread).subquery()
        rows = select(both).order_by(both.c.url).limit(limit)
    chosen = session.execute(rows).all()
    pages = _pages(session, [row.page_id for row in chosen if row.page_id is not None])
    tried = [row.candidate_id for row in chosen if row.candidate_id]
    candidates = {row.id: _of_candidate(row) for row in session.scalars(_TRIED, {"ids": tried})} if tried else {}
    return [pages[row.page_id] if row.page_id is not None else candidates[row.candidate_id] for row in chosen]


def _unread(since: datetime | None) -> Any:
    """Return the query for what was tried and brought no page: the latest try of each URL."""
    page = aliased(PageRow)
    known = select(page.id).where(page.url == CandidateRow.url)
    query = select(CandidateRow.url, literal(None).label("page_id"), func.max(CandidateRow.id).label("candidate_id"))
    query = query.where(
        CandidateRow.status == CandidateStatus.SETTLED,
        CandidateRow.page_id.is_(None),
        CandidateRow.kind == "page",
        or_(CandidateRow.outcome.is_(None), CandidateRow.outcome != ReadOutcome.READ),
        ~known.exists(),
    )
    if since is not None:
        query = query.where(CandidateRow.settled_at >= since)
    return query.group_by(CandidateRow.url)


def _bound(query: Any, url: Any, below: Sequence[Sequence[str | SiteScope]], kind: PageKind | None, after: str) -> Any:
    query = query.where(url > after)
    for sites in below:
        query = query.where(under(url, sites))
    if kind is not None:
        of_document = url.in_(select(PageRow.url).join(DocumentRow, DocumentRow.page_id == PageRow.id))
        of_file = url.startswith(SCHEME, autoescape=True)
        kinds = {"document": of_document, "file": of_file & ~of_document, "web": ~of_file & ~of_document}
        query = query.where(kinds[kind])
    return query


def _pages(session: Session, ids: Sequence[int]) -> dict[int, PageSummary]:
    rows = session.execute(_WHOLE, {"ids": ids}).all()
    same = [row.duplicate_of for row in rows if row.duplicate_of is not None]
    others = dict[int, str](session.execute(_URLS, {"ids": same}).all()) if same else {}
    missed = [row.id for row in rows if row.gone_at is not None or row.missed_as]
    reasons = dict[int, str](session.execute(_REASONS, {"ids": missed}).all()) if missed else {}
    return {row.id: _of_page(row, others, reasons) for row in rows}


def _of_page(row: Row[Any], others: dict[int, str], reasons: dict[int, str]) -> PageSummary:
    state, reason = "held", ""
    if row.gone_at is not None:
        state, reason = "gone", reasons.get(row.id, "")
    elif row.duplicate_of is not None:
        state, reason = "duplicate", f"the same text as {others.get(row.duplicate_of, 'another page')}"
    elif row.is_hub:
        state, reason = "links", "most of it is links"
    elif row.state != IndexState.INDEXED:
        state, reason = ("waiting", "") if row.state == IndexState.FETCHED else ("failed", row.error or "")
    elif row.missed_as:
        state, reason = "stale", reasons.get(row.id, "")
    elif row.missing:
        reason = f"read in part: without {', '.join(row.missing)}"
    kind = "document" if row.tags else _kind(row.url)
    return to_value(PageSummary, row, kind=kind, state=state, reason=reason or None, stale_since=stale_since(row))


def stale_since(row: PageRow | Row[Any]) -> datetime | None:
    """Return when a page was last read whose later looks did not read it; None for others."""
    return row.checked_at if row.missed_as and row.gone_at is None else None


def _of_candidate(row: CandidateRow) -> PageSummary:
    given = {"kind": _kind(row.url), "state": row.outcome or "skipped", "reason": row.reason or None}
    absent = {"id": None, "lang": "", "characters": 0, "published": None, "read_at": None, "next_due": None}
    return to_value(PageSummary, row, title=row.text, checked_at=row.settled_at, private=False, **given, **absent)


def _kind(url: str) -> PageKind:
    return "file" if is_file_address(url) else "web"
