"""The queue ``upkeep``: lost work, due pages, webhooks."""

from __future__ import annotations

from workers import sweep
from workers.app import app
from workers.crawl import refresh
from workers.questions import webhooks
from workers.services import services


@app.task(name="wellread.sweep")
def sweep_lost() -> None:
    """Ring again for work that is due and that nobody does."""
    sweep.sweep(services())


@app.task(name="wellread.refresh")
def refresh_due() -> None:
    """Have the pages read again that are due."""
    refresh.refresh(services())


@app.task(name="wellread.notify")
def notify_caller(webhook_id: int) -> None:
    """Tell a caller that its question ended."""
    webhooks.deliver(services(), webhook_id)


@app.task(name="wellread.learn")
def learn_from_feedback() -> None:
    """Fit judge and reranker anew where enough was said of answers since, or a day has passed."""
    from workers.learning import refit  # brings half the pipeline along, which no other task of this queue needs

    ready = services()
    if ready.settings.learn and refit.is_due(ready):
        refit.learn(ready)
