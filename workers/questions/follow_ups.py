"""Understands a new question from its thread, by rules; says nothing of threads to a question that has none."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from domain.errors import WellreadError
from pipeline.question.follow_up import understand
from store.questions import state, threads
from store.questions.new_questions import NEW_THREAD, NewQuestion, Understood

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


class NotInThread(WellreadError):
    """The question that another one is to follow belongs to another thread."""


def understood(session: Session, new: NewQuestion, now: datetime) -> Understood:
    """Return what a new question asks, and its thread; raises UnknownThread, UnknownQuestion or NotInThread."""
    thread_id = _thread(session, new, now)
    if new.understood or not thread_id:
        return Understood(text=new.understood or new.text, thread_id=thread_id)
    turns = threads.last_turns(session, thread_id, until=new.after_id)
    return Understood(text=understand(new.text, turns, new.lang), thread_id=thread_id)


def _thread(session: Session, new: NewQuestion, now: datetime) -> str:
    """Return the thread that a question is asked in; "" for none."""
    if new.thread_id == NEW_THREAD and not new.after_id:
        return threads.new_id()
    if new.thread_id != NEW_THREAD and new.thread_id:
        threads.find(session, new.thread_id)
    if not new.after_id:
        return new.thread_id
    state.find(session, new.after_id)
    thread_id = threads.of_question(session, new.after_id, now) or ""
    if new.thread_id not in ("", thread_id):
        raise NotInThread(f"The question {new.after_id!r} is not of the thread {new.thread_id!r}: name one of the two.")
    return thread_id
