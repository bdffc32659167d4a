"""Claude reads facts out of pages only where that is wanted, for a question, and out of that question's budget."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from crawler.read import ReadResult
from domain import Budget, Fact, PageText, Question
from evals.model.wire import Fail, say_json
from pipeline.models.model import LanguageModel
from store.questions import new_questions
from store.questions.new_questions import NewQuestion
from store.questions.trace import spent
from tests.claude_double import KEY, ClaudeDouble
from workers.crawl.read_candidate import with_facts
from workers.services import Services
from workers.settings import load

TEXT = "The lamp of Harrow Point was lit in 1843. It burns whale oil and is trimmed every evening."
PAGE = PageText(title="Harrow Point", text=TEXT, lang="en")
FACT = {"subject": "Harrow Point", "predicate": "lit in", "object": "1843", "quote": TEXT.split(" It ")[0]}
READING = ReadResult(outcome="read", url="http://a.example/lamp", page=PAGE)


@pytest.fixture
def double() -> Iterator[ClaudeDouble]:
    with ClaudeDouble() as running:
        yield running


@contextmanager
def _with(services: Services, double: ClaudeDouble, **settings: Any) -> Iterator[Services]:
    more = {"model_facts": True, "anthropic_api_key": KEY, "anthropic_base_url": double.url, **settings}
    ready = Services(load(redis_url=services.settings.redis_url, **more))
    yield ready
    if isinstance(ready.model, LanguageModel):
        ready.model.close()
    ready.close()


def _asked(services: Services, budget: Budget | None = None) -> Question:
    question, _ = services.write(new_questions.ask, NewQuestion(text="When was the lamp lit?"), services.now())
    return replace(question, budget=budget or question.budget)


def test_facts_of_the_prose_are_kept_and_paid_by_the_question(services: Services, double: ClaudeDouble) -> None:
    with _with(services, double) as ready:
        question = _asked(ready)
        double.script(say_json({"facts": [FACT]}))
        page = with_facts(ready, question, READING).page
        assert page is not None
        (fact,) = page.facts
        assert (fact.subject, fact.object) == ("Harrow Point", "1843")
        assert fact.start is not None
        assert TEXT[fact.start : fact.end] == "1843"
        with ready.database.read() as session:
            assert spent(session, question.id).usd > 0


def test_fact_that_the_structure_states_too_is_kept_once(services: Services, double: ClaudeDouble) -> None:
    with _with(services, double) as ready:
        stated = replace(PAGE, facts=(Fact(subject="Harrow Point", predicate="first lit", object="1843"),))
        double.script(say_json({"facts": [FACT]}))
        assert with_facts(ready, _asked(ready), replace(READING, page=stated)).page == stated


@pytest.mark.parametrize(
    ("settings", "is_asked", "budget"),
    [
        ({"model_facts": False}, True, None),  # not wanted
        ({"anthropic_api_key": ""}, True, None),  # no key
        ({}, False, None),  # nobody's budget
        ({}, True, Budget(usd=0.0001)),  # spent
    ],
)
def test_nothing_is_asked_where_it_is_not_wanted_or_cannot_be_paid(
    services: Services, double: ClaudeDouble, settings: dict[str, Any], is_asked: bool, budget: Budget | None
) -> None:
    with _with(services, double, **settings) as ready:
        assert with_facts(ready, _asked(ready, budget) if is_asked else None, READING) == READING
        assert double.received == []


def test_page_is_kept_without_them_when_claude_fails(services: Services, double: ClaudeDouble) -> None:
    with _with(services, double) as ready:
        double.script(Fail(400, "invalid_request_error"))
        assert with_facts(ready, _asked(ready), READING) == READING
