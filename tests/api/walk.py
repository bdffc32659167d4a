"""Moves questions on as the workers would, by the same functions, without a worker."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from threading import Thread

from domain import Answer, Citation, Cost, Focus, PageText, Question, Sentence, Status, Validators, Verdict
from domain.record import ContextHit
from pipeline.abstain import as_perhaps
from store.pages import pages
from store.questions import new_questions, state
from store.questions.listing import latest
from store.questions.state import Changes, Move
from store.questions.trace import LookupDetail
from store.sql import leases
from store.sql.tables import QuestionRow
from workers.questions.step import notify_moved
from workers.services import Services

TEXT = "Über den Turm 🗼: The lighthouse was built in 1871 by Robert Tallis. It has 176 steps."
QUOTE = "The lighthouse was built in 1871 by Robert Tallis."
BUILDER = "Robert Tallis"
VERDICT = Verdict(sufficient=True, confidence=0.9, reason="covered", missing=("x",), judge="calibrated")


def move(services: Services, question_id: str, move: Move, *, step: str = "retrieve") -> None:
    """Claim the question, record the move, tell who listens."""
    now = services.now()
    with services.database.write() as session:
        question = state.find(session, question_id)
        waits = QuestionRow.status == question.status
        lease = leases.claim(session, QuestionRow, question_id, waits, now)
        assert lease is not None
        assert state.record(session, lease, move, step=step, started_at=now, now=now)
    notify_moved(services, question, move)


def move_soon(services: Services, *moves: Move, text: str = "") -> Thread:
    """Move the next question (with this text) on as soon as it is asked, from another thread."""

    def run() -> None:
        while not (asked := _asked(services, text)):
            time.sleep(0.01)
        for each in moves:
            move(services, asked[0].id, each)

    thread = Thread(target=run, daemon=True)
    thread.start()
    return thread


def _asked(services: Services, text: str) -> list[QuestionRow]:
    with services.database.read() as session:
        return [row for row in latest(session) if text in ("", row.text)]


def keep_page(services: Services, url: str = "https://example.org/tower") -> int:
    """A stored page."""
    with services.database.write() as session:
        page_id, _ = pages.save(
            session,
            url=url,
            host="https://example.org",
            page=PageText(title="The tower", text=TEXT, lang="en"),
            content_hash="h",
            validators=Validators(),
            depth=0,
            now=services.now(),
        )
    return page_id


def answer(page_id: int = 1, *, text: str = "Robert Tallis built it in 1871 [1].") -> Answer:
    start = TEXT.index(QUOTE)
    citation = Citation(
        marker=1,
        passage_id=f"{page_id}-0",
        page_id=page_id,
        url="https://example.org/tower",
        title="The tower",
        quote=QUOTE,
        start=start,
        end=start + len(QUOTE),
    )
    return Answer(
        text=text,
        sentences=(Sentence(text=text, markers=(1,), focus=_focus(text)),),
        citations=(citation,),
        confidence=0.9,
        composer="extractive",
    )


def _focus(text: str) -> Focus | None:
    start = text.find(BUILDER)
    return Focus(start=start, end=start + len(BUILDER), confidence=0.8) if start >= 0 else None


def insufficient(to: Status) -> Move:
    return Move(to=to, outcome="insufficient", detail=LookupDetail(hits=2, entities=["Tallis"]))


def provisional(to: Status = Status.SEEKING) -> Move:
    return Move(to=to, outcome="insufficient", answer=answer(text="Perhaps."), verdict=VERDICT)


def abstained() -> Move:
    """The end of a question that is not known."""
    nothing = Answer(text="That is not known.", sentences=(), citations=(), confidence=0.1, composer="extractive")
    return Move(
        to=Status.ABSTAINED, outcome="insufficient", answer=nothing, changes=Changes(stop_reason="all was read")
    )


@dataclass(frozen=True, kw_only=True)
class PaidLookup(LookupDetail):
    """A lookup and what a model cost after it, in one step."""

    cost: Cost


def answered(page_id: int = 1) -> Move:
    context = ContextHit(
        rank=1,
        score=0.9,
        similarity=None,
        passage_id=f"{page_id}-0",
        page_id=page_id,
        url="https://example.org/tower",
        title="The tower",
        text=TEXT,
    )
    return Move(
        to=Status.ANSWERED,
        outcome="sufficient",
        detail=PaidLookup(hits=3, cost=Cost(model="m", input_tokens=5, output_tokens=1, usd=0.1)),
        answer=answer(page_id),
        verdict=VERDICT,
        context=[context],
    )


def unsure(page_id: int = 1) -> Move:
    """The end of a question whose answer is perhaps right, with a passage that is near and not cited."""
    sure = answered(page_id)
    assert sure.answer is not None
    (cited,) = sure.context
    near = replace(cited, rank=2, passage_id=f"{page_id}-1", title="The tower › Steps", text="It has 176 steps. " * 30)
    return replace(
        sure,
        outcome="unsure",
        answer=as_perhaps(replace(sure.answer, confidence=0.4), "en"),
        verdict=replace(VERDICT, sufficient=False, confidence=0.4),
        context=[cited, near],
    )


def ask_in(services: Services, thread_id: str, text: str) -> None:
    """A question of a thread, which waits in its first step."""
    understood = new_questions.Understood(text=text, thread_id=thread_id)
    with services.database.write() as session:
        new_questions.ask(session, new_questions.NewQuestion(text=text), services.now(), understood)


def ask(services: Services, text: str = "Who built the lighthouse?") -> Question:
    """A question that waits in its first step."""
    with services.database.write() as session:
        question, _ = new_questions.ask(session, new_questions.NewQuestion(text=text), services.now())
    services.events.publish(question.id, "status", {"status": question.status})
    return question


def question(services: Services, question_id: str) -> Question:
    """The question as it is stored."""
    return services.read(state.find, question_id)
