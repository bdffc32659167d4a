"""Looks on a schedule for what is new: a question is asked again, a subject searched in what was read since.

What is new is sent as a webhook and by e-mail, and stands in the subscription's feeds. The first run reports the state,
any other only what differs. Without a model, news are the quotes; with one, also a subject gets a digest: its text is
asked of the pages with new passages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Any, Final

import structlog

from crawler.discovery import schedule
from crawler.discovery.schedule import BadSchedule
from domain import Schedule, Status
from domain.errors import WellreadError
from domain.flow import COMPLETED
from domain.options import MAX_SITES, Asked
from domain.record import FoundPassage
from domain.subscription import News, Subscription
from pipeline.question.analysis import clean_question
from store import subscriptions
from store.crawl import sources
from store.questions import answers, webhooks
from store.sql.tables import QuestionRow, SubscriptionRow
from text import terms
from workers import mail
from workers.questions import submit
from workers.questions.callbacks import check_callback
from workers.questions.search import PassageQuery, search
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
    """Save a subscription, which is due at once. Raises what asking its question would, BadCallback or BadEmail."""
    submit.to_new(asked, submit.default_budget(services))
    clean_question(asked.question)
    for site in asked.sites:
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
    values = dict(changes) | _checked(services, {k: v for k, v in changes.items() if k != "paused"}, owner)
    next_due = planned if planned and not schedule_changes else schedule.next_after(wanted, now)
    return services.write(subscriptions.change, id_, values, wanted, None if paused else next_due)


def run(services: Services, id_: str) -> Subscription:
    """Have a subscription be looked up now; its schedule goes on after that."""
    return services.write(subscriptions.change, id_, {}, None, services.now())


def run_due(services: Services) -> None:
    """Report what came of the questions that were asked for subscriptions, and look up those that are due."""
    for id_ in services.read(subscriptions.under_way):
        _end(services, id_)
    for id_ in services.read(subscriptions.due, services.now()):
        _begin(services, id_)


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
        since, row.last_run_at, row.error = row.last_run_at, now, None
        row.next_due = None if row.paused else schedule.next_after(subscriptions.schedule_of(row), now)
        is_closed = bool(services.closed_owners([row.owner]))
        if is_closed:
            row.error, row.next_due = _CLOSED, None
    if is_closed:
        return
    try:
        if row.is_subject:
            _look(services, row, since, now)
        else:
            _ask(services, row, {})
    except WellreadError as error:  # too many are open, a quota is spent …: at the next time
        log.warning("subscription_not_run", subscription=id_, error=str(error))
        values = {"last_run_at": since, "error": str(error)}
        services.write(subscriptions.change, id_, values, None, row.next_due)


def _ask(services: Services, row: SubscriptionRow, changes: Mapping[str, Any], found: Any = None) -> None:
    asked = Asked.model_validate({"question": row.text, "reuse": False, **row.options, **changes})
    new = replace(submit.to_new(asked, submit.default_budget(services)), private=row.private, owner=row.owner)
    question, _ = submit.submit(services, new)
    values = {"question_id": question.id, "found": found}
    services.write(subscriptions.change, row.id, values, None, row.next_due)


def _look(services: Services, row: SubscriptionRow, since: datetime | None, now: datetime) -> None:
    """Look for new passages on a subject, and for pages that are new, changed or gone."""
    asked = Asked.model_validate({"question": row.text, **row.options})
    passages = _new_passages(services, asked, since)
    with services.database.read() as session:
        scopes = sources.scopes(session, asked.sites)
        pages = subscriptions.pages_since(session, scopes, since) if since and scopes else {}
    found = {"citations": _cited(passages), "pages": pages, "text": _quotes(passages)}
    if passages and services.settings.has_model:
        urls = list(dict.fromkeys(each.url for each in passages))[:MAX_SITES]
        _ask(services, row, {"sites": urls, "only_pages": True, "crawl_enabled": False}, found)
    elif passages or any(pages.values()) or row.state is None:
        _report(services, row.id, found, state={"since": now.isoformat()})


def _new_passages(services: Services, asked: Asked, since: datetime | None) -> list[FoundPassage]:
    given = asked.model_dump(include={"sites", "exclude_sites", "langs", "published_after"})
    wanted: dict[str, Any] = {name: tuple(each) if isinstance(each, list) else each for name, each in given.items()}
    query = PassageQuery(
        text=asked.question, **wanted, read_after=since and since - _LATE, confirmed=False, limit=_LOOKED_AT
    )
    found = [each for each in search(services, query) if _is_on(asked.question, each)]
    if since is None:
        return found[:MOST_PASSAGES]
    with services.database.read() as session:
        new = subscriptions.indexed_since(session, {each.page_id for each in found}, since)
        return [
            each
            for each in found
            if each.page_id in new and each.text not in subscriptions.text_at(session, each.page_id, since)
        ][:MOST_PASSAGES]


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
    """Report what came of the question that was asked for a subscription, if it has ended and there is news."""
    with services.database.read() as session:
        row = session.get_one(SubscriptionRow, id_)
        question = session.get(QuestionRow, row.question_id)
        answer = answers.last(session, question.id) if question else None
    if question is not None and not Status(question.status).is_final:
        return
    if question is None or answer is None or question.status not in COMPLETED:
        why = "was deleted" if question is None else f"ended without an answer: {question.status}"
        values = {"question_id": None, "found": None, "error": f"the question {why}"}
        services.write(subscriptions.change, id_, values, None, row.next_due)
        return
    cited = [
        {"n": n, **{name: each.get(name) or "" for name in ("url", "title", "quote")}}
        for n, each in enumerate(answer.citations, start=1)
    ]
    found: dict[str, Any] = {"text": answer.text, "citations": cited, "pages": {}}
    if row.found is not None:  # a subject's: its quotes, unless there is a digest
        found = dict(row.found) | (
            {"text": answer.text, "citations": cited} if question.status == Status.ANSWERED else {}
        )
    state = {"text": answer.text, "cited": [[each["url"], each["quote"]] for each in cited]}
    if row.is_subject or row.state != state:
        _report(services, id_, found | {"question_id": question.id}, state)
    else:
        services.write(subscriptions.change, id_, {"question_id": None}, None, row.next_due)


def _report(services: Services, id_: str, found: Mapping[str, Any], state: Mapping[str, Any]) -> None:
    """Add news to the feeds, and have it sent, in one transaction."""
    with services.database.write() as session:
        row, now = subscriptions.get(session, id_), services.now()
        if found.get("question_id") != row.question_id:
            return  # another process was faster
        title = f"{row.text[:150]}: {'the state' if row.state is None else 'news'}"
        news = subscriptions.add_news(session, row, now, title=title, **found)
        row.question_id, row.found, row.state = None, None, dict(state)
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
