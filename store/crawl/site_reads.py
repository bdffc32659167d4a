"""The reading of whole sites in SQL: what each is bound to, and how far it has come."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from domain import ReadOutcome
from domain.errors import WellreadError
from store.crawl import site_frontier
from store.crawl.candidates import CandidateOutcome
from store.sql.tables import CandidateRow, IndexState, PageRow, SiteReadRow


class UnknownSiteRead(WellreadError):
    """No such site is, or was, being read."""


class SiteReadOver(WellreadError):
    """The site read has ended."""


class SiteReadStatus(StrEnum):
    """Whether a site is being read."""

    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    DONE = "DONE"
    CANCELLED = "CANCELLED"

    @property
    def is_final(self) -> bool:
        """Return whether no more of the site is read."""
        return self in (SiteReadStatus.DONE, SiteReadStatus.CANCELLED)


@dataclass(frozen=True, kw_only=True)
class NewSiteRead:
    """A site to be read."""

    url: str  #: canonical
    prefix: str  #: what its pages' URLs begin with
    max_pages: int
    max_depth: int
    again: bool = True  #: whether pages that were read before are looked at too
    source_id: int | None = None  #: whose schedule asked for it


@dataclass(frozen=True, kw_only=True)
class SiteRead:
    """How far the reading of a site has come; the counts are of pages."""

    id: int
    url: str
    prefix: str
    status: SiteReadStatus
    reason: str | None  #: why it ended
    again: bool
    source_id: int | None
    max_pages: int
    max_depth: int
    found: int
    looked_at: int
    new: int  #: with a text that was not known
    unchanged: int
    left_out: int  #: forbidden, gone, or without text
    failed: int
    bytes: int
    active_s: float  #: how long it was worked on, pauses left out
    created_at: datetime
    finished_at: datetime | None
    embedding: int = 0  #: pages that still wait to be in the knowledge base

    @property
    def pages_per_s(self) -> float:
        """How fast it goes, over all its time."""
        return self.looked_at / self.active_s if self.active_s > 0 else 0.0

    @property
    def left_s(self) -> float | None:
        """About how long it will take, for the pages found so far; None while that cannot be told."""
        if self.status is not SiteReadStatus.RUNNING or not self.looked_at:
            return None
        return (min(self.found, self.max_pages) - self.looked_at) / self.pages_per_s if self.pages_per_s else None


def start(session: Session, new: NewSiteRead, now: datetime) -> tuple[SiteReadRow, bool]:
    """Keep a site read; returns it and whether it is new: one that is under way on the same site is taken up."""
    unfinished = SiteReadRow.status.in_((SiteReadStatus.RUNNING, SiteReadStatus.PAUSED))
    open_now = select(SiteReadRow).where(SiteReadRow.prefix == new.prefix, unfinished, SiteReadRow.again == new.again)
    row = session.scalar(open_now.order_by(SiteReadRow.id).limit(1).with_for_update())
    if row is not None:
        return row, False
    values = {field.name: getattr(new, field.name) for field in fields(new)}
    row = SiteReadRow(**values, status=SiteReadStatus.RUNNING, running_since=now, created_at=now)
    session.add(row)
    session.flush()
    return row, True


def lock(session: Session, site_read_id: int) -> SiteReadRow | None:
    """The row, held until the transaction ends."""
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
    """The last site reads, newest first."""
    query = select(SiteReadRow).order_by(SiteReadRow.id.desc()).limit(limit)
    return [to_site_read(row, now) for row in session.scalars(query)]


def count(row: SiteReadRow, outcome: CandidateOutcome, *, is_new: bool) -> None:
    """Count a page that was looked at, whatever came of it."""
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
    """The site reads that run and have nothing read."""
    ids = session.scalars(select(SiteReadRow.id).where(SiteReadRow.status == SiteReadStatus.RUNNING)).all()
    return [site_read_id for site_read_id in ids if not site_frontier.is_being_read(session, site_read_id)]


def move(row: SiteReadRow, to: SiteReadStatus, now: datetime, reason: str | None = None) -> None:
    """Let a site read run, pause or end; its time is counted while it runs."""
    if row.running_since is not None:
        row.active_s += max(0.0, (now - row.running_since).total_seconds())
    row.status, row.reason = to, reason
    row.running_since = now if to is SiteReadStatus.RUNNING else None
    row.finished_at = now if to.is_final else None


def to_site_read(row: SiteReadRow, now: datetime, *, embedding: int = 0) -> SiteRead:
    """The row as a plain value."""
    since = (now - row.running_since).total_seconds() if row.running_since else 0.0
    plain = {
        f.name: getattr(row, f.name) for f in fields(SiteRead) if f.name not in ("status", "active_s", "embedding")
    }
    status = SiteReadStatus(row.status)
    return SiteRead(**plain, status=status, active_s=row.active_s + max(0.0, since), embedding=embedding)
