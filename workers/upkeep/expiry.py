"""Deletes what was asked longer ago than it is to be kept (``WELLREAD_KEEP_DAYS``), without being in anyone's way.

Each batch is a transaction of its own, and after it this waits as long as it took: others write in between. A run ends
after a second; the next one goes on.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import structlog

from store.questions import deletion

if TYPE_CHECKING:
    from workers.services import Services

log = structlog.get_logger()

#: rows in a batch, each with what hangs on it: some 10 ms on SQLite
BATCH = 50
#: seconds in which batches are begun
RUN_S = 1.0


def expire(services: Services) -> int:
    """Delete what is too old, as far as a run comes; return how many rows went."""
    if not services.settings.keep_days:
        return 0
    before = services.now() - timedelta(days=services.settings.keep_days)
    ends_at, deleted = time.monotonic() + RUN_S, 0
    for delete in (_questions, _site_reads, _variants):
        while time.monotonic() < ends_at:
            began = time.monotonic()
            done = delete(services, before)
            deleted += done
            if done < BATCH:
                break
            time.sleep(time.monotonic() - began)
    if deleted:
        log.info("expired", rows=deleted, before=before.isoformat())
    return deleted


def _questions(services: Services, before: datetime) -> int:
    with services.database.write() as session:
        ids = deletion.delete_ended(session, before, BATCH)
    services.events.forget(ids)
    return len(ids)


def _site_reads(services: Services, before: datetime) -> int:
    with services.database.write() as session:
        return deletion.delete_site_reads(session, before, BATCH)


def _variants(services: Services, before: datetime) -> int:
    with services.database.write() as session:
        return deletion.delete_variants(session, before, BATCH)
