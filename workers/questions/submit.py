"""Takes questions, sites and single pages: checks them, commits them, and only then sends their task.

What a question is asked with becomes one that can be stored; the payload of the task that asks one is here, too.
"""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

from pydantic import BeforeValidator, Field, SecretStr
from sqlalchemy.orm import Session

from crawler import urls
from crawler.extract.selectors import check as check_selectors
from crawler.fetch.access import SiteAccess
from crawler.fetch.guard import Blocked, allowlist_entry
from domain import Budget, Candidate, EventKind, Question, Status
from domain.errors import WellreadError
from domain.file import is_file_address
from domain.filters import may_be_without_metadata
from domain.options import BATCH_DEADLINE_S, DEADLINE_S, MAX_SITES, Asked, Overrides, QuestionRequest, StrategyName
from domain.question import LAST_PRIORITY
from domain.site import SiteScope, Source, is_under
from pipeline.answering.schema import parse_schema
from pipeline.question.analysis import clean_question
from store import documents as pushed
from store.crawl import candidates, sources
from store.crawl.candidates import CandidateStatus
from store.pages import visibility
from store.questions import new_questions, state
from store.questions.new_questions import NewQuestion
from store.usage import QuotaSpent
from text.urls import urls_in
from workers import admission, monitoring
from workers.admission import Ahead, TooManyOpen
from workers.egress import guard
from workers.questions import attached, batches, curated, follow_ups, replies
from workers.questions.attached import Document
from workers.questions.callbacks import check_callback
from workers.questions.conditions import clean_sites, left_out
from workers.questions.step import notify_ended
from workers.services import Services
from workers.settings import Settings

#: settings that say where, how fast or at what expense Wellread runs; an answer depends on all others.
#: "learn": what was learned is named beside the settings; "profile": what it sets is named
OPERATIONAL = frozenset(
    "alive_file answer_processes api_host api_keys api_port batch_for contact crawl_processes data_dir "
    "database_password database_url embedder_threads events_redis_url fetch_deadline_s fetch_max_bytes fetcher_usd "
    "file_max_bytes file_max_characters file_max_pages file_max_seconds flower_host flower_port flower_words "
    "keep_days learn logs max_open_per_caller max_open_questions max_pages max_seconds max_tokens_per_question "
    "max_usd_per_question min_delay_s model_threads model_first_token_s model_requests_a_minute model_timeout_s "
    "model_tokens_a_minute passages_uri profile redis_memory_mb redis_password redis_url reply_queues reuse_similar "
    "stop_s smtp_from smtp_url user_agent wave_pages webhook_secret".split()
)


class BadSite(WellreadError):
    """The site cannot be read: its URL is invalid, or its address is private and not the operator's own."""


def submit(services: Services, new: NewQuestion, *, is_message: bool = False) -> tuple[Question, bool]:
    """Save a question and start its work; return it, and whether it is new.

    That of a message is saved also where Redis is full: there the message takes more room. Raises NoRoom, TooManyOpen,
    QuestionError, BadSite, BadCallback, UnknownField, RangeTooWide, BadSchema, UnknownThread, UnknownQuestion,
    NotInThread or IdempotencyConflict.
    """
    if not is_message:
        admission.check_room(services)
    documents = attached.read(new.attached)
    checked = _checked_question(services, new, documents)
    caller = new_questions.caller(checked)
    before = admission.ahead(services, checked.owner, caller)
    limits, is_counted, is_new = services.limits_of(checked.owner), False, False
    try:
        # refused at the cost of a look what would be refused, while many are: it must cost less than to answer
        if services.turns.given_lately and not services.read(new_questions.may_be_known, checked):
            services.read(admission.check_limits, services, checked.owner, before, limits, more=1)
        is_counted = _count(services, checked, limits)
        question, is_new, to_embed = _open(services, checked, before, documents, limits, private=new.private)
    except TooManyOpen as refused:
        raise admission.with_time(services, refused, caller) from None
    finally:
        if is_counted and not is_new:
            services.spend(checked.owner, questions=-1)
    if services.turns.given_lately:
        services.turns.take((admission.OF_ALL, checked.owner or ""), caller)
    if monitoring.is_on():
        monitoring.note(wellread__question__id=question.id)
        services.trace_parents.keep(question.id, monitoring.headers())
    # nobody but its receiver waits for one that ended at once
    if is_new and (not question.status.is_final or question.callback_url):
        notify_started(services, question)
    services.dispatcher.send_all("wellread.embed", to_embed, priority=question.priority, owner=question.owner)
    return question, is_new


def _checked_question(services: Services, new: NewQuestion, documents: Sequence[Document]) -> NewQuestion:
    """Return a question with all that it names checked; raises what :func:`submit` does."""
    if new.answer_schema is not None:
        parse_schema(new.answer_schema)
    if filters := new.overrides.filters:
        services.read(pushed.check_fields, filters)
        services.read(pushed.tags_for, filters)
    named = (site if is_file_address(site) else check_site(services, site) for site in new.sites)
    sites = tuple(address for address, _ in documents) or tuple(named)
    may_wait = batches.may_wait(services, new)
    return replace(
        new,
        priority=LAST_PRIORITY if may_wait else new.priority,
        deadline_s=new.deadline_s or (BATCH_DEADLINE_S if may_wait else DEADLINE_S),
        text=clean_question(new.text),
        understood=clean_question(new.understood) if new.understood else "",
        private=bool(documents) or (new.private and services.settings.named_sites == "question" and bool(sites)),
        sites=sites,
        crawl_enabled=new.crawl_enabled
        and not (sites and all(map(is_file_address, sites)))
        and may_be_without_metadata(new.overrides.filters)
        and "web" in (new.overrides.source_kinds or ["web"]),
        callback_url=check_callback(services, new.callback_url, new.owner) if new.callback_url else "",
        answer_fingerprint=answer_fingerprint(services.settings, services.learned.name()),
        by_meaning=services.settings.reuse_similar,
    )


def _count(services: Services, new: NewQuestion, limits: Mapping[str, float]) -> bool:
    """Count a question for the key that asks it, and return whether it did; raises QuotaSpent for a new one."""
    if new.owner is None:
        return False
    try:
        services.take(new.owner, limits)
    except QuotaSpent:
        if not services.read(new_questions.is_known, new):
            raise
        return False
    return True


def _open(
    services: Services,
    new: NewQuestion,
    before: Ahead,
    documents: Sequence[Document],
    limits: Mapping[str, float],
    *,
    private: bool,
) -> tuple[Question, bool, list[int]]:
    """Save a question that may be opened, with the answer or run of an equal one, or its documents; raises TooManyOpen.

    Return it, whether it is new, and the pages to embed for it.
    """
    now, to_embed = services.now(), list[int]()
    with services.database.write() as session:
        understood = follow_ups.understood(session, new, now, by_model=services.model is not None)
        if not new.sites:
            new = _about_pages(services, session, new, understood.text, private=private)
        row, is_new = new_questions.add(session, new, now, understood)
        if is_new:
            if not curated.is_known(services, session, state.to_question(row)):  # a worker gives it
                new_questions.start_from_cache_or_run(session, row, now)
            if not Status(row.status).is_final:
                admission.check_limits(session, services, new.owner, before, limits)
            if documents:
                to_embed = attached.store(session, row, documents, now)
        return state.to_question(row), is_new, to_embed


def _about_pages(services: Services, session: Session, new: NewQuestion, text: str, *, private: bool) -> NewQuestion:
    """Return a question that names pages as one to be answered from these alone, as far as they may be read."""
    named: dict[str, None] = {}
    for url in urls_in(text)[:MAX_SITES]:
        with suppress(BadSite):  # it is words, as in "Why does http://127.0.0.1/ not answer?"
            named[_checked(session, services, url)] = None
    if not named:
        return new
    return replace(
        new,
        sites=tuple(named),
        private=private and services.settings.named_sites == "question",
        overrides=new.overrides.model_copy(update={"only_pages": True}),
    )


def notify_started(services: Services, question: Question) -> None:
    """Publish a new question's status and send its task; a follower waits for its leader."""
    if question.status.is_final:
        services.events.publish(question.id, EventKind.FINAL, {"status": question.status})
        notify_ended(services, question.id)
    elif question.status is not Status.FOLLOWING:
        services.events.publish(question.id, EventKind.STATUS, {"status": question.status})
        services.dispatcher.send_for(
            question.id, question.status, priority=question.priority, words=question.text, owner=question.owner
        )


def default_budget(services: Services) -> Budget:
    """Return the budget of a question whose asker sets none."""
    s = services.settings
    return Budget(
        seconds=s.max_seconds, pages=s.max_pages, tokens=s.max_tokens_per_question, usd=s.max_usd_per_question
    )


def cancel(services: Services, question_id: str) -> Question:
    """Stop a question; the pages it has read stay."""
    question = services.write(state.cancel, question_id, services.now())
    services.events.publish(question_id, EventKind.FINAL, {"status": question.status})
    notify_ended(services, question_id)
    return question


def replay(services: Services, question_id: str) -> Question:
    """Restart a question that failed, timed out or was cancelled; raises NoRoom or TooManyOpen."""
    admission.check_room(services)
    owner = services.read(state.get, question_id).owner
    limits = services.limits_of(owner)
    try:
        with services.database.write() as session:
            question = state.replay(session, question_id, services.now())
            if not question.status.is_final:
                admission.check_limits(session, services, owner, Ahead(), limits)
    except TooManyOpen as refused:
        raise admission.with_time(services, refused, question_id) from None
    services.events.publish(question_id, EventKind.STATUS, {"status": question.status})
    services.dispatcher.send_for(question_id, question.status, priority=question.priority, owner=question.owner)
    return question


def add_source(services: Services, url: str, *, own: bool, **settings: Any) -> Source:
    """Save a site whose pages may be read for any question; ``own`` allows a private address.

    ``settings`` are some of ``sources.SETTINGS``. What private questions had read of it serves everyone from now on.
    """
    checked = check_site(services, url, own=own, is_source=True)
    if settings.get("access"):
        SiteAccess.of(SiteScope.of(checked), settings["access"]).check()
    if settings.get("callback_url"):
        settings["callback_url"] = check_callback(services, settings["callback_url"], of_question=False)
    check_selectors((*settings.get("select", ()), *settings.get("drop", ())))
    now = services.now()
    with services.database.write() as session:
        source = sources.add(session, checked, own=own, now=now, **settings)
        shared = visibility.share_site(session, source.own_scope, now)
    services.dispatcher.send_all("wellread.embed", shared)
    return source


def read_url(services: Services, url: str) -> int:
    """Read one page into the knowledge base; return the candidate's id."""
    candidate = Candidate(url=check_site(services, url), origin="asked for")
    (row_id,) = services.write(
        candidates.add, None, [candidate], wave=0, status=CandidateStatus.WAITING, now=services.now()
    )
    services.dispatcher.send("wellread.read", row_id)
    return row_id


def check_site(services: Services, url: str, *, own: bool = False, is_source: bool = False) -> str:
    """Return the canonical URL, if it may be fetched; raises BadSite.

    The DNS is not asked here; the fetch itself checks every address. ``is_source``: it becomes a source.
    """
    return services.read(_checked, services, url, own=own, is_source=is_source)


def _checked(session: Session, services: Services, url: str, *, own: bool = False, is_source: bool = False) -> str:
    try:
        canonical = urls.typed(url)
        may_read = guard(services.settings, sources.list_all(session), [canonical] if own else [])
        if is_source and may_read.egress == "sources":
            may_read = replace(may_read, sources=may_read.sources | {allowlist_entry(canonical)})
        may_read.check(canonical)
    except (urls.BadUrl, Blocked) as error:
        raise BadSite(str(error)) from error
    if is_under(canonical, left_out(services)):
        raise BadSite(f"{canonical} is excluded by WELLREAD_EXCLUDE_SITES or the collection.")
    return canonical


class BadBudget(WellreadError):
    """The question asks for more than the operator allows."""


class Payload(QuestionRequest):
    """What ``send_task("wellread.ask", [payload])`` takes: a published contract."""

    idempotency_key: str = Field("", max_length=255, description="Makes a repeat harmless, as an id does.")
    lang: str = Field("", max_length=8, description="ISO 639-1; default: detected from the question.")
    strategy: Annotated[StrategyName | None, BeforeValidator(lambda given: given or None)] = None
    callback_url: str = ""
    owner: str = Field("", max_length=100, description="The name of the API key that reads the answer back.")


def to_new(
    asked: Asked, allowed: Budget, *, idempotency_key: str = "", private: bool = False, owner: str | None = None
) -> NewQuestion:
    """Return the body as the store takes it; raises :class:`BadBudget` where it asks for more than ``allowed``.

    A field that has the same name and type there is taken over as it is.
    """
    budget, sent = _budget(asked, allowed), asked if isinstance(asked, QuestionRequest) else None
    callback_url = (sent and sent.callback_url) or ""
    if asked.reply_to and callback_url:
        raise replies.ReplyRefused("A question is delivered to one place: give either callback_url or reply_to.")
    names = {field.name for field in fields(NewQuestion)} & set(Asked.model_fields)
    own = {name: getattr(asked, name) for name in Overrides.model_fields}
    others = {
        "id": asked.id.hex if asked.id else "",
        "text": asked.question,
        "understood": asked.question_as_understood,
        "thread_id": asked.thread.hex if isinstance(asked.thread, UUID) else asked.thread or "",
        "after_id": asked.after.hex if asked.after else "",
        "strategy": asked.strategy or "",
        "sites": tuple(asked.sites),
        "langs": tuple(asked.langs),
        "crawl_enabled": asked.crawl_enabled and budget.cycles > 0,
        "max_age_s": asked.max_age,
        "budget": budget,
        "overrides": Overrides(**own | {"exclude_sites": clean_sites(asked.exclude_sites)}),
    }
    return NewQuestion(
        **{name: getattr(asked, name) for name in names} | others,
        private=private,
        owner=owner,
        idempotency_key=idempotency_key,
        deadline_s=sent.deadline if sent else None,
        callback_url=asked.reply_to.address if asked.reply_to else callback_url,
        callback_events=tuple(sent.callback_events) if sent else (),
    )


def _budget(asked: Asked, allowed: Budget) -> Budget:
    wanted = {name: value for name, value in asked.budget.model_dump().items() if value is not None}
    for name in ("seconds", "pages", "bytes", "tokens", "usd"):
        if wanted.get(name, 0) > (most := getattr(allowed, name)):
            raise BadBudget(f"budget.{name} is {wanted[name]:g}, and the operator allows {most:g} a question.")
    if asked.max_search_cycles is not None:
        wanted["cycles"] = asked.max_search_cycles
    return replace(allowed, **wanted)


def answer_fingerprint(settings: Settings, learned: str = "") -> str:
    """Return the settings that an answer depends on, and what was ``learned``; of a secret, only if it is set."""
    values = {name: getattr(settings, name) for name in Settings.model_fields if name not in OPERATIONAL}
    public = {name: bool(v.get_secret_value()) if isinstance(v, SecretStr) else v for name, v in values.items()}
    return f"{public!r} {_examples(settings)} {learned}".rstrip()


def _examples(settings: Settings) -> str:
    """Return what tells one file of examples from another; "" without one."""
    path = settings.few_shot_path
    return hashlib.blake2b(Path(path).read_bytes(), digest_size=8).hexdigest() if path and Path(path).is_file() else ""
