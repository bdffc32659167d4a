"""Store the operator's sources, and the robots.txt and delay of hosts."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Select, select
from sqlalchemy.orm import Session, aliased

from domain import Schedule
from domain.errors import WellreadError
from domain.file import is_file_address
from domain.options import SourceSettings
from domain.site import SiteScope, Source
from store.sql.rows import add_missing, to_value, update_rows
from store.sql.tables import HostRow, PageRow, RedirectRow, SourceRow

#: what can be set of a source besides its schedule
SETTINGS: Final = tuple(SourceSettings.model_fields)


class NotYourOwn(WellreadError):
    """Only a site of the operator's own can be set so."""


def add(
    session: Session, url: str, *, own: bool, min_delay_s: float | None = None, now: datetime, **settings: Any
) -> Source:
    """Save a source; adding it again changes only what is given, and makes it the operator's own if ``own``.

    ``settings`` are some of ``SETTINGS``.
    """
    new = {"url": url, "own": own, "paused": False, "page_only": False, "ignore_robots": False, "created_at": now}
    add_missing(session, SourceRow, SourceRow.url, **new)
    row = session.scalars(select(SourceRow).where(SourceRow.url == url).with_for_update()).one()
    row.own = row.own or own
    return change(session, row.id, settings | ({} if min_delay_s is None else {"min_delay_s": min_delay_s}))


def change(session: Session, source_id: int, settings: Mapping[str, Any]) -> Source:
    """Change some of the ``SETTINGS`` of a source and, under ``access``, of how it is reached; raises NotYourOwn."""
    row = session.get_one(SourceRow, source_id, with_for_update=True)
    for name in SETTINGS:
        if name in settings:
            value = settings[name]
            setattr(row, name, list(value) if isinstance(value, tuple) else value)
    if "access" in settings:
        kept = {} if settings["access"] is None else (row.access or {}) | settings["access"]
        row.access = {name: value for name, value in kept.items() if value} or None
    if not row.own and (row.ignore_robots or row.access):
        raise NotYourOwn(f"{row.url} is not your own: `ignore_robots` and `access` need `own`.")
    session.flush()
    source = _source(session, row)
    if "access" in settings:  # a host that could not be reached is tried at once
        update_rows(session, HostRow, HostRow.origin.in_(source.own_scope.origins), robots_at=None)
    return source


def set_schedule(session: Session, source_id: int, schedule: Schedule | None) -> Source:
    """Change when a source is looked at; None: its pages by their own intervals."""
    row = session.get_one(SourceRow, source_id, with_for_update=True)
    wanted = schedule or Schedule()
    row.every_s, row.cron, row.zone = wanted.every_s, wanted.cron or None, wanted.zone
    session.flush()
    return _source(session, row)


def plan(session: Session, source_id: int, next_due: datetime | None) -> Source:
    """Set when a source is due next."""
    row = session.get_one(SourceRow, source_id, with_for_update=True)
    row.next_due = next_due
    session.flush()
    return _source(session, row)


def due(session: Session, now: datetime) -> list[Source]:
    """Return the sources that are due by their schedule, the longest due first."""
    return _sources(session, select(SourceRow).where(SourceRow.next_due <= now).order_by(SourceRow.next_due))


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
    return _source(session, row) if row else None


def at(session: Session, url: str) -> Source | None:
    """Return the source with this URL."""
    row = session.scalar(select(SourceRow).where(SourceRow.url == url))
    return _source(session, row) if row else None


def remove(session: Session, url: str) -> bool:
    """Delete a source; the pages read from it stay."""
    row = session.scalar(select(SourceRow).where(SourceRow.url == url))
    if row is not None:
        session.delete(row)
    return row is not None


def list_all(session: Session) -> list[Source]:
    """Return all sources, oldest first."""
    return _sources(session, select(SourceRow).order_by(SourceRow.id))


def own_scopes(session: Session) -> list[SiteScope]:
    """Return what belongs to the operator's own sources."""
    return [source.own_scope for source in list_all(session) if source.own]


def secrets(session: Session) -> dict[int, dict[str, Any]]:
    """Return how the operator's own sources are reached, by their ids: never to be shown or logged."""
    query = select(SourceRow.id, SourceRow.access).where(SourceRow.own, SourceRow.access.is_not(None))
    return {row.id: row.access for row in session.execute(query) if row.access}


def scopes(
    session: Session, sites: Iterable[str], *, whole: bool = False, page_only: bool = False
) -> tuple[SiteScope, ...]:
    """Return what belongs to sites, by the settings of the source with the same URL and by where they redirect.

    ``whole``: a page that is no source means its folder; ``page_only``: each is a page, with nothing below it but
    the page that represents it where both say the same.
    """
    wanted = tuple(sites)
    if not wanted:
        return ()
    if page_only:
        same, named = aliased(PageRow), PageRow.url.in_(wanted)
        wanted += tuple(session.scalars(select(same.url).join(PageRow, PageRow.duplicate_of == same.id).where(named)))
    moved, query = _moved(session, wanted), select(SourceRow).where(SourceRow.url.in_(wanted))
    known = {} if page_only else {source.url: source for source in _sources(session, query)}
    return tuple(
        known[url].scope_of(whole=whole)
        if url in known
        else SiteScope.of(url, moved_to=moved.get(url), whole=whole and not is_file_address(url), page_only=page_only)
        for url in wanted
    )


def follow(session: Session, url: str, to_url: str) -> bool:
    """Remember where a front page redirects, or that it no longer does; return whether it leads elsewhere now."""
    row = session.get(RedirectRow, url)
    if (row.to_url if row else url) == to_url:
        return False
    if row is None:
        add_missing(session, RedirectRow, RedirectRow.url, url=url, to_url=to_url)
    elif url == to_url:
        session.delete(row)
    else:
        row.to_url = to_url
    session.flush()
    return True


def host(session: Session, origin: str) -> HostRow | None:
    """Return what is known of an origin: its robots.txt, if that was ever fetched, and its delay."""
    return session.get(HostRow, origin)


def save_robots(session: Session, origin: str, *, status: int, body: bytes, fetched_at: datetime) -> None:
    """Save an origin's robots.txt."""
    row = _host(session, origin)
    row.robots_status, row.robots, row.robots_at = status, body, fetched_at


def save_delay(session: Session, origin: str, seconds: float) -> None:
    """Save the delay computed for an origin."""
    _host(session, origin).delay_s = seconds


def _host(session: Session, origin: str) -> HostRow:
    row = session.get(HostRow, origin)
    if row is None:
        add_missing(session, HostRow, HostRow.origin, origin=origin, robots=b"", robots_status=0)
        row = session.get_one(HostRow, origin)
    return row


def _sources(session: Session, query: Select[SourceRow]) -> list[Source]:
    rows = session.scalars(query).all()
    moved = _moved(session, [row.url for row in rows])
    return [_to_source(row, moved.get(row.url)) for row in rows]


def _source(session: Session, row: SourceRow) -> Source:
    return _to_source(row, _moved(session, [row.url]).get(row.url))


def _moved(session: Session, urls: Iterable[str]) -> dict[str, str]:
    """Return where those of these URLs redirect that do."""
    query = select(RedirectRow.url, RedirectRow.to_url).where(RedirectRow.url.in_(tuple(urls)))
    return {row.url: row.to_url for row in session.execute(query)}


def _to_source(row: SourceRow, moved_to: str | None) -> Source:
    has_schedule = row.cron is not None or row.every_s is not None
    schedule = Schedule(every_s=row.every_s, cron=row.cron or "", zone=row.zone) if has_schedule else None
    lists = {name: tuple(getattr(row, name) or ()) for name in ("include", "exclude", "select", "drop", "access")}
    return to_value(Source, row, schedule=schedule, moved_to=moved_to, **lists)
