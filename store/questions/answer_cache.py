"""Start a question: with the answer of an equal one, as the follower of an equal unfinished one, or by itself.

An answer is used again while no page that it cites has changed. A "not known" is used again while nothing was read
since, and, where the web may be read, only as long as a page read is fresh.
"""

from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from domain import ReadOutcome, Status
from store.crawl import candidates
from store.questions import answers, evidence, shared_runs, steps
from store.questions.state import advance
from store.sql.tables import AnswerRow, CandidateRow, FeedbackRow, QuestionRow, SourceRow

#: equal questions whose answers are looked at, the latest first
LOOKED_AT = 5
#: how long "I do not know" is reused before the web is read again
UNKNOWN_FOR = timedelta(minutes=10)


def start_from_cache_or_run(session: Session, row: QuestionRow, now: datetime) -> None:
    """Give a locked new question the answer or the run of an equal one, if it may share one."""
    if not row.reuse or not row.equal_key:
        return
    shared_runs.lock_key(session, row.equal_key)
    if (leader := shared_runs.leader_for(session, row)) is not None:
        shared_runs.join(row, leader)
        if (so_far := answers.last(session, leader.id)) is not None and so_far.provisional:
            answers.copy_to(session, so_far, [row.id], now)
    elif (found := _known(session, row, now)) is not None:
        _take(session, row, *found, now)


def _take(session: Session, row: QuestionRow, origin: QuestionRow, known: AnswerRow, now: datetime) -> None:
    answers.copy_to(session, known, [row.id], now)
    row.cached_from, row.lang, row.missing = origin.id, origin.lang, origin.missing
    shared_runs.understand_as(row, origin)
    detail = {"from": origin.id, "revision": known.revision, "hits": len(known.context)}
    steps.add(session, row, "reuse", outcome=origin.status.lower(), detail=detail, started_at=now, now=now)
    advance(session, row, Status(origin.status), now)


def _known(session: Session, row: QuestionRow, now: datetime) -> tuple[QuestionRow, AnswerRow] | None:
    """Return an equal question with the latest answer that is still current."""
    query = (
        select(QuestionRow)
        .where(
            QuestionRow.equal_key == row.equal_key,
            QuestionRow.status.in_((Status.ANSWERED, Status.ABSTAINED)),
            QuestionRow.id != row.id,
            QuestionRow.cached_from.is_(None),  # only originals: a copy is newer than its evidence
        )
        .order_by(QuestionRow.finished_at.desc())
    )
    for equal in session.scalars(query.limit(LOOKED_AT)).all():
        answer = answers.last(session, equal.id)
        if answer is not None and not answer.provisional and _holds(session, row, equal, answer, now):
            return equal, answer
    return None


def _holds(session: Session, row: QuestionRow, equal: QuestionRow, answer: AnswerRow, now: datetime) -> bool:
    if _contradicted(session, row.equal_key, answer):
        return False
    if equal.status == Status.ANSWERED:
        return evidence.is_current(session, answer, read_after=evidence.oldest(row.max_age_s, now))
    return (
        answer.stale_at is None
        and not evidence.read_since(session, row, answer.created_at)
        and (not row.crawl_enabled or _web_said_no(session, row, equal, answer, now))
    )


def _contradicted(session: Session, equal_key: str, answer: AnswerRow) -> bool:
    """Return whether a reader of this answer, under whichever equal question, said that it is wrong."""
    query = (
        select(FeedbackRow.id)
        .join(QuestionRow, QuestionRow.id == FeedbackRow.question_id)
        .join(AnswerRow, (AnswerRow.question_id == QuestionRow.id) & (AnswerRow.revision == FeedbackRow.revision))
        .where(QuestionRow.equal_key == equal_key, FeedbackRow.verdict != "right", AnswerRow.text == answer.text)
    )
    return session.scalar(query.limit(1)) is not None


def _web_said_no(session: Session, row: QuestionRow, equal: QuestionRow, answer: AnswerRow, now: datetime) -> bool:
    """Return whether the crawl that found nothing is fresh, read all it wanted, and would be the same again."""
    origin = session.get_one(QuestionRow, equal.leader_id or equal.id)
    spent = candidates.spent(session, origin.id, now)
    failed = select(CandidateRow.id).where(
        CandidateRow.question_id == origin.id,
        CandidateRow.outcome.in_((ReadOutcome.FAILED, ReadOutcome.SKIPPED, ReadOutcome.BLOCKED, ReadOutcome.WALL)),
    )
    added = select(SourceRow.id).where(SourceRow.created_at > answer.created_at)
    return (
        now - answer.created_at < UNKNOWN_FOR
        and origin.budget == row.budget
        and origin.cycle < origin.budget["cycles"]
        and spent.pages < origin.budget["pages"]
        and spent.bytes < origin.budget["bytes"]
        and spent.seconds < origin.budget["seconds"]
        and session.scalar(failed.limit(1)) is None
        and session.scalar(added.limit(1)) is None
    )
