"""Confirmed answers as the pipeline takes them: examples for a model."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline import few_shot
from store.database import Database
from store.solved import ConfirmedAnswers


class Solved:
    """Confirmed answers in SQL."""

    def __init__(self, database: Database) -> None:
        self._confirmed = ConfirmedAnswers(database)

    def like(self, question: str, *, lang: str, at_most: int) -> Sequence[few_shot.Solved]:
        """Give up to ``at_most`` confirmed answers to questions like this one."""
        found = self._confirmed.like(question, lang=lang, at_most=at_most)
        return [few_shot.Solved(question=each.question, answer=each.answer, lang=each.lang) for each in found]
