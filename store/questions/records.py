"""The record of a question: everything a caller may see of it, the same for the API, the CLI and webhooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from domain import WITH_TEXT, Status
from domain.contradiction import Contradiction
from domain.record import Feedback, PageSeen, Timing
from domain.short_answer import contradictions_of, short_answer, to_sentence
from store.crawl import candidates
from store.questions import answers, feedback
from store.questions.spending import total_cost
from store.questions.state import find
from store.sql.tables import AnswerRow, CandidateRow, PageRow, QuestionRow, StepRow, WatchRow

#: the phase a status belongs to, as the four-phase design counts them
PHASES = {
    Status.ASKED: "phase1_initial_lookup",
    Status.RETRYING: "phase2_retry_paraphrased",
    Status.SEEKING: "phase3_web_crawl",
    Status.READING: "phase3_web_crawl",
    Status.EMBEDDING: "phase3_web_crawl",
    Status.REQUERYING: "phase4_requery",
}

_PHASE_OF_STEP = {
    "retrieve": "phase1_initial_lookup",
    "retry": "phase2_retry_paraphrased",
    "seek": "phase3_web_crawl",
    "requery": "phase4_requery",
    "reuse": "phase1_initial_lookup",
}


@dataclass(frozen=True, kw_only=True)
class Record:
    """A question as its asker sees it."""

    id: str
    question: str
    status: Status
    current_step: str | None  #: the phase that works on it; None at the end
    final_step: str | None  #: the phase that ended it
    provisional: bool  #: whether the answer may still change
    answer: str | None
    short_answer: str | None  #: the few words of it that say just what was asked; None where that is unsure
    contradictions: Sequence[Contradiction]  #: where the cited pages disagree
    confidence: float
    sentences: Sequence[dict[str, Any]]
    citations: Sequence[dict[str, Any]]
    context: Sequence[dict[str, Any]]  #: the hits the answer was made from
    composer: str | None
    notice: str
    verdict: dict[str, Any] | None
    retry_attempted: bool
    paraphrased_queries: Sequence[str]
    online_search_triggered: bool
    crawl_reason: str | None
    stop_reason: str | None  #: why the crawl ended
    rag_hits_count: int
    sql_hits_count: int
    graph_hits_count: int
    live_urls: Sequence[str]  #: the pages read for this question
    pages: Sequence[PageSeen]
    search_cycles_completed: int
    max_search_cycles: int
    entity: str | None  #: the first thing the question names
    timings: Sequence[Timing]
    seconds: float  #: from asking to the end, or to now
    cost: dict[str, Any]
    error: str | None
    revision: int
    shared_with: str | None  #: the equal question whose run this one shares, or shared
    cached_from: str | None  #: the equal question whose answer was given again
    stale: bool  #: whether a page that the answer cites has changed or vanished since
    stale_at: datetime | None  #: when that was found
    watched: bool  #: whether it is asked again when that happens
    changed_at: datetime | None  #: when its watcher was last told of another answer
    round: int  #: how often it was asked again
    feedback: Feedback | None  #: what a reader said of this revision
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None


def read(session: Session, question_id: str, now: datetime) -> Record:
    """Gather a question's record; raises :class:`store.questions.state.UnknownQuestion`."""
    find(session, question_id)
    row = session.get_one(QuestionRow, question_id)
    run, answer = _run(session, row), answers.last(session, question_id)
    return Record(
        id=row.id,
        question=row.text,
        **_said(session, answer),
        **_done(session, row, run),
        provisional=answer is not None and answer.provisional,
        stop_reason=row.stop_reason or run.stop_reason,
        max_search_cycles=int(row.budget["cycles"]),
        seconds=((row.finished_at or now) - (row.asked_again_at or row.created_at)).total_seconds(),
        cost=asdict(total_cost(session, question_id)),
        error=row.error,
        shared_with=row.leader_id,
        cached_from=row.cached_from,
        **_standing(session, question_id),
        round=row.round,
        created_at=row.created_at,
        updated_at=row.updated_at,
        finished_at=row.finished_at,
    )


def _said(session: Session, answer: AnswerRow | None) -> dict[str, Any]:
    """The record's fields of the latest answer."""
    if answer is None:
        nothing = dict.fromkeys(("answer", "short_answer", "composer", "verdict", "stale_at", "feedback"))
        lists: dict[str, Any] = dict.fromkeys(("contradictions", "sentences", "citations", "context"), ())
        return {**nothing, **lists, "confidence": 0.0, "notice": "", "revision": 0, "stale": False}
    sentences = [to_sentence(kept) for kept in answer.sentences]
    return {
        "answer": answer.text,
        "short_answer": short_answer(sentences),
        "contradictions": contradictions_of(sentences),
        "confidence": answer.confidence,
        "sentences": answer.sentences,
        "citations": answer.citations,
        "context": answer.context,
        "composer": answer.composer,
        "notice": answer.notice,
        "verdict": answer.verdict or None,
        "revision": answer.revision,
        "stale": answer.stale_at is not None,
        "stale_at": answer.stale_at,
        "feedback": feedback.find(session, answer.question_id, answer.revision),
    }


def _done(session: Session, row: QuestionRow, run: QuestionRow) -> dict[str, Any]:
    """The record's fields of what was done for a question, by itself or by the run that it shares."""
    status = Status(run.status if row.status == Status.FOLLOWING else row.status)
    steps, pages = _steps(session, run), _pages(session, run.id)
    looked = next((step.detail for step in reversed(steps) if "hits" in step.detail), {})
    return {
        "status": status,
        "current_step": PHASES.get(status),
        "final_step": _final_step(status, steps),
        "retry_attempted": any(step.name == "retry" for step in steps),
        "paraphrased_queries": [variant["text"] for variant in run.variants or ()],
        "online_search_triggered": run.crawl_started_at is not None,
        "crawl_reason": run.crawl_reason,
        "rag_hits_count": int(looked.get("hits", 0)),
        "sql_hits_count": int(looked.get("sql_hits", 0)),
        "graph_hits_count": int(looked.get("graph_hits", 0)),
        "live_urls": [page.url for page in pages if page.outcome in WITH_TEXT],
        "pages": pages,
        "search_cycles_completed": run.cycle,
        "entity": next((entity for step in steps for entity in step.detail.get("entities", ())), None),
        "timings": [_timing(step) for step in _steps(session, row) if step.name != "feedback"],
    }


def _standing(session: Session, question_id: str) -> dict[str, Any]:
    """The record's fields of whether it is watched."""
    watch = session.get(WatchRow, question_id)
    return {"watched": watch is not None, "changed_at": watch.changed_at if watch else None}


def latest(session: Session, limit: int = 20) -> list[QuestionRow]:
    """The questions asked last, newest first."""
    return list(session.scalars(select(QuestionRow).order_by(QuestionRow.created_at.desc()).limit(limit)))


def _run(session: Session, row: QuestionRow) -> QuestionRow:
    """The question that does, or did, the work for this one: its leader while it shares a run, else itself."""
    shares = row.leader_id is not None and row.status in (Status.FOLLOWING, Status.ANSWERED, Status.ABSTAINED)
    leader = session.get(QuestionRow, row.leader_id) if shares else None
    return leader if leader is not None and leader.round == 0 else row


def _steps(session: Session, row: QuestionRow) -> list[StepRow]:
    """The steps of the question's latest round."""
    query = select(StepRow).where(StepRow.question_id == row.id)
    if row.asked_again_at is not None:
        query = query.where(StepRow.started_at >= row.asked_again_at)
    return list(session.scalars(query.order_by(StepRow.id)))


def _pages(session: Session, question_id: str) -> list[PageSeen]:
    rows = [row for row in candidates.of_question(session, question_id) if row.kind == "page"]
    titles = _titles(session, rows)
    return [
        PageSeen(
            url=row.url,
            title=titles.get(row.page_id or 0) or row.text,
            outcome=row.outcome,
            reason=row.reason,
            wave=row.wave,
        )
        for row in rows
    ]


def _titles(session: Session, rows: Sequence[CandidateRow]) -> dict[int, str]:
    ids = [row.page_id for row in rows if row.page_id is not None]
    return {row.id: row.title for row in session.execute(select(PageRow.id, PageRow.title).where(PageRow.id.in_(ids)))}


def _final_step(status: Status, steps: Sequence[StepRow]) -> str | None:
    if not status.is_final:
        return None
    return next((_PHASE_OF_STEP[step.name] for step in reversed(steps) if step.name in _PHASE_OF_STEP), None)


def _timing(step: StepRow) -> Timing:
    return Timing(
        step=step.name,
        cycle=step.cycle,
        attempt=step.attempt,
        outcome=step.outcome,
        seconds=(step.finished_at - step.started_at).total_seconds(),
        started_at=step.started_at,
    )
