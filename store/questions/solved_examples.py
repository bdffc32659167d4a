"""Questions with answers that readers confirmed, as examples for a model: those most like one, by its words."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select

from domain import SolvedQuestion
from store.sql.database import Database
from store.sql.tables import AnswerRow, FeedbackRow, QuestionRow
from text.analyser import words

#: solved questions that are looked through, those confirmed last first
LOOKED_THROUGH = 500


class SolvedReader:
    """Finds solved questions; what a reader confirms counts from the next question on.

    An honest "not known" is no example, however right.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def like(self, question: str, *, lang: str, at_most: int) -> Sequence[SolvedQuestion]:
        """Return up to ``at_most`` solved questions in this language, those with most words in common first."""
        asked = set(words(question))
        ranked = sorted(self._latest(lang), key=lambda each: -len(asked & set(words(each.question))))
        return ranked[:at_most]

    def _latest(self, lang: str) -> list[SolvedQuestion]:
        query = (
            select(QuestionRow.text, AnswerRow.text, AnswerRow.citations)
            .join(FeedbackRow, FeedbackRow.question_id == QuestionRow.id)
            .join(
                AnswerRow,
                (AnswerRow.question_id == FeedbackRow.question_id) & (AnswerRow.revision == FeedbackRow.revision),
            )
            .where(FeedbackRow.verdict == "right", QuestionRow.lang == lang, AnswerRow.stale_at.is_(None))
            .order_by(FeedbackRow.updated_at.desc())
            .limit(LOOKED_THROUGH)
        )
        with self._database.read() as session:
            found = session.execute(query).all()
        return [SolvedQuestion(question=q, answer=a, lang=lang) for q, a, citations in found if citations]
