"""Compute what a question may still spend on a language model."""

from __future__ import annotations

from domain import Question
from pipeline.llm import SpendingBudget
from store.questions.trace import spent
from store.sql.database import Database


def remaining_budget(database: Database, question: Question) -> SpendingBudget:
    """Return the question's budget minus the cost of its steps."""
    with database.read() as session:
        so_far = spent(session, question.id)
    budget = question.budget
    return SpendingBudget(
        usd=budget.usd - so_far.usd, tokens=budget.tokens - so_far.input_tokens - so_far.output_tokens
    )
