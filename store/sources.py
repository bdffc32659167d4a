"""The operator's sites and what is known of hosts, in SQL."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from store.tables import HostRow, SourceRow


@dataclass(frozen=True, kw_only=True)
class Source:
    """A site the operator chose to read."""

    id: int
    url: str
    own: bool  #: the operator's own: its address may be private
    min_delay_s: float | None  #: seconds between two requests; None: the setting


@dataclass(frozen=True, kw_only=True)
class RobotsRecord:
    """An origin's robots.txt as it was fetched."""

    status: int
    body: bytes
    fetched_at: datetime


def add(session: Session, url: str, *, own: bool, min_delay_s: float | None, now: datetime) -> Source:
    """Keep a source; adding it again changes its settings."""
    row = session.scalar(select(SourceRow).where(SourceRow.url == url))
    if row is None:
        row = SourceRow(url=url, created_at=now)
        session.add(row)
    row.own, row.min_delay_s = own, min_delay_s
    session.flush()
    return _source(row)


def remove(session: Session, url: str) -> bool:
    """Forget a source; what was read from it stays."""
    row = session.scalar(select(SourceRow).where(SourceRow.url == url))
    if row is not None:
        session.delete(row)
    return row is not None


def every(session: Session) -> list[Source]:
    """All sources, oldest first."""
    return [_source(row) for row in session.scalars(select(SourceRow).order_by(SourceRow.id))]


def robots(session: Session, origin: str) -> RobotsRecord | None:
    """The origin's robots.txt, if it was ever fetched."""
    row = session.get(HostRow, origin)
    if row is None or row.robots_at is None:
        return None
    return RobotsRecord(status=row.robots_status, body=row.robots, fetched_at=row.robots_at)


def save_robots(session: Session, origin: str, record: RobotsRecord) -> None:
    """Keep an origin's robots.txt."""
    row = _host(session, origin)
    row.robots_status, row.robots, row.robots_at = record.status, record.body, record.fetched_at


def delay_s(session: Session, origin: str) -> float | None:
    """The delay last worked out for this origin, in seconds."""
    row = session.get(HostRow, origin)
    return row.delay_s if row else None


def save_delay(session: Session, origin: str, seconds: float) -> None:
    """Keep the delay worked out for an origin."""
    _host(session, origin).delay_s = seconds


def _host(session: Session, origin: str) -> HostRow:
    row = session.get(HostRow, origin)
    if row is None:
        row = HostRow(origin=origin, robots=b"", robots_status=0)
        session.add(row)
    return row


def _source(row: SourceRow) -> Source:
    return Source(id=row.id, url=row.url, own=row.own, min_delay_s=row.min_delay_s)
