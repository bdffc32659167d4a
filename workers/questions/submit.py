"""Takes questions, sites and single pages: checks them, commits them, and only then sends their task."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from sqlalchemy.orm import Session

from crawler import urls
from crawler.fetch.access import SiteAccess
from crawler.fetch.guard import Blocked, Guard, allowlist_entry
from domain import Budget, Candidate, EventKind, Question, Status
from domain.errors import WellreadError
from domain.file import is_file_address
from domain.options import BATCH_DEADLINE_S, DEADLINE_S, MAX_SITES
from domain.question import LAST_PRIORITY
from domain.site import SiteScope, Source, is_under
from pipeline.answering.schema import parse_schema
from pipeline.limits import TASK_STRATEGIES
from pipeline.question.analysis import clean_question
from store.crawl import candidates, sources
from store.crawl.candidates import CandidateStatus
from store.pages import visibility
from store.questions import new_questions, state
from store.questions.new_questions import NewQuestion
from store.sql.tables import QuestionRow
from text.urls import urls_in
from workers import admission
from workers.admission import Ahead, TooManyOpen
from workers.monitoring import traces
from workers.questions import attached, batches, follow_ups
from workers.questions.attached import Document
from workers.questions.conditions import left_out
from workers.questions.fingerprint import answer_fingerprint
from workers.questions.step import notify_ended
from workers.services import Services


class BadSite(WellreadError):
    """The site cannot be read: its URL is invalid, or its address is private and not the operator's own."""


class UnknownStrategy(WellreadError):
    """There is no such retrieval strategy."""


def submit(services: Services, new: NewQuestion, *, is_message: bool = False) -> tuple[Question, bool]:
    """Save a question and start its work; return it, and whether it is new.

    That of a message is saved also where Redis is full: there the message takes more room. Raises NoRoom, TooManyOpen,
    QuestionError, BadSite, BadSchema, UnknownStrategy, UnknownThread, UnknownQuestion, NotInThread or
    IdempotencyConflict.
    """
    if not is_message:
        admission.check_room(services)
    _check_strategy(new.strategy)
    if new.answer_schema is not None:
        parse_schema(new.answer_schema)
    documents = attached.read(new.attached)
    named = (site if is_file_address(site) else check_site(services, site) for site in new.sites)
    sites = tuple(address for address, _ in documents) or tuple(named)
    may_wait = batches.may_wait(services, new)
    checked = replace(
        new,
        priority=LAST_PRIORITY if may_wait else new.priority,
        deadline_s=new.deadline_s or (BATCH_DEADLINE_S if may_wait else DEADLINE_S),
        text=clean_question(new.text),
        understood=clean_question(new.understood) if new.understood else "",
        private=bool(documents) or (new.private and services.settings.named_sites == "question" and bool(sites)),
        sites=sites,
        crawl_enabled=new.crawl_enabled and not (sites and all(map(is_file_address, sites))),
        callback_url=check_callback(services, new.callback_url) if new.callback_url else "",
        answer_fingerprint=answer_fingerprint(services.settings, services.learned.name()),
    )
    caller = new_questions.caller(checked)
    before = admission.ahead(services, checked.owner, caller)
    try:
        _check_early(services, checked, before)
        question, is_new, to_embed = _open(services, checked, before, documents, private=new.private)
    except TooManyOpen as refused:
        raise admission.with_time(services, refused, caller) from None
    if services.turns.given_lately:
        services.turns.take((admission.OF_ALL, checked.owner or ""), caller)
    if traces.is_on():
        traces.note(wellread__question__id=question.id)
        services.trace_parents.keep(question.id, traces.headers())
    if is_new and (
        not question.status.is_final or question.callback_url
    ):  # nobody else waits for one that ended at once
        notify_started(services, question)
    for page_id in to_embed:
        services.dispatcher.send("wellread.embed", page_id, priority=question.priority)
    return question, is_new


def _check_early(services: Services, new: NewQuestion, before: Ahead) -> None:
    """Refuse at the cost of a look what would be refused, while many are: it must cost less than to answer."""
    if services.turns.given_lately:
        with services.database.read() as session:
            if not new_questions.may_be_known(session, new):
                admission.check_limits(session, services, new.owner, before, more=1)


def _open(
    services: Services, new: NewQuestion, before: Ahead, documents: Sequence[Document], *, private: bool
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
            new_questions.start_from_cache_or_run(session, row, now)
            if not Status(row.status).is_final:
                admission.check_limits(session, services, new.owner, before)
            if documents:
                to_embed = attached.store(session, row, documents, now)
        return state.to_question(row), is_new, to_embed


def _about_pages(services: Services, session: Session, new: NewQuestion, text: str, *, private: bool) -> NewQuestion:
    """Return a question that names pages as one to be answered from these alone, as far as they may be read."""
    named: dict[str, None] = {}
    for url in urls_in(text)[:MAX_SITES]:
        with suppress(BadSite):  # it is words, as in "Why does http://127.0.0.1/ not answer?"
            named[_checked(services, session, url)] = None
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
        services.dispatcher.send_for(question.id, question.status, priority=question.priority, words=question.text)


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
    """Restart a question that failed, timed out or was cancelled; raises NoRoom or TooManyOpen."""
    admission.check_room(services)
    try:
        with services.database.write() as session:
            question = state.replay(session, question_id, services.now())
            if not question.status.is_final:
                admission.check_limits(session, services, session.get_one(QuestionRow, question_id).owner, Ahead())
    except TooManyOpen as refused:
        raise admission.with_time(services, refused, question_id) from None
    services.events.publish(question_id, EventKind.STATUS, {"status": question.status})
    services.dispatcher.send_for(question_id, question.status, priority=question.priority)
    return question


def add_source(services: Services, url: str, *, own: bool, **settings: Any) -> Source:
    """Save a site whose pages may be read for any question; ``own`` allows a private address.

    ``settings`` are some of ``sources.SETTINGS``. What private questions had read of it serves everyone from now on.
    """
    checked = check_site(services, url, own=own)
    check_access(settings)
    now = services.now()
    with services.database.write() as session:
        source = sources.add(session, checked, own=own, now=now, **settings)
        shared = visibility.share_site(session, source.own_scope, now)
    for page_id in shared:
        services.dispatcher.send("wellread.embed", page_id)
    return source


def check_access(settings: Mapping[str, Any]) -> None:
    """Raise BadAccess for a certificate, CA or proxy that cannot be used."""
    if settings.get("access"):
        SiteAccess.of(SiteScope.of("https://any.example/"), settings["access"]).check()


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
    with services.database.read() as session:
        return _checked(services, session, url, own=own)


def _checked(services: Services, session: Session, url: str, *, own: bool = False) -> str:
    own_sources = [source.url for source in sources.list_all(session) if source.own]
    try:
        canonical = urls.typed(url)
        own_urls = (*own_sources, *services.settings.own_hosts, *([canonical] if own else []))
        Guard(own_sites=frozenset(map(allowlist_entry, own_urls))).check(canonical)
    except (urls.BadUrl, Blocked) as error:
        raise BadSite(str(error)) from error
    if is_under(canonical, left_out(services)):
        raise BadSite(f"{canonical} is excluded by WELLREAD_EXCLUDE_SITES or the collection.")
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
