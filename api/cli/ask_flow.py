"""Ask and follow: submit a question, report its progress as it happens, return its record."""

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

from api.cli.answer import new_events
from api.cli.output import CommandFailed
from crawler.fetch.guard import Blocked, Guard, NotPublic
from crawler.urls import BadUrl, typed
from domain import EventKind
from pipeline.question.analysis import clean_question
from wellread import Client, ClientError, Event, Record, Refused, Terms
from wellread.responses import to_value

#: the server ends a question at its deadline with its best answer; this much later the client stops waiting
GRACE_S = 10.0
#: seconds after which a Ctrl-C is noticed
POLL_EVERY_S = 0.2

OnEvent = Callable[[Event, float], None]


@dataclass(frozen=True, kw_only=True)
class Asking:
    """A question, and how it is asked."""

    question: str
    terms: Terms = field(default_factory=lambda: Terms())
    own: bool = False  #: the sites belong to the user: their addresses may be private
    wait_s: float = 180.0


def check(asked: Asking) -> None:
    """Raise QuestionError for a question that every server refuses, before one is started for it."""
    clean_question(asked.question)
    if "question_as_understood" in asked.terms:
        clean_question(asked.terms["question_as_understood"])


def next_question(asked: Asking, line: str, record: Record) -> Asking:
    """Return the question of a chat's next line: a follow-up, or after "=" the meaning of the last one."""
    text, is_meaning = line.strip(), line.strip().startswith("=")
    terms = asked.terms.copy()
    terms.pop("thread", None)
    terms.pop("question_as_understood", None)
    if not is_meaning:
        terms["after"] = record.id
        return replace(asked, question=text, terms=terms)
    if meaning := text.removeprefix("=").strip():
        terms["question_as_understood"] = meaning
    if record.thread:
        terms["thread"] = record.thread
    return replace(asked, terms=terms)


def ask(client: Client, asked: Asking, on_event: OnEvent) -> Record:
    """Ask, report each event with the seconds since, and return the record: final unless the time ran out."""
    started = time.monotonic()
    question_id = submit(client, asked)
    try:
        for event in new_events(_events_before(client.events(question_id), started + asked.wait_s + GRACE_S)):
            on_event(event, time.monotonic() - started)
    except KeyboardInterrupt:
        with suppress(ClientError):
            client.cancel(question_id)
        raise
    return client.get(question_id)


def new_answers(client: Client, question_id: str) -> Iterator[Record]:
    """Yield a watched question's record whenever its answer is new, until it is no longer watched."""
    for event in client.changes(question_id):
        if event.kind == EventKind.CHANGED:
            yield to_value(Record, event.data)


def submit(client: Client, asked: Asking) -> str:
    """Ask and return the question's id; raises CommandFailed, or the client's errors."""
    if asked.own:
        for site in asked.terms.get("sites", ()):
            client.add_source(site, own=True)
    # nobody waits for the rounds of a watched question, nor for a batch
    outlasts = asked.terms.get("watch") or asked.terms.get("batch")
    deadline = Terms() if outlasts else Terms(deadline=asked.wait_s)
    try:
        return client.submit(asked.question, **asked.terms | deadline)
    except Refused as refusal:
        for site in asked.terms.get("sites", ()) if refusal.kind == "bad-site" and not asked.own else ():
            try:
                Guard().check(typed(site))
            except NotPublic as error:
                raise CommandFailed(f"{error.problem}. If it is yours, ask with --own.") from refusal
            except (BadUrl, Blocked):
                continue
        raise


def _events_before(events: Iterable[Event], deadline: float) -> Iterator[Event]:
    """Yield the events that come before ``deadline`` (monotonic clock), however long the next one takes."""
    received: queue.SimpleQueue[Event | BaseException | None] = queue.SimpleQueue()

    def listen() -> None:
        try:
            for event in events:
                received.put(event)
            received.put(None)
        except BaseException as error:  # raised again by the reader of the events
            received.put(error)

    threading.Thread(target=listen, name="events", daemon=True).start()
    while (left := deadline - time.monotonic()) > 0:
        try:
            # short waits: a Ctrl-C just before a wait begins is noticed only when the wait ends
            event = received.get(timeout=min(left, POLL_EVERY_S))
        except queue.Empty:
            continue
        if event is None:
            return
        if isinstance(event, BaseException):
            raise event
        yield event
