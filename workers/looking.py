"""Looks into the knowledge base for a question, and lets nothing out whose citation does not stand in SQL's text."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from pipeline import ask
from pipeline.ask import Attempt
from pipeline.cite import check
from pipeline.purse import Purse
from pipeline.variant_learning import rewards
from store import pages
from store.spending import spent
from store.types import Question, Scope

if TYPE_CHECKING:
    from workers.services import Services

__all__ = ["Attempt", "again", "checked", "first", "learn", "second"]

UNSUPPORTED = "No sentence of the answer stands in the pages it cites."


def first(services: Services, question: Question) -> Attempt:
    """Phase 1."""
    return checked(services, ask.first_look(_asked(services, question), _tools(services, question)))


def second(services: Services, question: Question) -> Attempt:
    """Phase 2."""
    return checked(services, ask.second_look(_asked(services, question), _tools(services, question)))


def again(services: Services, question: Question) -> Attempt:
    """Phase 4."""
    return checked(services, ask.look_again(_asked(services, question), question.variants, _tools(services, question)))


def learn(services: Services, attempt: Attempt) -> None:
    """Count which kinds of variant earned a citation of an answer that suffices."""
    if attempt.verdict.sufficient:
        earned = rewards(attempt.variants, attempt.hits, attempt.answer)
        services.variants.learn(attempt.analysis.question_type, earned)


def _asked(services: Services, question: Question) -> ask.Question:
    oldest = services.now() - timedelta(seconds=question.max_age_s) if question.max_age_s is not None else None
    scope = Scope(read_after=oldest)
    return ask.Question(text=question.text, lang=question.lang, task=question.strategy, scope=scope, id=question.id)


def _tools(services: Services, question: Question) -> ask.Tools:
    """The process's tools, with a model that pays from what this question has left."""
    tools = services.tools
    if tools.model is None:
        return tools
    with services.database.read() as session:
        so_far = spent(session, question.id)
    budget = question.budget
    purse = Purse(usd=budget.usd - so_far.usd, tokens=budget.tokens - so_far.input_tokens - so_far.output_tokens)
    return replace(tools, model=tools.model.within(purse))


def checked(services: Services, attempt: Attempt) -> Attempt:
    """The attempt with an answer all of whose citations stand; with none left the hits do not suffice."""
    if attempt.answer is None:
        return attempt
    with services.database.read() as session:
        texts = pages.texts(session, [citation.page_id for citation in attempt.answer.citations])
    answer = check(attempt.answer, texts.get)
    if answer.citations or not attempt.verdict.sufficient:
        return replace(attempt, answer=answer)
    return replace(attempt, answer=answer, verdict=replace(attempt.verdict, sufficient=False, reason=UNSUPPORTED))
