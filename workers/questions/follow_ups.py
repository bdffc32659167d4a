"""Understands a question from its thread: by rules when it is asked, by the model, where there is one, when it begins.

A follow-up that neither could complete, and that says too little, is not looked up: its answer asks for what it lacks.
"""

from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

import structlog
from sqlalchemy import select
from sqlalchemy.orm import Session

from domain import Question, Status
from domain.errors import WellreadError
from domain.question import Turn
from pipeline.abstain import ask_back
from pipeline.llm import ModelBusy, ModelError
from pipeline.phrases import greeted_in
from pipeline.question.follow_up import needs_thread, understand
from store.questions import state, threads, trace
from store.questions.new_questions import NEW_THREAD, NewQuestion, Understood
from store.questions.state import Changes, Move
from store.sql import leases
from store.sql.leases import Lease
from store.sql.tables import QuestionRow
from text.language import detect_language
from workers.questions.step import spend_cost
from workers.services import Services

if TYPE_CHECKING:
    from pipeline.models.model import LanguageModel

log = structlog.get_logger()


class NotInThread(WellreadError):
    """The question that another one is to follow belongs to another thread."""


def understood(session: Session, new: NewQuestion, now: datetime, *, by_model: bool) -> Understood:
    """Return what a new question asks, and its thread; raises UnknownThread, UnknownQuestion or NotInThread."""
    thread_id = _thread(session, new, now)
    if new.understood:
        return Understood(text=new.understood, thread_id=thread_id, by="asker")
    asked = threads.last_questions(session, thread_id, until=new.after_id) if thread_id and not new.said else []
    turns = new.said or threads.turns(session, asked)
    if not turns:
        return Understood(text=new.text, thread_id=thread_id)
    return Understood(
        text=understand(new.text, turns, new.lang),
        thread_id=thread_id,
        by="rules",
        turns=tuple(asked),
        said=new.said,
        final=not by_model,
    )


def needs_model(services: Services, question: Question) -> bool:
    """Return whether the rules completed the question from its thread, so that a model may do it better."""
    return bool(services.read(_turns, question.id))


def complete(services: Services, question: Question, lease: Lease, model: "LanguageModel") -> None:
    """Store the question as a model completes it from its thread; as the rules did if the model fails.

    Raises ModelBusy for a model that is to be waited for.
    """
    started_at = services.now()
    turns = services.read(_turns, question.id)
    if not turns:  # a worker completed it and died then
        return
    try:
        priced = model.rewrite(question.asked or question.text, turns, lang=question.lang)
        outcome, text, cost = "model", priced.value, priced.cost
        detail: dict[str, Any] = {"cost": asdict(cost)}
    except ModelError as error:
        if isinstance(error, ModelBusy) and error.is_limit:
            raise
        log.warning("question_not_rewritten", question=question.id, error=str(error))
        outcome, text, cost = "model failed", "", error.cost
        detail = {"cost": asdict(cost), "error": str(error), "kind": type(error).__name__}
    with services.database.write() as session:
        row = session.scalar(select(QuestionRow).where(leases.holds(lease)).with_for_update())
        if row is None:
            return
        if text:
            asked = row.asked or row.text
            row.text, row.asked = text, asked if asked != text else None
        if before := trace.last(session, row.id, "understand"):  # what was said is not needed any more
            before.detail = {name: value for name, value in before.detail.items() if name != "said"}
        now = services.now()
        trace.add(session, row, "understand", outcome=outcome, detail=detail, started_at=started_at, now=now)
    spend_cost(services, question, cost)


def asked_back(services: Services, question: Question) -> Move | None:
    """Return the end of a greeting, or a follow-up that says too little and was not completed; else None.

    One that is bound to sites may be about those.
    """
    if greeted := greeted_in(question.text):
        changes = Changes(lang=greeted, stop_reason="it asks nothing")
        return Move(to=Status.ABSTAINED, outcome="greeted", answer=ask_back(greeted, "greeting"), changes=changes)
    lang = question.lang or detect_language(question.text)
    if not question.thread_id or question.asked or question.sites or not needs_thread(question.text, lang):
        return None
    if services.read(trace.last, question.id, "understand") is None:  # it begins its thread
        return None
    changes = Changes(lang=lang, stop_reason="it needs a question asked before it")
    return Move(to=Status.ABSTAINED, outcome="asked back", answer=ask_back(lang), changes=changes)


def _turns(session: Session, question_id: str) -> list[Turn]:
    """Return what the rules understood a question from; none where its asker or the model has said what it asks."""
    step = trace.last(session, question_id, "understand")
    if step is None or step.outcome != "rules":
        return []
    said = [Turn(**turn) for turn in step.detail.get("said", ())]
    return said or threads.turns(session, step.detail.get("turns", ()))


def _thread(session: Session, new: NewQuestion, now: datetime) -> str:
    """Return the thread that a question is asked in; "" for none. Its owner's it is, and nobody else asks in it."""
    if new.thread_id == NEW_THREAD and not new.after_id:
        return threads.new_id()
    if new.thread_id not in ("", NEW_THREAD):
        threads.check_owner(session, new.thread_id, new.owner)
    if not new.after_id:
        return new.thread_id
    state.check_owner(session, new.after_id, new.owner)
    thread_id = threads.of_question(session, new.after_id, now) or ""
    if new.thread_id not in ("", NEW_THREAD, thread_id):
        raise NotInThread(f"The question {new.after_id!r} is not of the thread {new.thread_id!r}: name one of the two.")
    return thread_id
