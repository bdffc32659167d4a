"""Reads sources and pages again when they are due, by their schedules or intervals."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy.orm import Session

from crawler import urls
from crawler.discovery import schedule
from crawler.discovery.schedule import BadSchedule
from crawler.fetch.access import SiteAccess
from domain.file import is_file_address
from domain.site import Source
from store.crawl import sources
from store.pages import refresh_queue, visibility
from store.pages.pages import FIRST_INTERVAL_S, PageState
from workers.crawl import sites
from workers.services import Services

log = structlog.get_logger()

#: until a file is due that nothing happens to
NEVER = timedelta(days=36_500)
#: hosts taken in one transaction, and transactions in one run
BATCH, ROUNDS = 10, 20


def refresh(services: Services) -> int:
    """Read the sources that are due, and the first due page of each host; return the number of those hosts.

    Reading a host's page sends the read of its next one.
    """
    read_due_sources(services)
    started = 0
    for _ in range(ROUNDS):
        with services.database.write() as session:
            ids = refresh_queue.open_lanes(session, services.now(), BATCH)
        sites.send_reads(services, ids)
        started += len(ids)
        if len(ids) < BATCH:
            break
    return started


def due_at(known: Sequence[Source], url: str, now: datetime) -> datetime | None:
    """Return when a schedule next covers the page; None where no schedule does.

    A file is read when it changes; what a paused source covers, when it is resumed.
    """
    if is_file_address(url):
        return now + NEVER
    source = _covering(known, url)
    if source is None:
        return None
    if source.paused:
        return now + NEVER
    if source.next_due is not None and source.next_due > now:
        return source.next_due
    return _next(source, now)


def confirmed_from(known: Sequence[Source], page: PageState, url: str) -> datetime | None:
    """Return from when on a second look confirms what the first one found instead of a page: one interval later.

    That is the source's interval, without a schedule the page's own up to a day; and an hour at least. None if there
    was no first look.
    """
    if page.missed_at is None:
        return None
    source = _covering(known, url)
    own = page.missed_at + timedelta(seconds=min(page.interval_s, FIRST_INTERVAL_S))
    again = _next(source, page.missed_at) if source else None
    return max(again or own, page.missed_at + timedelta(hours=1))


def change(services: Services, source_id: int, changes: Mapping[str, Any]) -> Source | None:
    """Change some of ``sources.SETTINGS`` and ``every``, ``cron`` and ``zone`` of a source; the others stay.

    Without a schedule its pages are read once more when planned, and then by their own intervals. While it is paused,
    nothing of it is read by itself. Returns None if there is no such source. Raises BadSchedule, BadAccess or
    NotYourOwn; nothing changes then.
    """
    schedule_changes = {name: changes[name] for name in ("every", "cron", "zone") if name in changes}
    with services.database.write() as session:
        before = sources.find(session, source_id, lock=True)
        if before is None:
            return None
        source, now = sources.change(session, source_id, changes), services.now()
        if changes.get("access"):
            SiteAccess.of(source.own_scope, sources.secrets(session).get(source_id, {})).check()
        if schedule_changes:
            source = sources.set_schedule(session, source_id, schedule.update(source.schedule, schedule_changes))
        if schedule_changes or source.paused != before.paused:
            source = _plan(session, source, now, resumed=before.paused and not source.paused)
        shared = visibility.share_site(session, source.own_scope, now) if source.own_scope != before.own_scope else []
    for page_id in shared:
        services.dispatcher.send("wellread.embed", page_id)
    return source


def read_due_sources(services: Services) -> int:
    """Look for new pages at the sources that are due; return how many are due."""
    with services.database.read() as session:
        waiting = sources.due(session, services.now())
    for source in waiting:
        with services.database.write() as session:
            now = services.now()
            again = _next(source, now)
            if not sources.take_due(session, source.id, now, again):
                continue
            refresh_queue.postpone(session, source.url, again)  # the look reads the front page
            candidate_ids = sites.look_for_new_pages(session, source, now)
        sites.send_reads(services, candidate_ids)
    return len(waiting)


def _plan(session: Session, source: Source, now: datetime, *, resumed: bool) -> Source:
    """Plan when a source is due next, and its pages with it; those of a source below it that is not paused stay."""
    moment = _next(source, now)
    due = now + NEVER if source.paused else moment or (now if resumed else None)
    if due is not None:
        _plan_pages(session, source, due)
    if source.paused or resumed:
        for other in sources.list_all(session):
            if other.id != source.id and other.next_due and source.own_scope.covers(other.url):
                _plan_pages(session, other, other.next_due)
    return sources.plan(session, source.id, moment)


def _plan_pages(session: Session, source: Source, due: datetime) -> None:
    known = [other for other in sources.list_all(session) if other.id != source.id]
    for host in {urls.origin(site) for site in source.scope.sites}:
        others = [other.own_scope for other in known if urls.site(other.url) == urls.site(host)]
        refresh_queue.plan(session, host, source, due, others)


def _covering(known: Sequence[Source], url: str) -> Source | None:
    """Return the narrowest source with a schedule, or paused, that covers the page: at its own address if any does."""
    covering = [each for each in known if each.own_scope.covers(url)] or [
        each for each in known if each.scope.covers(url)
    ]
    kept = [source for source in covering if source.schedule or source.paused]
    return max(kept, key=lambda source: source.scope.narrowness(url), default=None)


def _next(source: Source, now: datetime) -> datetime | None:
    if source.schedule is None or source.paused:
        return None
    try:
        return schedule.next_after(source.schedule, now)
    except BadSchedule as error:  # it was valid when it was saved: the machine has lost its time zones
        log.error("schedule_unusable", source=source.url, error=str(error))
        return None
