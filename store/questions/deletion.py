"""Delete questions with their answers, evidence, traces, feedback, watches and deliveries: some, or the old ones.

Old ones go a small batch at a time, unless they are watched, a reader said whether they are right, or their thread goes
on; what was read stays.
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from store.questions import threads
from store.sql.rows import delete_rows, update_rows
from store.sql.tables import CandidateRow, FeedbackRow, QuestionRow, SiteReadRow, ThreadRow, VariantsRow, WatchRow


def delete_questions(session: Session, question_ids: Sequence[str]) -> None:
    """Delete ended questions; what hangs on their rows goes with them, a thread with its last question."""
    deleted = QuestionRow.id.in_(question_ids)
    texts = select(QuestionRow.text).where(deleted)
    threaded = select(QuestionRow.thread_id).where(deleted, QuestionRow.thread_id.is_not(None)).distinct()
    asked_in = [thread_id for thread_id in session.scalars(threaded) if thread_id]
    delete_rows(session, VariantsRow, VariantsRow.question.in_(texts))
    for column in (QuestionRow.leader_id, QuestionRow.cached_from):
        update_rows(session, QuestionRow, column.in_(question_ids), **{column.key: None})
    delete_rows(session, QuestionRow, deleted)
    for thread_id in asked_in:
        threads.remove_if_empty(session, thread_id)


def delete_ended(session: Session, before: datetime, most: int) -> list[str]:
    """Delete up to ``most`` questions that ended before; return their ids.

    A younger question may go on naming one of them as where its answer came from; its answer and evidence are its own.
    """
    kept = (
        exists().where(WatchRow.question_id == QuestionRow.id),
        exists().where(FeedbackRow.question_id == QuestionRow.id),
        exists().where(ThreadRow.id == QuestionRow.thread_id, ThreadRow.updated_at >= before),
    )
    # the condition on `created_at` follows from the other one: it has an index, from whose beginning the batch is taken
    ended = (QuestionRow.created_at < before, QuestionRow.finished_at < before)
    query = select(QuestionRow.id, QuestionRow.thread_id).where(*ended, *(~each for each in kept))
    rows = session.execute(query.order_by(QuestionRow.created_at).limit(most)).all()
    ids = [row.id for row in rows]
    delete_rows(session, QuestionRow, QuestionRow.id.in_(ids))
    for thread_id in {row.thread_id for row in rows if row.thread_id}:
        threads.remove_if_empty(session, thread_id)
    return ids


def delete_site_reads(session: Session, before: datetime, most: int) -> int:
    """Delete up to ``most`` candidates of site reads that ended before, and reads without any; return how many rows."""
    over = select(SiteReadRow.id).where(SiteReadRow.finished_at < before)
    found = select(CandidateRow.id).where(CandidateRow.site_read_id.in_(over)).limit(most)
    if ids := session.scalars(found).all():
        delete_rows(session, CandidateRow, CandidateRow.id.in_(ids))
    elif ids := session.scalars(over.limit(most)).all():
        delete_rows(session, SiteReadRow, SiteReadRow.id.in_(ids))
    return len(ids)


def delete_variants(session: Session, before: datetime, most: int) -> int:
    """Delete up to ``most`` variants of questions that were made before; return how many."""
    keys = list(session.scalars(select(VariantsRow.key).where(VariantsRow.made_at < before).limit(most)))
    delete_rows(session, VariantsRow, VariantsRow.key.in_(keys))
    return len(keys)
