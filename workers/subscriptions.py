"""Looks on a schedule for what is new: a question is asked again, a subject searched in what was read since.

What is new is sent as a webhook and by e-mail, and stands in the subscription's feeds. The first run reports the state,
any other only what differs. Without a model, news are the quotes; with one, also a subject gets a digest: its text is
asked of the pages with new passages.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import uuid4

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from sqlalchemy.orm import Session

from crawler.discovery import schedule
from crawler.discovery.schedule import BadSchedule
from domain import Schedule, Status
from domain.answer import short_answer
from domain.errors import WellreadError
from domain.file import is_file_address
from domain.flow import COMPLETED
from domain.options import MAX_SITES, Asked, SearchRequest
from domain.outcome import outcome_at_end
from domain.record import FoundPassage
from domain.subscription import News, Subscription
from pipeline.question.analysis import clean_question
from store import subscriptions
from store.crawl import sources
from store.questions import answers, webhooks
from store.sql.rows import update_rows
from store.sql.tables import AnswerRow, QuestionRow, SubscriptionRow
from text import terms
from workers import mail
from workers.questions import submit
from workers.questions.callbacks import check_callback
from workers.questions.conditions import clean_sites, left_out
from workers.questions.search import search
from workers.services import Services

log = structlog.get_logger()

#: the webhook's name
EVENT: Final = "subscription.news"
#: passages of one piece of news, and those among which they are looked for
MOST_PASSAGES, _LOOKED_AT = 10, 50
#: cosine from which a passage is on the subject; below it one is that has all of its words
ON_SUBJECT: Final = 0.5
#: a page waits at most so long between being read and being found
_LATE: Final = timedelta(hours=1)
#: the shortest interval; what failed is tried again so soon
SOON: Final = timedelta(minutes=5)
_CLOSED = "the key that subscribed was revoked or has expired"


def add(
    services: Services,
    asked: Asked,
    options: Mapping[str, Any],
    wanted: Schedule,
    *,
    is_subject: bool,
    owner: str | None,
    private: bool,
    **receivers: str | None,
) -> Subscription:
    """Save a subscription, which is due at once.

    Raises what asking its question would, BadCallback, BadEmail, BadSchedule or TooManySubscriptions.
    """
    _check_interval(wanted)
    submit.to_new(asked, submit.default_budget(services))
    clean_question(asked.question)
    for site in asked.sites:
        if not is_file_address(site):
            submit.check_site(services, site)
    values = {"text": asked.question.strip(), "is_subject": is_subject, "options": dict(options), "owner": owner}
    values |= {"private": private, **_checked(services, receivers, owner)}
    return services.write(subscriptions.add, values, wanted, services.now())


def change(
    services: Services, id_: str, changes: Mapping[str, Any], schedule_changes: Mapping[str, str | None]
) -> Subscription:
    """Change a subscription's receivers, schedule or ``paused``; what is left out stays. Raises BadSchedule."""
    now = services.now()
    with services.database.write() as session:
        row = subscriptions.get(session, id_)
        current, owner, paused = subscriptions.schedule_of(row), row.owner, changes.get("paused", row.paused)
        planned = row.next_due
    wanted = schedule.update(current, schedule_changes) if schedule_changes else current
    if wanted is None:
        raise BadSchedule("A subscription needs a schedule: give an interval or a cron line, or pause or delete it.")
    _check_interval(wanted)
    values = dict(changes) | _checked(services, {k: v for k, v in changes.items() if k != "paused"}, owner)
    next_due = planned if planned and not schedule_changes else schedule.next_after(wanted, now)
    return services.write(subscriptions.change, id_, values, wanted, None if paused else next_due)


def run(services: Services, id_: str) -> Subscription:
    """Have a subscription be looked up now; its schedule goes on after that."""
    return services.write(subscriptions.change, id_, {}, None, services.now())


def run_due(services: Services) -> None:
    """Look up the subscriptions that are due, and report what came of the questions that were asked for them."""
    with services.alone("news") as is_alone:
        for id_ in services.read(subscriptions.due, services.now()) if is_alone else ():
            _try(services, _begin, id_)
        for id_ in services.read(subscriptions.ended) if is_alone else ():
            _try(services, _end, id_)


def _try(services: Services, step: Callable[[Services, str], None], id_: str) -> None:
    try:
        step(services, id_)
    except Exception as error:  # one subscription's trouble is not the others'
        is_known = isinstance(error, WellreadError)
        log.warning("subscription_not_run", subscription=id_, error=str(error), exc_info=not is_known)
        why = str(error) if is_known else f"{type(error).__name__}: the workers' log says more"
        with services.database.write() as session:
            update_rows(session, SubscriptionRow, SubscriptionRow.id == id_, error=why)
        if isinstance(error, SoftTimeLimitExceeded):
            raise


def _check_interval(wanted: Schedule) -> None:
    if wanted.every_s is not None and wanted.every_s < SOON.total_seconds():
        raise BadSchedule(f"A subscription is looked up every five minutes at most, and {wanted.every_s:g} s is less.")


def _checked(services: Services, receivers: Mapping[str, str | None], owner: str | None) -> dict[str, str | None]:
    checked = dict(receivers)
    if url := checked.get("callback_url"):
        checked["callback_url"] = check_callback(services, url, owner, of_question=False)
    if email := checked.get("email"):
        checked["email"] = mail.check(services.settings, email)
    return checked


def _begin(services: Services, id_: str) -> None:
    now = services.now()
    with services.database.write() as session:
        row = subscriptions.get(session, id_)
        if row.next_due is None or row.next_due > now or row.question_id:
            return  # another process was faster
        is_closed = bool(services.closed_owners([row.owner]))
        row.error, row.next_due = (_CLOSED, None) if is_closed else (None, now + SOON)  # if this run is lost
    if is_closed:
        return
    if row.is_subject:
        _look(services, row, now)
    else:
        _ask(services, row, now, {})


def _has_run(row: SubscriptionRow, now: datetime) -> None:
    row.last_run_at = now
    row.next_due = None if row.paused else schedule.next_after(subscriptions.schedule_of(row), now)


def _ask(
    services: Services, row: SubscriptionRow, now: datetime, changes: Mapping[str, Any], found: Any = None
) -> None:
    """Ask a question. Its id and what was found are saved first: if it is never asked, :func:`_end` goes on."""
    question_id = uuid4()
    with services.database.write() as session:
        current = subscriptions.get(session, row.id)
        current.question_id, current.found = question_id.hex, found
        _has_run(current, now)
    given = {"question": row.text, "reuse": False, **row.options, **changes, "id": question_id}
    new = submit.to_new(Asked.model_validate(given), submit.default_budget(services))
    submit.submit(services, replace(new, private=row.private, owner=row.owner))


def _look(services: Services, row: SubscriptionRow, now: datetime) -> None:
    """Look for new passages on a subject, and for pages that are new, changed or gone."""
    since, asked = row.last_run_at, Asked.model_validate({"question": row.text, **row.options})
    passages = _new_passages(services, asked, since)
    excluded = (*left_out(services), *clean_sites(asked.exclude_sites))
    with services.database.read() as session:
        scopes = sources.scopes(session, clean_sites(asked.sites), page_only=asked.only_pages)
        pages = subscriptions.pages_since(session, scopes, since, excluded, asked.langs) if since and scopes else {}
    found = {"citations": _cited(passages), "pages": pages, "text": _quotes(passages)}
    if passages and services.settings.has_model:
        urls = list(dict.fromkeys(each.url for each in passages))[:MAX_SITES]
        _ask(services, row, now, {"sites": urls, "only_pages": True, "crawl_enabled": False}, found)
    else:
        is_news = passages or any(pages.values()) or row.state is None
        _finish(services, row.id, found if is_news else None, {}, began=now)


def _new_passages(services: Services, asked: Asked, since: datetime | None) -> list[FoundPassage]:
    given = asked.model_dump(include={*SearchRequest.model_fields})
    query = SearchRequest(query=asked.question, **given, read_after=since and since - _LATE, limit=_LOOKED_AT)
    found = [each for each in search(services, query, confirmed=False) if _is_on(asked.question, each)]
    if since is None:
        return found[:MOST_PASSAGES]
    before = services.read(subscriptions.texts_before, {each.page_id for each in found}, since)
    return [each for each in found if each.text not in before.get(each.page_id, each.text)][:MOST_PASSAGES]


def _is_on(subject: str, passage: FoundPassage) -> bool:
    wanted = set(terms.content_terms(subject, passage.lang))
    has_all = bool(wanted) and wanted <= set(terms.analyse(f"{passage.title} {passage.text}", passage.lang))
    return has_all or (passage.similarity or 0.0) >= ON_SUBJECT


def _cited(passages: Sequence[FoundPassage]) -> list[dict[str, Any]]:
    return [
        {"n": n, "url": each.url, "title": each.title, "quote": each.text} for n, each in enumerate(passages, start=1)
    ]


def _quotes(passages: Sequence[FoundPassage]) -> str:
    return "\n\n".join(f"> {' '.join(each.text.split())} [{n}]" for n, each in enumerate(passages, start=1))


def _end(services: Services, id_: str) -> None:
    """Report what came of the question that was asked for a subscription, if there is news."""
    with services.database.read() as session:
        row = session.get_one(SubscriptionRow, id_)
        question = session.get(QuestionRow, row.question_id)
        answer = answers.last(session, question.id) if question else None
    found, state = row.found, dict[str, Any]()  # of a subject: its quotes, unless there is a digest
    if question is not None and answer is not None and question.status in COMPLETED:
        cited = [
            {"n": n, **{name: each.get(name) or "" for name in ("url", "title", "quote")}}
            for n, each in enumerate(answer.citations, start=1)
        ]
        said = {"text": answer.text, "citations": cited, "question_id": question.id}
        state = _state(question, answer, cited)
        if not row.is_subject:
            found = {"pages": {}, **said} if row.state != state else None
        elif question.status == Status.ANSWERED:
            found = {**(row.found or {}), **said}
    elif found is None:
        why = "was deleted" if question is None else f"ended without an answer: {question.status}"
        values = {"question_id": None, "error": row.error or f"the question {why}"}
        due = services.now() + SOON if question is None else row.next_due
        services.write(subscriptions.change, id_, values, None, due)
        return
    _finish(services, id_, found, state, question_id=row.question_id)


def _state(question: QuestionRow, answer: AnswerRow, cited: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what is compared with the next answer: nothing that differs each time, such as counts or prose."""
    status = Status(question.status)
    outcome = outcome_at_end(status, sufficient=bool(answer.verdict.get("sufficient")))
    if status != Status.ANSWERED:
        return {"outcome": outcome}
    quotes = sorted({(each["url"], each["quote"]) for each in cited})
    short = short_answer(answers.to_answer(answer).sentences)
    return {"outcome": outcome, "short": short, "cited": [list(each) for each in quotes]}


def _finish(
    services: Services,
    id_: str,
    found: Mapping[str, Any] | None,
    state: Mapping[str, Any],
    *,
    question_id: str | None = None,
    began: datetime | None = None,
) -> None:
    """End a run; what was found, if anything, is added to the feeds and sent in the same transaction."""
    with services.database.write() as session:
        row = subscriptions.get(session, id_)
        if question_id != row.question_id:
            return  # another process was faster
        row.error = None
        if began is not None:
            _has_run(row, began)
        if found is not None:
            _report(session, row, found, services.now())
        row.question_id, row.found, row.state = None, None, dict(state)


def _report(session: Session, row: SubscriptionRow, found: Mapping[str, Any], now: datetime) -> None:
    title = f"{row.text[:150]}: {'the state' if row.state is None else 'news'}"
    news = subscriptions.add_news(session, row, now, title=title, **found)
    body: dict[str, Any] = {
        "subscription": {"id": row.id, "subject" if row.is_subject else "question": row.text},
        "news": {name: each for name, each in asdict(news).items() if name != "json"},
        "title": title,
        "text": written(news),
    }
    body["news"]["created_at"] = now.isoformat()
    for url in (row.callback_url, row.email and f"{mail.SCHEME}{row.email}"):
        if url:
            webhooks.add_event(session, EVENT, body, now, url=url, owner=row.owner)


def written(news: News) -> str:
    """Return news as one text, with its sources."""
    parts = [news.text] if news.text else []
    for words, pages in (("New", news.added), ("Changed", news.changed), ("Gone", news.removed)):
        if pages:
            parts.append("\n".join([f"{words} pages:", *(f"- {each.title or each.url}: {each.url}" for each in pages)]))
    if news.citations:
        parts.append("\n".join(f"[{each.n}] {each.title or each.url}: {each.url}" for each in news.citations))
    return "\n\n".join(parts) or "Nothing on it was found yet."
