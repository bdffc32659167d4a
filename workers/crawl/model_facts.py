"""Extracts facts from a page's prose with the language model, if the operator pays for that."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

import structlog

from crawler.extract.chunk import chunk
from domain import Cost, Fact, Hit, PageText, Question
from pipeline.llm import ModelError
from store.questions import trace
from workers.questions.spending import remaining_budget

if TYPE_CHECKING:
    from crawler.read import ReadResult
    from workers.services import Services

log = structlog.get_logger()

#: of a page: its beginning says most, and each further passage costs money
MAX_PASSAGES = 12


def with_facts(services: Services, question: Question | None, reading: ReadResult) -> ReadResult:
    """Add the facts that the model finds in the page's prose; none without a model, a question or money."""
    page = reading.page
    if not services.settings.model_facts or question is None or page is None or page.is_hub:
        return reading
    if services.model is None:
        return reading
    started = services.now()
    model = services.model.within(remaining_budget(services, question))
    try:
        found = model.facts(_hits(page, reading.url))
        facts, cost = found.value, found.cost
    except ModelError as error:  # the page is useful without them
        log.warning("no_facts", error=str(error))
        facts, cost = (), error.cost
    _record(services, question.id, cost, started)
    return replace(reading, page=replace(page, facts=_merged(page.facts, facts)))


def _hits(page: PageText, url: str) -> list[Hit]:
    passages = chunk(page, page_id=0, url=url)[:MAX_PASSAGES]
    return [Hit(passage=passage, score=0.0, scale="minmax", rank=rank) for rank, passage in enumerate(passages, 1)]


def _merged(stated: tuple[Fact, ...], read: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Return the facts of the page's structure first, then the others; each once."""
    known = {(fact.subject, fact.object) for fact in stated}
    return (*stated, *(fact for fact in read if (fact.subject, fact.object) not in known))


def _record(services: Services, question_id: str, cost: Cost, started: datetime) -> None:
    if cost == Cost():
        return
    with services.database.write() as session:
        trace.add_cost(session, question_id, "facts", cost, started_at=started, now=services.now())
