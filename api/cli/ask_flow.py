"""Ask and watch: submit a question, show its progress as it happens, hand back its record."""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from api.cli.views.question import news
from domain import EventKind
from domain.errors import WellreadError
from wellread.client import Client, ClientError, Refused, Terms
from wellread.records import Event, PageRead, Record, to_record

#: the server ends a question at its deadline, with the best answer it has; this much later it is given up on
GRACE_S = 10.0
#: how often a reading is looked at
LOOK_EVERY_S = 0.2

Told = Callable[[Event, float], None]


class NotOwn(WellreadError):
    """The site's address is private, and nobody said that the site is the asker's own."""


class NotRead(WellreadError):
    """A page was not read in time."""


@dataclass(frozen=True, kw_only=True)
class AskOptions:
    """What is asked, and of which sites."""

    question: str
    sites: Sequence[str] = ()
    langs: Sequence[str] = ()  #: of the pages that may answer, ISO 639-1
    own: bool = False  #: the sites are the asker's own: their addresses may be private
    crawl: bool = True
    cycles: int | None = None  #: most waves of reading; None: the server's default
    strategy: str | None = None
    wait_s: float = 180.0
    watch: bool = False  #: whether it is asked again when its evidence changes


def check(asked: AskOptions) -> None:
    """Refuse what no server would take, before one is started for it; raises QuestionError."""
    from pipeline.question.analysis import clean_question

    clean_question(asked.question)


def ask(client: Client, asked: AskOptions, tell: Told) -> Record:
    """Ask, ``tell`` what happens with the seconds since, and return the record: final unless the time was up.

    Ctrl-C cancels the question. Raises NotOwn, or the client's errors.
    """
    if asked.own:
        for site in asked.sites:
            client.add_source(site, own=True)
    began = time.monotonic()
    question_id = _submit(client, asked)
    try:
        for event in news(_until(client.events(question_id), began + asked.wait_s + GRACE_S)):
            tell(event, time.monotonic() - began)
    except KeyboardInterrupt:
        with suppress(ClientError):
            client.cancel(question_id)
        raise
    return client.get(question_id)


def new_answers(client: Client, question_id: str) -> Iterator[Record]:
    """The records of a standing question, each with a new answer, until it is watched no longer."""
    for event in client.changes(question_id):
        if event.kind == EventKind.CHANGED:
            yield to_record(event.data)


def read(client: Client, urls: Sequence[str], tell: Callable[[PageRead], None], *, wait_s: float) -> list[PageRead]:
    """Have pages read and wait until answers can be drawn from them; raises NotRead when the time is up."""
    waiting = [client.read(url) for url in urls]
    deadline, done = time.monotonic() + wait_s, []
    while waiting:
        if time.monotonic() > deadline:
            raise NotRead(
                f"{waiting[0].url} was not read within {wait_s:g} s. It stays due and is read while Wellread runs: "
                "`wellread up` keeps it running, `wellread doctor` finds what is in its way."
            )
        time.sleep(LOOK_EVERY_S)
        seen = [client.reading(reading.id) for reading in waiting]
        for reading in (over := [reading for reading in seen if reading.is_over]):
            tell(reading)
        done += over
        waiting = [reading for reading in seen if not reading.is_over]
    return done


def to_json(record: Record) -> str:
    """The record exactly as the API gives it."""
    return json.dumps(record.json, indent=2, ensure_ascii=False)


def _submit(client: Client, asked: AskOptions) -> str:
    try:
        return client.submit(asked.question, **_terms(asked))
    except Refused as refusal:
        if refusal.kind == "bad-site" and not asked.own and (problem := _private_site(asked.sites)):
            raise NotOwn(f"{problem}. If it is yours, ask with --own.") from refusal
        raise


def _private_site(sites: Sequence[str]) -> str:
    """Return what is private about the first site that is not on the public web; "" where all are."""
    from crawler.fetch.guard import Blocked, Guard, NotPublic
    from crawler.urls import BadUrl, typed

    for site in sites:
        try:
            Guard().check(typed(site))
        except NotPublic as error:
            return error.problem
        except (BadUrl, Blocked):
            continue
    return ""


def _terms(asked: AskOptions) -> Terms:
    terms = Terms(sites=list(asked.sites), langs=list(asked.langs), crawl_enabled=asked.crawl, deadline=asked.wait_s)
    if asked.cycles is not None:
        terms["max_search_cycles"] = asked.cycles
    if asked.watch:
        terms["watch"] = True
    if asked.strategy is not None:
        terms["strategy"] = asked.strategy
    return terms


def _until(events: Iterable[Event], deadline: float) -> Iterator[Event]:
    """The events that come before ``deadline`` (of the monotonic clock), however long the next one takes."""
    heard: queue.SimpleQueue[Event | BaseException | None] = queue.SimpleQueue()

    def listen() -> None:
        try:
            for event in events:
                heard.put(event)
            heard.put(None)
        except BaseException as error:  # handed on to whoever waits
            heard.put(error)

    threading.Thread(target=listen, name="events", daemon=True).start()
    while (left := deadline - time.monotonic()) > 0:
        try:
            # by turns: a Ctrl-C that comes just before the wait begins is noticed only when a wait ends
            event = heard.get(timeout=min(left, LOOK_EVERY_S))
        except queue.Empty:
            continue
        if event is None:
            return
        if isinstance(event, BaseException):
            raise event
        yield event
