"""What a question has left to spend on a language model."""

from __future__ import annotations

from domain import Question
from pipeline.purse import Purse
from store.database import Database
from store.spending import spent


def purse_of(database: Database, question: Question) -> Purse:
    """Give the question's budget less what its steps have cost."""
    with database.read() as session:
        so_far = spent(session, question.id)
    budget = question.budget
    return Purse(usd=budget.usd - so_far.usd, tokens=budget.tokens - so_far.input_tokens - so_far.output_tokens)
