"""The queue ``upkeep``: lost work, due pages, webhooks."""

from __future__ import annotations

from workers import sweep
from workers.app import app
from workers.crawl import schedules
from workers.files import folders
from workers.questions import webhooks
from workers.services import services


@app.task(name="wellread.sweep")
def sweep_lost() -> None:
    """Send the task again for each due row that no worker holds."""
    sweep.sweep(services())


@app.task(name="wellread.refresh")
def refresh_due() -> None:
    """Read sources and pages again that are due; look through the watched folders."""
    schedules.refresh(services())
    folders.look_through_due(services())


@app.task(name="wellread.notify")
def notify_caller(webhook_id: int) -> None:
    """Deliver a webhook."""
    webhooks.deliver(services(), webhook_id)


@app.task(name="wellread.learn")
def learn_from_feedback() -> None:
    """Refit judge and reranker after enough new feedback, or after a day."""
    from workers.learning import refit  # imports half the pipeline, which no other task of this queue needs

    ready = services()
    if ready.settings.learn and refit.is_due(ready):
        refit.learn(ready)
