"""Answers that readers confirmed, as examples for a model: those most like a question are found by its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select

from store.analyser import words
from store.database import Database
from store.tables import AnswerRow, FeedbackRow, QuestionRow

#: confirmed answers that are looked through, those confirmed last first
LOOKED_THROUGH = 500


@dataclass(frozen=True, kw_only=True)
class Confirmed:
    """A question with the answer that a reader said is right; an honest "not known" is no example."""

    question: str
    answer: str
    lang: str


class ConfirmedAnswers:
    """Finds confirmed answers; what is confirmed counts from the next question on."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def like(self, question: str, *, lang: str, at_most: int) -> Sequence[Confirmed]:
        """Give up to ``at_most`` confirmed answers in this language, those with most words in common first."""
        asked = set(words(question))
        ranked = sorted(self._latest(lang), key=lambda each: -len(asked & set(words(each.question))))
        return ranked[:at_most]

    def _latest(self, lang: str) -> list[Confirmed]:
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
        return [Confirmed(question=q, answer=a, lang=lang) for q, a, citations in found if citations]
