"""Has sources and pages looked at again when they are due."""

from __future__ import annotations

from typing import TYPE_CHECKING

from store.pages import refresh_queue
from workers.crawl import schedules, sites

if TYPE_CHECKING:
    from workers.services import Services

#: hosts that begin to be read again in one claim, and claims in one round
BATCH, ROUNDS = 10, 20


def refresh(services: Services) -> int:
    """Look for new pages at the sources that are due, and begin to read the hosts again that are; returns how many.

    A host is read on, page after page, by whoever read its last page: this only begins.
    """
    schedules.look_at_sources(services)
    begun = 0
    for _ in range(ROUNDS):
        with services.database.write() as session:
            ids = refresh_queue.open_lanes(session, services.now(), BATCH)
        sites.send_reads(services, ids)
        begun += len(ids)
        if len(ids) < BATCH:
            break
    return begun
