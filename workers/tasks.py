"""The tasks: a doorbell each. Their names and their one argument are a published contract."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from store.questions import Move
from store.types import Question, Status
from workers import embedding, flow, intake, looking, notify, reading, refresh, seeking, sweep
from workers.app import app
from workers.looking import Attempt
from workers.services import Services, services
from workers.steps import finish, step

Look = Callable[[Services, Question], Attempt]


@app.task(name="wellread.ask")
def ask(payload: dict[str, Any]) -> None:
    """Take a question another service enqueued; its JSON is checked against the published schema."""
    intake.accept(services(), payload)


@app.task(name="wellread.retrieve")
def retrieve(question_id: str) -> None:
    """Phase 1: look in the knowledge base."""
    _look(question_id, Status.ASKED, "retrieve", looking.first, flow.after_first_look)


@app.task(name="wellread.retry")
def retry(question_id: str) -> None:
    """Phase 2: look again in other words, for twice as many hits."""
    _look(question_id, Status.RETRYING, "retry", looking.second, flow.after_second_look)


@app.task(name="wellread.seek")
def seek(question_id: str) -> None:
    """Phase 3: find pages that may answer."""
    ready = services()
    with step(ready, question_id, Status.SEEKING, "seek") as work:
        if work is not None:
            seeking.seek(ready, work)


@app.task(name="wellread.read")
def read(candidate_id: int) -> None:
    """Phase 3: read one page."""
    reading.read(services(), candidate_id)


@app.task(name="wellread.embed")
def embed(page_id: int) -> None:
    """Phase 3: put pages that were read into the knowledge base."""
    embedding.embed(services(), page_id)


@app.task(name="wellread.requery")
def requery(question_id: str) -> None:
    """Phase 4: look again with what was read."""
    ready = services()
    with step(ready, question_id, Status.REQUERYING, "requery") as work:
        if work is not None:
            attempt = looking.again(ready, work.question)
            finish(ready, work, seeking.after_wave(ready, work.question, attempt))


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
    notify.deliver(services(), webhook_id)


@app.task(name="wellread.compact")
def compact() -> None:
    """Look after the knowledge base's files and indices."""
    services().passages_writer.tend()


def _look(question_id: str, status: Status, name: str, look: Look, decide: Callable[[Question, Attempt], Move]) -> None:
    ready: Services = services()
    with step(ready, question_id, status, name) as work:
        if work is not None:
            finish(ready, work, decide(work.question, look(ready, work.question)))
