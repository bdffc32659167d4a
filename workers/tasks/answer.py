"""The queue ``answer``: accepts questions and searches the knowledge base."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from celery import Task

from domain import Question, Status
from domain.access import DEFAULT
from pipeline.ask import LookupResult
from store.embedders import answering
from store.questions.records import ProvisionalAnswer
from store.questions.state import Move
from workers import messages, subscriptions
from workers.app import app
from workers.questions import conditions, curated, follow_ups, lookup, structured, transitions, writing
from workers.questions.step import Work, finish, step
from workers.services import Services, services
from workers.services.collections import for_each
from workers.services.interruptions import AGAIN_AFTER_S, OUTAGES

RunPass = Callable[[Services, Question], LookupResult]
Decide = Callable[[Question, LookupResult, ProvisionalAnswer | None], Move]


@app.task(name="wellread.ask", bind=True, max_retries=None, throws=(messages.MessageRefused,))
def ask(self: Task[Any, Any], /, *payload: Any, **fields: Any) -> str:
    """Accept a question that another service enqueued, if it matches the published schema; return its id.

    Its JSON is the one argument, or its fields are the keyword arguments.
    """
    try:
        return messages.accept(services(), *payload, **fields).id
    except OUTAGES as error:
        raise self.retry(exc=error, countdown=AGAIN_AFTER_S) from error


@app.task(name="wellread.news")
def look_for_news() -> None:
    """Look up the subscriptions that are due, and report what is new."""
    for_each(services(), subscriptions.run_due)


@app.task(name="wellread.retrieve")
def retrieve(question_id: str, collection: str = DEFAULT) -> None:
    """Analyse the question, search and judge; answer if that suffices; ask back if a follow-up says too little."""
    ready = services(collection)
    with step(ready, question_id, Status.ASKED) as work:
        if work is None:
            return
        question = work.question
        if move := (
            curated.given(ready, question)
            or writing.before_first_pass(ready, question)
            or follow_ups.asked_back(ready, question)
        ):
            finish(ready, work, move)
            return
        _search_in(ready, work, lookup.first_pass, transitions.after_first_pass)


@app.task(name="wellread.retry")
def retry(question_id: str, collection: str = DEFAULT) -> None:
    """Search and judge again with variants of the question and twice the hits, at most 20."""
    ready = services(collection)
    _search(ready, question_id, Status.RETRYING, lookup.second_pass, partial(_after_second_pass, ready))


@app.task(name="wellread.requery")
def requery(question_id: str, collection: str = DEFAULT) -> None:
    """Search and judge again with what was read: the final answer, the next wave, or "I do not know"."""
    ready = services(collection)

    def decide(question: Question, result: LookupResult, earlier: ProvisionalAnswer | None) -> Move:
        progress = ready.read(conditions.progress, question, ready.now())
        return transitions.after_final_pass(question, result, progress, earlier)

    _search(ready, question_id, Status.REQUERYING, lookup.final_pass, decide)


def _after_second_pass(
    ready: Services, question: Question, result: LookupResult, earlier: ProvisionalAnswer | None
) -> Move:
    allowed = replace(question, crawl_enabled=question.crawl_enabled and ready.settings.crawl_enabled)
    return transitions.after_second_pass(allowed, result, earlier)


def _search(ready: Services, question_id: str, status: Status, run_pass: RunPass, decide: Decide) -> None:
    with step(ready, question_id, status) as work:
        if work is not None:
            _search_in(ready, work, run_pass, decide)


def _search_in(ready: Services, work: Work, run_pass: RunPass, decide: Decide) -> None:
    """Run one pass and record the decision; then learn from the result."""
    answering.add(work.question.id)
    try:
        result = run_pass(ready, work.question)
    finally:
        answering.discard(work.question.id)
    earlier = None if result.verdict.sufficient else lookup.earlier_answer(ready, work.question)
    move = decide(work.question, result, earlier)
    refused = decide(work.question, transitions.without_answer(result), None)
    move = writing.after_lookup(ready, work.question, result, move, refused)
    if finish(ready, work, structured.with_form(ready, work.question, move)):
        lookup.learn(ready, result)
