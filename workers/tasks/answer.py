"""The queue ``answer``: accepts questions and searches the knowledge base."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from domain import Question, Status
from pipeline.ask import LookupResult
from store.questions.state import Move
from workers.app import app
from workers.questions import crawl_progress, lookup, submit, transitions
from workers.questions.step import finish, step
from workers.services import Services, services

Look = Callable[[Services, Question], LookupResult]


@app.task(name="wellread.ask")
def ask(payload: dict[str, Any]) -> None:
    """Accept a question that another service enqueued; its JSON is checked against the published schema."""
    submit.accept(services(), payload)


@app.task(name="wellread.retrieve")
def retrieve(question_id: str) -> None:
    """Phase 1: search the knowledge base."""
    _look(question_id, Status.ASKED, "retrieve", lookup.first_pass, transitions.after_first_look)


@app.task(name="wellread.retry")
def retry(question_id: str) -> None:
    """Phase 2: search again in other words, for twice as many hits."""
    _look(question_id, Status.RETRYING, "retry", lookup.second_pass, transitions.after_second_look)


@app.task(name="wellread.requery")
def requery(question_id: str) -> None:
    """Phase 4: search again with the pages that were read."""
    ready = services()
    with step(ready, question_id, Status.REQUERYING, "requery") as work:
        if work is not None:
            attempt = lookup.final_pass(ready, work.question)
            with ready.database.read() as session:
                progress = crawl_progress.progress(session, work.question)
            if finish(ready, work, transitions.after_look_again(work.question, attempt, progress, ready.now())):
                lookup.learn(ready, attempt)


def _look(
    question_id: str, status: Status, name: str, look: Look, decide: Callable[[Question, LookupResult], Move]
) -> None:
    ready = services()
    with step(ready, question_id, status, name) as work:
        if work is not None:
            attempt = look(ready, work.question)
            if finish(ready, work, decide(work.question, attempt)):
                lookup.learn(ready, attempt)
