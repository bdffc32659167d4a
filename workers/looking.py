"""Looks into the knowledge base for a question, and lets nothing out whose citation does not stand in SQL's text."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from pipeline import ask
from pipeline.ask import Attempt
from pipeline.cite import check
from pipeline.variant_learning import rewards
from store import pages
from store.types import Question, Scope

if TYPE_CHECKING:
    from workers.services import Services

__all__ = ["Attempt", "again", "checked", "first", "learn", "second"]

UNSUPPORTED = "No sentence of the answer stands in the pages it cites."


def first(services: Services, question: Question) -> Attempt:
    """Phase 1."""
    return checked(services, ask.first_look(_asked(services, question), services.tools))


def second(services: Services, question: Question) -> Attempt:
    """Phase 2."""
    return checked(services, ask.second_look(_asked(services, question), services.tools))


def again(services: Services, question: Question) -> Attempt:
    """Phase 4."""
    return checked(services, ask.look_again(_asked(services, question), question.variants, services.tools))


def learn(services: Services, attempt: Attempt) -> None:
    """Count which kinds of variant earned a citation of an answer that suffices."""
    if attempt.verdict.sufficient:
        earned = rewards(attempt.variants, attempt.hits, attempt.answer)
        services.variants.learn(attempt.analysis.question_type, earned)


def _asked(services: Services, question: Question) -> ask.Question:
    oldest = services.now() - timedelta(seconds=question.max_age_s) if question.max_age_s is not None else None
    scope = Scope(read_after=oldest)
    return ask.Question(text=question.text, lang=question.lang, task=question.strategy, scope=scope, id=question.id)


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
