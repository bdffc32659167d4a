"""Feedback in SQL as a site leaves it, without asking each question."""

from __future__ import annotations

from uuid import uuid4

from sqlalchemy import insert

from domain import Status
from store.questions import new_questions
from store.questions.new_questions import NewQuestion
from store.sql.tables import FeedbackRow, QuestionRow
from tests.fakes import HashingEmbedder
from tests.pipeline.learning.cases import history
from workers.services import Services


def put_history(services: Services, count: int = 240, *, embedder: str = HashingEmbedder.id) -> None:
    """Put what readers say where the judge is too sure."""
    now, answers = services.now(), list(history(count, shift=0.25))
    with services.database.write() as session:
        asked, _ = new_questions.ask(
            session, NewQuestion(text=answers[0].question, lang=answers[0].lang, reuse=False), now
        )
        row = session.get_one(QuestionRow, asked.id)
        row.status, row.finished_at = Status.ANSWERED, now  # an open one would be worked on, and its pages read
        like = {column.key: getattr(row, column.key) for column in QuestionRow.__table__.columns}
        ids = [asked.id, *(uuid4().hex for _ in answers[1:])]
        named = [{"id": id, "text": each.question, "lang": each.lang} for id, each in zip(ids, answers, strict=True)]
        session.execute(insert(QuestionRow), [like | each for each in named[1:]])
        said = {"revision": 1, "created_at": now, "updated_at": now, "comment": ""}
        session.execute(
            insert(FeedbackRow),
            [
                said
                | {
                    "question_id": id,
                    "verdict": "right" if each.right else "wrong",
                    "features": {"embedder": embedder, "evidence": {**each.evidence, "beside_the_point": 0.0}},
                }
                for id, each in zip(ids, answers, strict=True)
            ],
        )
