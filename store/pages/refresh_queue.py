"""Choose the pages to be read again, fairly across hosts: one page of a host at a time, and some hosts at once.

Waiting hosts are served in the order of ``hosts.refresh_at``: the time when the host was last served or its first page
fell due. A million due pages of one host therefore delay no other. Every query uses an index, so the cost of a claim
does not grow with the pages.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple, cast

from sqlalchemy import Table, bindparam, func, insert, select, update
from sqlalchemy.orm import Session

from domain.site import SiteScope, Source
from store.crawl.candidates import CandidateStatus
from store.pages.visibility import is_pushed, under
from store.sql.rows import add_missing, update_rows
from store.sql.tables import CandidateRow, HostRow, PageRow, UtcDateTime

#: where a candidate comes from whose page is read again
ORIGIN = "refresh"
#: hosts that are read at one time; more wait for their turn
MAX_HOSTS = 200
#: pages of a host that are read before another host has its turn
TURN_PAGES = 50
#: a host whose turn got lost has another one after this long
LOST_AFTER = timedelta(minutes=10)
#: a page that was claimed is due again after this long, unless its reader says when
AGAIN = timedelta(days=1)
#: until a page is due that is not read again by itself
NEVER = timedelta(days=36_500)
#: the statements, made once: making them takes as long as the database does
_pages, _candidates = cast(Table, PageRow.__table__), cast(Table, CandidateRow.__table__)
_hosts, _others = cast(Table, HostRow.__table__), cast(Table, PageRow.__table__).alias()
_STARTED = (
    select(_pages.c.host)
    .join(_candidates, _candidates.c.page_id == _pages.c.id)
    .where(_candidates.c.status == CandidateStatus.WAITING, _candidates.c.origin == ORIGIN)
)
_WAITING_HOSTS = (
    select(_hosts.c.origin)
    .where(_hosts.c.refresh_at <= bindparam("now"))
    .order_by(_hosts.c.refresh_at)
    .limit(bindparam("room"))
    .with_for_update(skip_locked=True)
)
_FIRST = (
    select(_others.c.id)
    .where(_others.c.host == _hosts.c.origin, _others.c.next_due <= bindparam("now"))
    .order_by(_others.c.next_due)
    .limit(1)
    .correlate(_hosts)
    .scalar_subquery()
)
_FIRST_DUE = select(_pages.c.id, _pages.c.host, _pages.c.url, _pages.c.depth).where(
    _pages.c.id.in_(select(_FIRST).where(_hosts.c.origin.in_(bindparam("hosts", expanding=True))))
)
_AGAIN = (
    update(_pages)
    .where(_pages.c.id.in_(bindparam("ids", expanding=True)))
    .values(next_due=bindparam("later", type_=UtcDateTime()))
)
_ADD = insert(_candidates).returning(_candidates.c.id)


class _Page(NamedTuple):
    id: int
    host: str
    url: str
    depth: int


def host_is_due(session: Session, host: str, due_at: datetime) -> None:
    """Record that a page of the host is due then; the host is queued by the time of its first page."""
    if session.get(HostRow, host) is None:
        values = {"origin": host, "robots": b"", "robots_status": 0, "refresh_at": due_at}
        if add_missing(session, HostRow, HostRow.origin, **values):
            return
    later = (HostRow.refresh_at.is_(None)) | (HostRow.refresh_at > due_at)
    update_rows(session, HostRow, HostRow.origin == host, later, refresh_at=due_at)


def start_hosts(session: Session, now: datetime, limit: int) -> list[int]:
    """Begin the turns of the hosts that have waited longest; return the candidates, one for each host."""
    open_now = set(session.scalars(_STARTED))
    room = min(limit, MAX_HOSTS - len(open_now))
    if room <= 0:
        return []
    hosts = session.scalars(_WAITING_HOSTS, {"now": now, "room": room + len(open_now)}).all()
    free = [host for host in hosts if host not in open_now][:room]
    pages = _first_due(session, free, now)
    for host in set(free) - {page.host for page in pages}:
        _put_back(session, host, now)
    update_rows(session, HostRow, HostRow.origin.in_([page.host for page in pages]), refresh_at=now + LOST_AFTER)
    return _take(session, pages, turn=0, now=now)


def next_of(session: Session, host: str, *, turn: int, now: datetime) -> list[int]:
    """Return the next due page of a host; when its turn is over, the first one of the host that has waited longest."""
    if turn < TURN_PAGES and (pages := _first_due(session, [host], now)):
        return _take(session, pages, turn=turn, now=now)
    _put_back(session, host, now)
    return start_hosts(session, now, 1)


def plan(session: Session, host: str, source: Source, due_at: datetime, others: Sequence[SiteScope]) -> None:
    """Make all pages of a source on a host due then; where it redirects, those of no other source."""
    below = under(PageRow.url, [source.own_scope])
    if source.moved_to:
        below |= under(PageRow.url, [source.scope]) & ~under(PageRow.url, others)
    update_rows(
        session, PageRow, PageRow.host == host, below, PageRow.deleted_at.is_(None), ~is_pushed(), next_due=due_at
    )
    host_is_due(session, host, due_at)


def postpone(session: Session, url: str, due_at: datetime | None) -> None:
    """Have a page that is read now for another reason be due then; without a time, when it is due anyway."""
    if due_at is not None:
        update_rows(session, PageRow, PageRow.url == url, PageRow.next_due < due_at, next_due=due_at)


def count(session: Session, now: datetime, at_most: int = 10_000) -> int:
    """Return how many pages are due, counted up to ``at_most``."""
    hosts = select(HostRow.origin).where(HostRow.refresh_at <= now + LOST_AFTER)
    some = select(PageRow.id).where(PageRow.host.in_(hosts), PageRow.next_due <= now).limit(at_most)
    return int(session.scalar(select(func.count()).select_from(some.subquery())) or 0)


def _first_due(session: Session, hosts: Sequence[str], now: datetime) -> list[_Page]:
    """Return the page of each host that has been due for longest; found in the index alone, then loaded."""
    return [_Page(*row) for row in session.execute(_FIRST_DUE, {"hosts": hosts, "now": now})] if hosts else []


def _take(session: Session, pages: Sequence[_Page], *, turn: int, now: datetime) -> list[int]:
    """Make candidates of pages; each is due once more later on, whatever becomes of it."""
    if not pages:
        return []
    session.execute(_AGAIN, {"ids": [page.id for page in pages], "later": now + AGAIN})
    return list(session.scalars(_ADD, [_candidate(page, turn, now) for page in pages]))


def _candidate(page: _Page, turn: int, now: datetime) -> dict[str, Any]:
    return {
        "url": page.url, "page_id": page.id, "depth": page.depth, "origin": ORIGIN, "wave": turn, "kind": "page",
        "score": 0.0, "text": "", "status": CandidateStatus.WAITING, "due_at": now, "created_at": now,
    }  # fmt: skip


def _put_back(session: Session, host: str, now: datetime) -> None:
    """Have a host wait again: as the last one if pages of it are due, else until the first one is."""
    first = session.scalar(select(PageRow.next_due).where(PageRow.host == host).order_by(PageRow.next_due).limit(1))
    update_rows(session, HostRow, HostRow.origin == host, refresh_at=None if first is None else max(first, now))
