"""Store the reading of whole sites: the limits and the progress of each."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from domain import ReadOutcome
from domain.errors import WellreadError
from domain.site import SiteRead, SiteReadStatus
from store.crawl import site_frontier
from store.crawl.candidates import CandidateOutcome
from store.sql.rows import to_value
from store.sql.tables import CandidateRow, IndexState, PageRow, SiteReadRow


class UnknownSiteRead(WellreadError):
    """No such site is, or was, being read."""


class SiteReadOver(WellreadError):
    """The site read has ended."""


@dataclass(frozen=True, kw_only=True)
class NewSiteRead:
    """A site to be read."""

    url: str  #: canonical
    prefix: str  #: what its pages' URLs begin with
    max_pages: int
    max_depth: int
    again: bool = True  #: whether pages that were read before are looked at too
    source_id: int | None = None  #: whose schedule asked for it


def start(session: Session, new: NewSiteRead, now: datetime) -> tuple[SiteReadRow, bool]:
    """Save a site read; return it and whether it is new: an unfinished one of the same site is used again."""
    unfinished = SiteReadRow.status.in_((SiteReadStatus.RUNNING, SiteReadStatus.PAUSED))
    open_now = select(SiteReadRow).where(SiteReadRow.prefix == new.prefix, unfinished, SiteReadRow.again == new.again)
    row = session.scalar(open_now.order_by(SiteReadRow.id).limit(1).with_for_update())
    if row is not None:
        return row, False
    row = SiteReadRow(**asdict(new), status=SiteReadStatus.RUNNING, running_since=now, created_at=now)
    session.add(row)
    session.flush()
    return row, True


def lock(session: Session, site_read_id: int) -> SiteReadRow | None:
    """Return the row, locked until the transaction ends."""
    return session.get(SiteReadRow, site_read_id, with_for_update=True, populate_existing=True)


def find(session: Session, site_read_id: int, now: datetime) -> SiteRead | None:
    """Return how far a site read has come."""
    row = session.get(SiteReadRow, site_read_id)
    if row is None:
        return None
    waits = select(func.count()).select_from(PageRow).join(CandidateRow, CandidateRow.page_id == PageRow.id)
    embedding = session.scalar(waits.where(PageRow.state == IndexState.FETCHED, CandidateRow.site_read_id == row.id))
    return to_site_read(row, now, embedding=int(embedding or 0))


def latest(session: Session, now: datetime, limit: int = 50) -> list[SiteRead]:
    """Return the last site reads, newest first."""
    query = select(SiteReadRow).order_by(SiteReadRow.id.desc()).limit(limit)
    return [to_site_read(row, now) for row in session.scalars(query)]


def count(row: SiteReadRow, outcome: CandidateOutcome, *, is_new: bool) -> None:
    """Count a page that was read or tried."""
    row.looked_at += 1
    row.bytes += outcome.bytes
    match outcome.outcome:
        case ReadOutcome.READ | ReadOutcome.UNCHANGED:
            if is_new:
                row.new += 1
            else:
                row.unchanged += 1
        case ReadOutcome.FAILED:
            row.failed += 1
        case _:
            row.left_out += 1


def stalled(session: Session) -> list[int]:
    """Return the running site reads of which no candidate waits or is read."""
    ids = session.scalars(select(SiteReadRow.id).where(SiteReadRow.status == SiteReadStatus.RUNNING)).all()
    return [site_read_id for site_read_id in ids if not site_frontier.is_being_read(session, site_read_id)]


def move(row: SiteReadRow, to: SiteReadStatus, now: datetime, reason: str | None = None) -> None:
    """Run, pause or end a site read; its time is counted while it runs."""
    if row.running_since is not None:
        row.active_s += max(0.0, (now - row.running_since).total_seconds())
    row.status, row.reason = to, reason
    row.running_since = now if to is SiteReadStatus.RUNNING else None
    row.finished_at = now if to.is_final else None


def to_site_read(row: SiteReadRow, now: datetime, *, embedding: int = 0) -> SiteRead:
    """Return the row as a plain value."""
    running_s = (now - row.running_since).total_seconds() if row.running_since else 0.0
    active_s = row.active_s + max(0.0, running_s)
    pages_per_s = row.looked_at / active_s if active_s > 0 else 0.0
    waiting = min(row.found, row.max_pages) - row.looked_at
    status = SiteReadStatus(row.status)
    return to_value(
        SiteRead,
        row,
        status=status,
        embedding=embedding,
        active_s=active_s,
        pages_per_s=pages_per_s,
        left_s=waiting / pages_per_s if status is SiteReadStatus.RUNNING and pages_per_s else None,
    )
