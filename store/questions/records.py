"""Build a question's record from its rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from pydantic import TypeAdapter
from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from domain import WITH_TEXT, Answer, Status, Verdict
from domain.answer import ASKING_BACK, Citation, short_answer
from domain.file import address_of, folder_of
from domain.flow import COMPLETED, STEPS
from domain.outcome import is_far
from domain.record import ContextHit, Feedback, NearPassage, PageSeen, Record, Timing
from store import folders
from store.crawl import candidates
from store.questions import answers
from store.questions.state import unknown
from store.questions.trace import cost_of, total_cost
from store.sql.rows import to_value
from store.sql.tables import AnswerRow, CandidateRow, FeedbackRow, PageRow, QuestionRow, StepRow, WatchRow

#: passages that are shown with an answer that is not sure, and how much of each
MOST_NEAR: Final = 3
NEAR_CHARACTERS: Final = 300
#: the phase of each step; an answer that is used again was found in the first
_PHASE_OF_STEP = {"reuse": STEPS[Status.ASKED].phase} | {step.step: step.phase for step in STEPS.values()}

#: what a record takes over from its answer
_OF_ANSWER = ("confidence", "sentences", "citations", "structured", "related", "composer", "notice")
#: the JSON in an answer's row; fields that older rows lack have defaults
_CONTEXT, _VERDICT = TypeAdapter(tuple[ContextHit, ...]), TypeAdapter(Verdict)


@dataclass(frozen=True, kw_only=True)
class ProvisionalAnswer:
    """An answer that is not final, with the verdict on its hits, and these."""

    answer: Answer
    verdict: Verdict
    context: tuple[ContextHit, ...]


def read(session: Session, question_id: str, now: datetime) -> Record:
    """Return a question's record; raise :class:`store.questions.state.UnknownQuestion` if there is none."""
    found = session.execute(_QUESTION, {"question": question_id}).first()
    if found is None:
        raise unknown(question_id)
    record = _without_answer(session, found[0], found[1], now)
    answered = session.execute(_LAST_ANSWER, {"question": question_id}).first()
    return record if answered is None else _linked(session, _with_answer(record, answered[0], answered[1]))


_QUESTION = (
    select(QuestionRow, WatchRow)
    .outerjoin(WatchRow, WatchRow.question_id == QuestionRow.id)
    .where(QuestionRow.id == bindparam("question"))
)
_LAST_ANSWER = (
    select(AnswerRow, FeedbackRow)
    .outerjoin(
        FeedbackRow, (FeedbackRow.question_id == AnswerRow.question_id) & (FeedbackRow.revision == AnswerRow.revision)
    )
    .where(AnswerRow.question_id == bindparam("question"))
    .order_by(AnswerRow.revision.desc())
    .limit(1)
)


def _linked(session: Session, record: Record) -> Record:
    """Return a record that cites the files of folders elsewhere by their URLs there."""
    links = folders.links(session, [cited.url for cited in record.citations])

    def linked(cited: Citation) -> Citation:
        start = address_of(folder_of(cited.url), "")
        return replace(cited, url=links[start] + cited.url.removeprefix(start)) if start in links else cited

    return replace(record, citations=tuple(map(linked, record.citations))) if links else record


def _without_answer(session: Session, row: QuestionRow, watch: WatchRow | None, now: datetime) -> Record:
    """Return the record of a question's run, its own or the one it shares, before any answer."""
    run = _run(session, row)
    status = Status(run.status if row.status == Status.FOLLOWING else row.status)
    own = _steps(session, row)
    chosen = candidates.of_question(session, row.id)
    steps = own if run is row else _steps(session, run)
    pages = _pages(session, chosen if run is row else candidates.of_question(session, run.id))
    hits = next((step.detail for step in reversed(steps) if "hits" in step.detail), {})
    return to_value(
        Record,
        row,
        question=row.asked or row.text,
        question_as_understood=row.text if row.asked else None,
        thread=row.thread_id,
        metadata=row.caller_metadata or {},
        status=status,
        current_step=STEPS[status].phase if status in STEPS else None,
        final_step=_final_step(status, steps),
        provisional=False,
        confidence=0.0,
        notice="",
        **dict.fromkeys(("answer", "composer", "verdict")),
        **dict.fromkeys(("sentences", "citations", "context"), ()),
        retry_attempted=any(step.name == "retry" for step in steps),
        paraphrased_queries=tuple(variant["text"] for variant in run.variants or ()),
        online_search_triggered=run.crawl_started_at is not None or status is Status.SEEKING,
        crawl_reason=run.crawl_reason,
        stop_reason=row.stop_reason or run.stop_reason,
        rag_hits_count=int(hits.get("hits", 0)),
        sql_hits_count=int(hits.get("sql_hits", 0)),
        graph_hits_count=int(hits.get("graph_hits", 0)),
        live_urls=tuple(page.url for page in pages if page.outcome in WITH_TEXT),
        pages=pages,
        search_cycles_completed=run.cycle,
        max_search_cycles=int(row.budget["cycles"]),
        entity=_entity([entity for step in steps for entity in step.detail.get("entities", ())]),
        timings=_timings(row, own, chosen),
        seconds=((row.finished_at or now) - (row.asked_again_at or row.created_at)).total_seconds(),
        cost=total_cost(session, row.id) if row.asked_again_at else cost_of(step.detail.get("cost") for step in own),
        revision=0,
        shared_with=row.leader_id,
        watched=watch is not None,
        changed_at=watch.changed_at if watch else None,
    )


def _with_answer(record: Record, row: AnswerRow, judged: FeedbackRow | None) -> Record:
    answer, context = answers.to_answer(row), _CONTEXT.validate_python(row.context)
    verdict = _VERDICT.validate_python(row.verdict) if row.verdict else None
    return replace(
        record,
        provisional=row.provisional,
        asks_back=answer.composer == ASKING_BACK,
        answer=answer.text,
        short_answer=short_answer(answer.sentences) if verdict is None or verdict.sufficient else None,
        context=context,
        nearest=_nearest(context, answer.citations, verdict) if record.outcome in ("unsure", "unknown") else (),
        verdict=verdict,
        revision=row.revision,
        stale=row.stale_at is not None,
        stale_at=row.stale_at,
        feedback=to_value(Feedback, judged) if judged else None,
        **{name: getattr(answer, name) for name in _OF_ANSWER},
    )


def _nearest(
    context: Sequence[ContextHit], cited: Sequence[Citation], verdict: Verdict | None
) -> tuple[NearPassage, ...]:
    """Return the nearest passages besides those that are cited; none where all are on another subject."""
    if verdict is not None and is_far(verdict.evidence):
        return ()
    others = [hit for hit in context if hit.passage_id not in {each.passage_id for each in cited}]
    return tuple(to_value(NearPassage, hit, text=_beginning(hit.text)) for hit in others[:MOST_NEAR])


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= NEAR_CHARACTERS else f"{line[: NEAR_CHARACTERS - 1].rstrip()}…"


def provisional(session: Session, question_id: str) -> ProvisionalAnswer | None:
    """Return a lookup's provisional answer with its verdict and context; None where there is none that was judged.

    What a model has written is left out: it was shown before it was checked.
    """
    row = answers.last(session, question_id, without_models=True)
    if row is None or not row.provisional or not row.verdict:
        return None
    verdict, context = _VERDICT.validate_python(row.verdict), _CONTEXT.validate_python(row.context)
    return ProvisionalAnswer(answer=answers.to_answer(row), verdict=verdict, context=context)


def _run(session: Session, row: QuestionRow) -> QuestionRow:
    """Return the question whose run answers this one: its leader while it shares a run, else itself."""
    shares = row.leader_id is not None and row.status in {Status.FOLLOWING, *COMPLETED}
    leader = session.get(QuestionRow, row.leader_id) if shares else None
    return leader if leader is not None and leader.round == 0 else row


def _steps(session: Session, row: QuestionRow) -> list[StepRow]:
    """Return the steps of the question's latest round."""
    steps = session.scalars(_STEPS, {"question": row.id})
    return [step for step in steps if row.asked_again_at is None or step.started_at >= row.asked_again_at]


_STEPS = select(StepRow).where(StepRow.question_id == bindparam("question")).order_by(StepRow.id)


def _pages(session: Session, read: Sequence[CandidateRow]) -> tuple[PageSeen, ...]:
    rows = [row for row in read if row.kind == "page"]
    named = select(PageRow.id, PageRow.title).where(PageRow.id.in_([row.page_id for row in rows if row.page_id]))
    titles = {row.id: row.title for row in session.execute(named)} if rows else {}
    return tuple(to_value(PageSeen, row, title=titles.get(row.page_id or 0) or row.text) for row in rows)


def _entity(named: Sequence[str]) -> str | None:
    """Return the first name; a number only where nothing else is named."""
    return next((entity for entity in named if not entity[0].isdigit()), named[0] if named else None)


def _final_step(status: Status, steps: Sequence[StepRow]) -> str | None:
    if not status.is_final:
        return None
    return next((_PHASE_OF_STEP[step.name] for step in reversed(steps) if step.name in _PHASE_OF_STEP), None)


def _timings(row: QuestionRow, own: Sequence[StepRow], pages_read: Sequence[CandidateRow]) -> tuple[Timing, ...]:
    """Return the times of the question's steps and of each wave of pages that it read, by their start."""
    waves: dict[int, list[CandidateRow]] = {}
    for page in pages_read:
        if page.elapsed_s > 0 and page.settled_at and page.settled_at >= (row.asked_again_at or row.created_at):
            waves.setdefault(page.wave, []).append(page)
    read = [_reading(wave, pages) for wave, pages in waves.items()]
    steps = [to_value(Timing, step, step=step.name) for step in own if step.name != "feedback"]
    return tuple(sorted((*steps, *read), key=lambda timing: timing.started_at))


def _reading(wave: int, pages: Sequence[CandidateRow]) -> Timing:
    spans = [(ended - timedelta(seconds=page.elapsed_s), ended) for page in pages if (ended := page.settled_at)]
    took: dict[str, Any] = {"seconds": candidates.covered_s(spans), "started_at": min(start for start, _ in spans)}
    return Timing(step="read", cycle=wave, attempt=1, outcome="read", **took)
