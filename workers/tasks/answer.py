"""The queue ``answer``: takes questions in and looks into the knowledge base."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from domain import Question, Status
from store.questions.state import Move
from workers import flow, intake, looking, waves
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


@app.task(name="wellread.requery")
def requery(question_id: str) -> None:
    """Phase 4: look again with what was read."""
    ready = services()
    with step(ready, question_id, Status.REQUERYING, "requery") as work:
        if work is not None:
            attempt = looking.again(ready, work.question)
            with ready.database.read() as session:
                progress = waves.progress(session, work.question)
            if finish(ready, work, flow.after_look_again(work.question, attempt, progress, ready.now())):
                looking.learn(ready, attempt)


def _look(question_id: str, status: Status, name: str, look: Look, decide: Callable[[Question, Attempt], Move]) -> None:
    ready = services()
    with step(ready, question_id, status, name) as work:
        if work is not None:
            attempt = look(ready, work.question)
            if finish(ready, work, decide(work.question, attempt)):
                looking.learn(ready, attempt)
