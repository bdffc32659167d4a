"""Compute what a question may still spend on a language model."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from domain import Question
from pipeline.llm import SpendingBudget
from store.questions.trace import spent

if TYPE_CHECKING:
    from workers.services import Services

#: seconds before its deadline at which a question does without a model
MARGIN_S = 2.0


def remaining_budget(services: Services, question: Question) -> SpendingBudget:
    """Return the question's budget minus the cost of its steps, and the time until shortly before its deadline."""
    with services.database.read() as session:
        so_far = spent(session, question.id)
    budget = question.budget
    return SpendingBudget(
        usd=budget.usd - so_far.usd,
        tokens=budget.tokens - so_far.input_tokens - so_far.output_tokens,
        seconds=(question.deadline - services.now()) / timedelta(seconds=1) - MARGIN_S,
    )
