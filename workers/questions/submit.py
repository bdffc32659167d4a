"""Accepts questions, sites and single pages: checks them, commits them, and only then sends their task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import structlog
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from crawler import urls
from crawler.fetch.guard import Blocked, Guard, allowlist_entry
from domain import Budget, Candidate, EventKind, Question, Status
from domain.errors import WellreadError
from domain.question import Overrides
from domain.site import Source, is_under
from pipeline.limits import MAX_K
from pipeline.question.analysis import clean_question
from pipeline.question.strategy import TASK_STRATEGIES
from store.crawl import candidates, sources
from store.crawl.candidates import CandidateStatus
from store.pages import visibility
from store.questions import answer_cache, new_questions, state
from store.questions.new_questions import NewQuestion
from workers.questions.fingerprint import answer_fingerprint
from workers.questions.step import notify_ended

if TYPE_CHECKING:
    from workers.services import Services

log = structlog.get_logger()

MAX_SITES, MAX_LANGS = 20, 20
#: ISO 639-1, or 639-3 where that has none
Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]
#: what one question may set instead of the operator's settings
Threshold = Annotated[float | None, Field(ge=0, le=1)]
VariantCount = Literal[0, 2, 3, 4, 5] | None
TopK = Annotated[int | None, Field(ge=1, le=MAX_K)]


class BadSite(WellreadError):
    """The site cannot be read: its URL is invalid, or its address is private and not the operator's own."""


class UnknownStrategy(WellreadError):
    """There is no such retrieval strategy."""


class Payload(BaseModel):
    """What ``send_task("wellread.ask", [payload])`` takes: a published contract."""

    model_config = ConfigDict(extra="forbid")

    question: str
    idempotency_key: str = Field("", max_length=255, description="Makes a repeat harmless.")
    lang: str = Field("", max_length=8)
    strategy: str = ""
    threshold: Threshold = None
    variants: VariantCount = None
    top_k: TopK = None
    sites: list[str] = Field(default_factory=list, max_length=MAX_SITES)
    langs: list[Language] = Field(default_factory=list, max_length=MAX_LANGS, description="Of the pages that answer.")
    crawl_enabled: bool = True
    max_search_cycles: int | None = Field(None, ge=0, le=20)
    max_age: int | None = Field(None, ge=0, description="Seconds.")
    reuse: bool = Field(True, description="Whether an equal question's answer, or run, may be given.")
    watch: bool = Field(False, description="Asked again when its evidence changes.")
    deadline: float = Field(900.0, gt=0, le=86_400, description="Seconds.")
    callback_url: str = ""
    priority: int = Field(0, ge=0, le=9)


def submit(services: Services, new: NewQuestion) -> tuple[Question, bool]:
    """Save a question and start its work; return it, and whether it is new.

    Raises QuestionError, BadSite, UnknownStrategy or IdempotencyConflict.
    """
    _check_strategy(new.strategy)
    sites = tuple(check_site(services, site) for site in new.sites)
    checked = replace(
        new,
        text=clean_question(new.text),
        private=new.private
        and services.settings.named_sites == "question"
        and _names_more_than_sources(services, sites),
        sites=sites,
        callback_url=check_callback(services, new.callback_url) if new.callback_url else "",
        answer_fingerprint=answer_fingerprint(services.settings, services.learned.name()),
    )
    with services.database.write() as session:
        now = services.now()
        question, is_new = new_questions.ask(session, checked, now)
        if is_new and (row := state.lock(session, question.id)) is not None:
            answer_cache.start_from_cache_or_run(session, row, now)
            question = state.to_question(row)
    if is_new:
        notify_started(services, question)
    return question, is_new


def _names_more_than_sources(services: Services, sites: Sequence[str]) -> bool:
    with services.database.read() as session:
        known = [source.url for source in sources.list_all(session)]
    return not all(is_under(site, known) for site in sites)


def notify_started(services: Services, question: Question) -> None:
    """Publish a new question's status and send its task; a follower waits for its leader."""
    if question.status.is_final:
        services.events.publish(question.id, EventKind.FINAL, {"status": question.status})
        notify_ended(services, question.id)
    elif question.status is not Status.FOLLOWING:
        services.events.publish(question.id, EventKind.STATUS, {"status": question.status})
        services.dispatcher.send_for(question.id, question.status, priority=question.priority)


def accept(services: Services, payload: Mapping[str, Any]) -> Question | None:
    """Accept a question from a message; an invalid one is logged and dropped."""
    try:
        asked = Payload.model_validate(payload)
        question, _ = submit(services, to_new(asked, default_budget(services)))
    except (ValidationError, WellreadError) as error:
        log.error("message_refused", error=str(error))
        return None
    return question


def to_new(asked: Payload, budget: Budget) -> NewQuestion:
    """Return the payload as the store takes it."""
    cycles = budget.cycles if asked.max_search_cycles is None else asked.max_search_cycles
    return NewQuestion(
        text=asked.question,
        lang=asked.lang,
        strategy=asked.strategy,
        sites=tuple(asked.sites),
        langs=tuple(asked.langs),
        crawl_enabled=asked.crawl_enabled,
        max_age_s=asked.max_age,
        budget=replace(budget, cycles=cycles),
        overrides=Overrides(threshold=asked.threshold, variants=asked.variants, top_k=asked.top_k),
        priority=asked.priority,
        deadline_s=asked.deadline,
        idempotency_key=asked.idempotency_key,
        callback_url=asked.callback_url,
        reuse=asked.reuse,
        watch=asked.watch,
    )


def default_budget(services: Services) -> Budget:
    """Return the budget of a question whose asker sets none."""
    s = services.settings
    return Budget(
        seconds=s.max_seconds, pages=s.max_pages, tokens=s.max_tokens_per_question, usd=s.max_usd_per_question
    )


def cancel(services: Services, question_id: str) -> Question:
    """Stop a question; the pages it has read stay."""
    with services.database.write() as session:
        question = state.cancel(session, question_id, services.now())
    services.events.publish(question_id, EventKind.FINAL, {"status": question.status})
    notify_ended(services, question_id)
    return question


def replay(services: Services, question_id: str) -> Question:
    """Restart a question that failed, timed out or was cancelled."""
    with services.database.write() as session:
        question = state.replay(session, question_id, services.now())
    services.events.publish(question_id, EventKind.STATUS, {"status": question.status})
    services.dispatcher.send_for(question_id, question.status, priority=question.priority)
    return question


def add_source(services: Services, url: str, *, own: bool, min_delay_s: float | None) -> Source:
    """Save a site whose pages may be read for any question; ``own`` allows a private address.

    What private questions had read of it serves everyone from now on.
    """
    checked = check_site(services, url, own=own)
    now = services.now()
    with services.database.write() as session:
        source = sources.add(session, checked, own=own, min_delay_s=min_delay_s, now=now)
        shared = visibility.share_site(session, checked, now)
    for page_id in shared:
        services.dispatcher.send("wellread.embed", page_id)
    return source


def read_url(services: Services, url: str) -> int:
    """Read one page into the knowledge base; return the candidate's id."""
    candidate = Candidate(url=check_site(services, url), origin="asked for")
    with services.database.write() as session:
        (row_id,) = candidates.add(
            session, None, [candidate], wave=0, status=CandidateStatus.WAITING, now=services.now()
        )
    services.dispatcher.send("wellread.read", row_id)
    return row_id


def check_site(services: Services, url: str, *, own: bool = False) -> str:
    """Return the canonical URL, if it may be fetched; raises BadSite.

    The DNS is not asked here; the fetch itself checks every address.
    """
    try:
        canonical = urls.typed(url)
        with services.database.read() as session:
            own_sources = [source.url for source in sources.list_all(session) if source.own]
        own_urls = (*own_sources, *services.settings.own_hosts, *([canonical] if own else []))
        Guard(own_sites=frozenset(map(allowlist_entry, own_urls))).check(canonical)
    except (urls.BadUrl, Blocked) as error:
        raise BadSite(str(error)) from error
    return canonical


def check_callback(services: Services, url: str) -> str:
    """Return the receiver's absolute URL; raises BadSite.

    Only the operator's allowed hosts may be private: permission to read a site is no permission to post to it.
    """
    try:
        whole = urls.absolute(url)
        Guard(own_sites=frozenset(map(allowlist_entry, services.settings.own_hosts))).check(whole)
    except (urls.BadUrl, Blocked) as error:
        raise BadSite(str(error)) from error
    return whole


def _check_strategy(name: str) -> None:
    if name and name not in TASK_STRATEGIES:
        raise UnknownStrategy(f"There is no strategy {name!r}: it is one of {', '.join(TASK_STRATEGIES)}, or none.")
