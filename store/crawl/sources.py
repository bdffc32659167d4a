"""Store the operator's sources, and the robots.txt and delay of hosts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from domain import Schedule
from domain.site import Source
from store.sql.rows import add_missing, to_value
from store.sql.tables import HostRow, SourceRow


@dataclass(frozen=True, kw_only=True)
class RobotsRecord:
    """An origin's robots.txt as it was fetched."""

    status: int
    body: bytes
    fetched_at: datetime


def add(session: Session, url: str, *, own: bool, min_delay_s: float | None, now: datetime) -> Source:
    """Save a source; adding it again changes only a delay that is given, and makes it the operator's own if ``own``."""
    add_missing(session, SourceRow, SourceRow.url, url=url, own=own, paused=False, created_at=now)
    row = session.scalars(select(SourceRow).where(SourceRow.url == url).with_for_update()).one()
    row.own = row.own or own
    if min_delay_s is not None:
        row.min_delay_s = min_delay_s
    session.flush()
    return _source(row)


def set_delay(session: Session, source_id: int, min_delay_s: float | None) -> Source:
    """Change the seconds between two requests to a source; None: the setting's."""
    row = session.get_one(SourceRow, source_id, with_for_update=True)
    row.min_delay_s = min_delay_s
    return _source(row)


def set_schedule(session: Session, source_id: int, schedule: Schedule | None) -> Source:
    """Change when a source is looked at; None: its pages by their own intervals."""
    row = session.get_one(SourceRow, source_id, with_for_update=True)
    row.every_s = schedule.every_s if schedule else None
    row.cron = (schedule.cron or None) if schedule else None
    row.zone = schedule.zone if schedule else "UTC"
    session.flush()
    return _source(row)


def set_paused(session: Session, source_id: int, paused: bool) -> Source:
    """Change whether a source is read by itself; its schedule stays."""
    row = session.get_one(SourceRow, source_id, with_for_update=True)
    row.paused = paused
    session.flush()
    return _source(row)


def plan(session: Session, source_id: int, next_due: datetime | None) -> Source:
    """Set when a source is due next."""
    row = session.get_one(SourceRow, source_id, with_for_update=True)
    row.next_due = next_due
    session.flush()
    return _source(row)


def due(session: Session, now: datetime) -> list[Source]:
    """Return the sources that are due by their schedule, the longest due first."""
    query = select(SourceRow).where(SourceRow.next_due <= now).order_by(SourceRow.next_due)
    return [_source(row) for row in session.scalars(query)]


def take_due(session: Session, source_id: int, now: datetime, next_due: datetime | None) -> bool:
    """Take a source that is due, which is due again at ``next_due``; False when another process was faster."""
    row = session.get(SourceRow, source_id, with_for_update=True, populate_existing=True)
    if row is None or row.next_due is None or row.next_due > now:
        return False
    row.next_due = next_due
    return True


def find(session: Session, source_id: int, *, lock: bool = False) -> Source | None:
    """Return the source with this id; ``lock`` locks it until the transaction ends."""
    row = session.get(SourceRow, source_id, with_for_update=lock)
    return _source(row) if row else None


def remove(session: Session, url: str) -> bool:
    """Delete a source; the pages read from it stay."""
    row = session.scalar(select(SourceRow).where(SourceRow.url == url))
    if row is not None:
        session.delete(row)
    return row is not None


def list_all(session: Session) -> list[Source]:
    """Return all sources, oldest first."""
    return [_source(row) for row in session.scalars(select(SourceRow).order_by(SourceRow.id))]


def robots(session: Session, origin: str) -> RobotsRecord | None:
    """Return the origin's robots.txt, if it was ever fetched."""
    row = session.get(HostRow, origin)
    if row is None or row.robots_at is None:
        return None
    return RobotsRecord(status=row.robots_status, body=row.robots, fetched_at=row.robots_at)


def save_robots(session: Session, origin: str, record: RobotsRecord) -> None:
    """Save an origin's robots.txt."""
    row = _host(session, origin)
    row.robots_status, row.robots, row.robots_at = record.status, record.body, record.fetched_at


def delay_s(session: Session, origin: str) -> float | None:
    """Return the delay last computed for this origin, in seconds."""
    row = session.get(HostRow, origin)
    return row.delay_s if row else None


def save_delay(session: Session, origin: str, seconds: float) -> None:
    """Save the delay computed for an origin."""
    _host(session, origin).delay_s = seconds


def _host(session: Session, origin: str) -> HostRow:
    row = session.get(HostRow, origin)
    if row is None:
        add_missing(session, HostRow, HostRow.origin, origin=origin, robots=b"", robots_status=0)
        row = session.get_one(HostRow, origin)
    return row


def _source(row: SourceRow) -> Source:
    has_schedule = row.cron is not None or row.every_s is not None
    schedule = Schedule(every_s=row.every_s, cron=row.cron or "", zone=row.zone) if has_schedule else None
    return to_value(Source, row, schedule=schedule)
