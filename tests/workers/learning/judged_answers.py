"""Feedback in SQL as a site leaves it, without asking each question."""

from __future__ import annotations

from domain import Status
from store.questions import new_questions
from store.questions.new_questions import NewQuestion
from store.sql.tables import FeedbackRow, QuestionRow
from tests.fakes import HashingEmbedder
from tests.pipeline.learning.cases import history
from workers.services import Services


def put_history(services: Services, count: int = 240, *, embedder: str = HashingEmbedder.id) -> None:
    """Put what readers say where the judge is too sure."""
    now = services.now()
    with services.database.write() as session:
        for each in history(count, shift=0.25):
            asked, _ = new_questions.ask(session, NewQuestion(text=each.question, lang=each.lang), now)
            row = session.get_one(QuestionRow, asked.id)
            row.status, row.finished_at = Status.ANSWERED, now  # an open one would be worked on, and its pages read
            said = FeedbackRow(question_id=asked.id, revision=1, created_at=now, updated_at=now, comment="")
            said.verdict = "right" if each.right else "wrong"
            said.features = {
                "embedder": embedder,
                "evidence": {**each.evidence, "beside_the_point": 0.0},
            }
            session.add(said)
