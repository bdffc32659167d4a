"""Store the history of a page: the result of each visit. The same result again only raises the last one's count."""

from datetime import datetime

from sqlalchemy import Select, delete, select
from sqlalchemy.orm import Session

from domain import ReadOutcome
from domain.site import PageCheck
from store.sql.rows import to_value
from store.sql.tables import PageCheckRow

#: findings kept of a page; the oldest go first
MAX_KEPT = 100


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
    latest = session.scalar(_of(page_id).limit(1))
    found = (outcome, status, content_hash, reason)
    if latest is not None and found == (latest.outcome, latest.status, latest.content_hash, latest.reason):
        latest.times, latest.last_at = latest.times + 1, now
        return
    session.add(
        PageCheckRow(
            page_id=page_id,
            outcome=outcome,
            status=status,
            content_hash=content_hash,
            reason=reason,
            times=1,
            first_at=now,
            last_at=now,
        )
    )
    session.flush()
    oldest = session.scalar(_of(page_id).offset(MAX_KEPT).limit(1))
    if oldest is not None:
        session.execute(delete(PageCheckRow).where(PageCheckRow.page_id == page_id, PageCheckRow.id <= oldest.id))


def moved_to(url: str) -> str:
    """Return the reason why a page is gone whose URL leads to another one."""
    return f"it leads to {url} now"


def of_page(session: Session, page_id: int) -> list[PageCheck]:
    """Return the visits of a page, the latest first."""
    return [to_value(PageCheck, row) for row in session.scalars(_of(page_id))]


def _of(page_id: int) -> Select[PageCheckRow]:
    return select(PageCheckRow).where(PageCheckRow.page_id == page_id).order_by(PageCheckRow.id.desc())
