"""Sources' schedules: when each is due, and with it the pages below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import structlog

from crawler import urls
from crawler.discovery import schedule
from crawler.discovery.schedule import BadSchedule
from crawler.discovery.site import prefix_of
from domain import Schedule
from domain.site import Source
from store.crawl import sources
from store.pages import refresh_queue
from workers.crawl import sites

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from workers.services import Services

log = structlog.get_logger()


def due_at(known: Sequence[Source], url: str, now: datetime) -> datetime | None:
    """When the page's source looks at it again by its schedule; None where no schedule covers it."""
    covering = [source for source in known if source.schedule and url.startswith(prefix_of(source.url))]
    if not covering:
        return None
    source = max(covering, key=lambda source: len(prefix_of(source.url)))
    if source.next_due is not None and source.next_due > now:
        return source.next_due
    return _next(source, now)


def change(services: Services, source_id: int, changes: Mapping[str, Any]) -> Source | None:
    """Change what is named of a source: ``min_delay_s``, ``every``, ``cron``, ``zone``; what is not named stays.

    Returns None where there is no such source. Raises BadSchedule, and changes nothing then.
    """
    sent = {name: changes[name] for name in ("every", "cron", "zone") if name in changes}
    with services.database.write() as session:
        source = sources.find(session, source_id, lock=True)
        if source is None:
            return None
        if "min_delay_s" in changes:
            source = sources.set_delay(session, source_id, changes["min_delay_s"])
        if sent:
            wanted = schedule.update(source.schedule, sent)
            source = _set_schedule(session, source_id, wanted, services.now())
    return source


def set_schedule(services: Services, source_id: int, wanted: Schedule | None) -> Source:
    """Change a source's schedule, and have its pages be due with it; raises BadSchedule.

    With None its pages are looked at once more when the source would have been, and by their own intervals then.
    """
    if wanted is not None:
        schedule.validate(wanted)
    with services.database.write() as session:
        return _set_schedule(session, source_id, wanted, services.now())


def look_at_sources(services: Services) -> int:
    """Have the sources looked at for new pages that are due; returns how many."""
    with services.database.read() as session:
        waiting = sources.due(session, services.now())
    for source in waiting:
        with services.database.write() as session:
            now = services.now()
            if not sources.take_due(session, source.id, now, _next(source, now)):
                continue
            candidate_ids = sites.look_for_new_pages(session, source, now)
        sites.send_reads(services, candidate_ids)
    return len(waiting)


def _set_schedule(session: Session, source_id: int, wanted: Schedule | None, now: datetime) -> Source:
    source = sources.set_schedule(session, source_id, wanted)
    moment = _next(source, now)
    if moment is not None:
        refresh_queue.plan(session, urls.origin(source.url), prefix_of(source.url), moment)
    return sources.plan(session, source_id, moment)


def _next(source: Source, now: datetime) -> datetime | None:
    if source.schedule is None:
        return None
    try:
        return schedule.next_after(source.schedule, now)
    except BadSchedule as error:  # it was one when it was kept: the machine has lost its time zones
        log.error("schedule_unusable", source=source.url, error=str(error))
        return None
