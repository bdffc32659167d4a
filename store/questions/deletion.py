"""Delete a question with its answers, evidence, trace, feedback, watches and deliveries."""

from __future__ import annotations

from sqlalchemy import delete, update
from sqlalchemy.orm import Session

from store.questions import threads
from store.sql.tables import QuestionRow, VariantsRow


def delete_question(session: Session, question_id: str) -> None:
    """Delete an ended question; what hangs on its row goes with it, its thread with its last question."""
    row = session.get_one(QuestionRow, question_id)
    session.execute(delete(VariantsRow).where(VariantsRow.question == row.text))
    for column in (QuestionRow.leader_id, QuestionRow.cached_from):
        session.execute(update(QuestionRow).where(column == question_id).values({column.key: None}))
    thread_id = row.thread_id
    session.execute(delete(QuestionRow).where(QuestionRow.id == question_id))
    if thread_id:
        threads.remove_if_empty(session, thread_id)
