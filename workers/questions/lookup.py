"""Looks into the knowledge base for a question, and lets nothing out whose citation does not stand in SQL's text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from domain import Question, Scope
from pipeline import ask
from pipeline.answering.citations import check, with_dates
from pipeline.answering.notices import disagreement_notice, outdated_notice, with_notice
from pipeline.ask import LookupResult
from store.pages import pages
from store.questions import evidence
from workers.questions.spending import remaining_budget
from workers.questions.streaming import telling
from workers.questions.transitions import earned

if TYPE_CHECKING:
    from workers.services import Services

__all__ = ["LookupResult", "again", "checked", "first", "learn", "second"]

UNSUPPORTED = "No sentence of the answer stands in the pages it cites."


def first(services: Services, question: Question) -> LookupResult:
    """Phase 1."""
    return _served(services, question, ask.first_pass(_asked(services, question), _tools(services, question)))


def second(services: Services, question: Question) -> LookupResult:
    """Phase 2."""
    return _served(services, question, ask.second_pass(_asked(services, question), _tools(services, question)))


def again(services: Services, question: Question) -> LookupResult:
    """Phase 4."""
    return _served(
        services, question, ask.final_pass(_asked(services, question), question.variants, _tools(services, question))
    )


def learn(services: Services, attempt: LookupResult) -> None:
    """Count which kinds of variant earned a citation of an answer that suffices."""
    services.variants.learn(attempt.analysis.question_type, earned(attempt))


def _asked(services: Services, question: Question) -> ask.Query:
    oldest = evidence.oldest_for(question, services.now())
    scope = Scope(sites=_with_either_scheme(question.sites), langs=question.langs)
    if oldest is not None:
        with services.database.read() as session:
            scope = replace(scope, read_after=oldest, confirmed=tuple(pages.confirmed_since(session, oldest)))
    return ask.Query(text=question.text, lang=question.lang, task=question.strategy, scope=scope, id=question.id)


def _with_either_scheme(sites: Sequence[str]) -> tuple[str, ...]:
    """The sites by http and by https: the one may have led to the other."""
    bare = dict.fromkeys(site.partition("://")[2] for site in sites)
    return tuple(f"{scheme}://{rest}" for rest in bare for scheme in ("http", "https"))


def _tools(services: Services, question: Question) -> ask.Tools:
    """The process's tools, with what was learned by now, and a model.

    That pays from what this question has left and is listened to as it writes.
    """
    tools = replace(services.tools, learned=services.learned.now())
    if tools.model is None:
        return tools
    budget = remaining_budget(services.database, question)
    return replace(tools, model=tools.model.within(budget), on_answer=telling(services, question.id))


def _served(services: Services, question: Question, attempt: LookupResult) -> LookupResult:
    """The checked attempt, which says where its pages are older than was asked for."""
    attempt = checked(services, attempt)
    oldest = evidence.oldest_for(question, services.now())
    if attempt.answer is None or oldest is None:
        return attempt
    return replace(
        attempt, answer=with_notice(attempt.answer, outdated_notice(attempt.answer, oldest, attempt.analysis.lang))
    )


def checked(services: Services, attempt: LookupResult) -> LookupResult:
    """The attempt with an answer all of whose citations stand and are dated; with none left there is no answer."""
    if attempt.answer is None:
        return attempt
    with services.database.read() as session:
        cited = [citation.page_id for citation in attempt.answer.citations]
        texts, dates = pages.texts(session, cited), pages.dates(session, cited)
    answer = with_dates(check(attempt.answer, texts.get), dates)
    answer = with_notice(answer, disagreement_notice(answer, attempt.analysis.lang))
    if answer.citations:
        return replace(attempt, answer=answer)
    verdict = replace(attempt.verdict, sufficient=False, reason=UNSUPPORTED)
    return replace(attempt, answer=None, verdict=verdict if attempt.verdict.sufficient else attempt.verdict)
