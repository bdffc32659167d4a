"""The queue ``upkeep``: lost work, due pages."""

import time

from workers import curated, deletion, files, sweep
from workers.app import app
from workers.crawl import sites
from workers.processes.heartbeat import record_sweep
from workers.services import Services, services
from workers.services.collections import for_each


@app.task(name="wellread.sweep")
def sweep_lost() -> None:
    """Send the task again for each due row that no worker holds; end overdue questions."""
    began = time.monotonic()
    for_each(services(), sweep.sweep)
    record_sweep(services(), time.monotonic() - began)


@app.task(name="wellread.refresh")
def refresh_due() -> None:
    """Read sources and pages again that are due; look through the watched folders."""
    for_each(services(), sites.refresh)
    for_each(services(), files.look_through_due)


@app.task(name="wellread.expire")
def expire_old() -> None:
    """Delete what was asked longer ago than it is to be kept, and operators' answers whose time is over."""
    for_each(services(), deletion.expire)
    for_each(services(), curated.delete_expired)


@app.task(name="wellread.learn")
def learn_from_feedback() -> None:
    """Correct the judge's confidence after enough new feedback, or after a day with some."""
    for_each(services(), _learn_if_due)


def _learn_if_due(ready: Services) -> None:
    from workers import learning  # imports half the pipeline, which no other task of this queue needs

    if ready.settings.learn and learning.is_due(ready):
        learning.learn(ready)
