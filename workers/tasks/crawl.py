"""The queue ``crawl``: finds pages and reads them."""

from __future__ import annotations

from domain import Status
from workers.app import app
from workers.crawl import read as reading
from workers.crawl import seek as seeking
from workers.questions.step import step
from workers.services import services


@app.task(name="wellread.seek")
def seek(question_id: str) -> None:
    """Phase 3: find pages that may answer."""
    ready = services()
    with step(ready, question_id, Status.SEEKING) as work:
        if work is not None:
            seeking.seek(ready, work)


@app.task(name="wellread.read")
def read(candidate_id: int) -> None:
    """Phase 3: read one page."""
    reading.read(services(), candidate_id)
