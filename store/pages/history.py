"""Store the history of a page: the result of each visit, and the texts that it had before its present one.

The same result again only raises the last one's count.
"""

from datetime import datetime

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from domain import ReadOutcome
from domain.site import PageCheck, PageVersion
from store.sql.rows import delete_rows, to_value
from store.sql.tables import PageCheckRow, PageRow, PageVersionRow

#: findings, and former texts, kept of a page; the oldest go first
MAX_VISITS, MAX_VERSIONS = 100, 5


def add(
    session: Session,
    page_id: int,
    *,
    outcome: ReadOutcome,
    status: int | None,
    content_hash: str,
    now: datetime,
    reason: str = "",
) -> None:
    """Add the result of a visit to a page's history."""
    latest = session.scalar(_visits(page_id).limit(1))
    found = {"outcome": outcome, "status": status, "content_hash": content_hash, "reason": reason}
    if latest is not None and all(getattr(latest, name) == value for name, value in found.items()):
        latest.times, latest.last_at = latest.times + 1, now
        return
    session.add(PageCheckRow(page_id=page_id, times=1, first_at=now, last_at=now, **found))
    session.flush()
    oldest = session.scalar(_visits(page_id).offset(MAX_VISITS).limit(1))
    if oldest is not None:
        delete_rows(session, PageCheckRow, PageCheckRow.page_id == page_id, PageCheckRow.id <= oldest.id)


def moved_to(url: str) -> str:
    """Return the reason why a page is gone whose URL leads to another one."""
    return f"it leads to {url} now"


def visits_of(session: Session, page_id: int) -> list[PageCheck]:
    """Return the visits of a page, the latest first."""
    return [to_value(PageCheck, row) for row in session.scalars(_visits(page_id))]


def _visits(page_id: int) -> Select[PageCheckRow]:
    return select(PageCheckRow).where(PageCheckRow.page_id == page_id).order_by(PageCheckRow.id.desc())


def keep(session: Session, row: PageRow) -> None:
    """Keep a page's present text as a former one, before it gets another."""
    said = {name: getattr(row, name) for name in ("title", "text", "content_hash", "published", "read_at")}
    session.add(PageVersionRow(page_id=row.id, number=row.generation, **said))
    session.flush()
    is_old = PageVersionRow.number <= row.generation - MAX_VERSIONS
    delete_rows(session, PageVersionRow, PageVersionRow.page_id == row.id, is_old)


def versions_of(session: Session, row: PageRow) -> list[PageVersion]:
    """Return the texts of a page that are kept, the present one first; what each said is left out."""
    query = select(PageVersionRow).where(PageVersionRow.page_id == row.id).order_by(PageVersionRow.number.desc())
    return [_version(row, row.generation), *(_version(kept, kept.number) for kept in session.scalars(query))]


def version(session: Session, row: PageRow, number: int) -> tuple[PageVersion, str] | None:
    """Return a version of a page with its text; None where it is not kept."""
    if number == row.generation:
        return _version(row, number), row.text
    found = session.get(PageVersionRow, (row.id, number))
    return None if found is None else (_version(found, number), found.text)


def _version(row: PageRow | PageVersionRow, number: int) -> PageVersion:
    return to_value(PageVersion, row, number=number, characters=len(row.text))
