"""Ask a set of the running product over HTTP: `wellread up` on an empty data folder, each site on a port of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from domain.record import Record
from evals.asked.grade import Reply, make_reply
from evals.asked.questions import Question, QuestionSet
from evals.sandbox import sandbox, up
from wellread import Client, ClientError
from workers.settings import Settings

#: called with a line of progress
Tell = Callable[[str], None]

_READS_AT_ONCE = 60
_READ_WITHIN_S = 2400.0
_ASK_WITHIN_S = 400.0
_TELL_EVERY_S = 30.0


class _Quiet(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing."""


@contextmanager
def served(of: QuestionSet) -> Iterator[dict[str, str]]:
    """Serve each site from its folder; yield the addresses."""
    servers: list[ThreadingHTTPServer] = []
    try:
        addresses = {}
        for site in of.sites.values():
            server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site.root)))
            server.daemon_threads = True
            servers.append(server)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            addresses[site.site] = f"http://127.0.0.1:{server.server_port}/"
        yield addresses
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()


def ask_over_http(
    of: QuestionSet, asked: Sequence[Question], addresses: dict[str, str], *, jobs: int, tell: Tell
) -> list[Reply]:
    """Have the pages of the set read, and ask the questions without reading more."""
    with sandbox() as settings, _product(settings, addresses) as client:
        _read_all(client, of.urls(addresses, asked), tell)
        return _ask_all(client, asked, addresses, jobs=jobs, tell=tell)


def ask_with_and_without(
    of: QuestionSet,
    asked: Sequence[Question],
    addresses: dict[str, str],
    model: Mapping[str, str],
    *,
    begin: Callable[[str], None],
    tell: Tell,
) -> tuple[list[Reply], list[Reply]]:
    """Ask the questions with the ``model`` that these settings name, and again without one, of the same pages.

    Pages are read one after the other and so are the questions asked, for each run to send a model the same;
    ``begin`` is called with a question's id before it is asked.
    """
    with sandbox() as settings:
        with _product(settings, addresses, **model) as client:
            _read_all(client, of.urls(addresses, of.questions), tell, at_once=1)
            with_model = _ask_all(client, asked, addresses, jobs=1, tell=tell, begin=begin)
        with _product(settings, addresses) as client:
            tell("Asking them without a model …")
            return with_model, _ask_all(client, asked, addresses, jobs=2, tell=tell)


def ask_by_crawling(
    of: QuestionSet, asked: Sequence[Question], addresses: dict[str, str], *, tell: Tell
) -> list[Reply]:
    """Ask each question of an empty knowledge base that may read the question's site."""
    replies = []
    for question in asked:
        with sandbox() as settings, _product(settings, addresses) as client:
            replies.append(_ask(client, question, addresses, crawl=True))
        tell(f"  {question.id}: {replies[-1].status}, {replies[-1].pages_read} pages read")
    return replies


@contextmanager
def _product(settings: Settings, addresses: dict[str, str], **more: str) -> Iterator[Client]:
    hosts = ",".join(urlsplit(address).netloc for address in addresses.values())
    with up(settings, WELLREAD_ALLOW_HOSTS=hosts, WELLREAD_MIN_DELAY_S="0", **more) as (_, client):
        yield client


def _read_all(client: Client, urls: Sequence[str], tell: Tell, at_once: int = _READS_AT_ONCE) -> None:
    tell(f"Reading {len(urls)} pages …")
    kept = _read_pages(client, urls, tell, at_once)
    tell(f"{kept} of {len(urls)} pages are in the knowledge base.")


def _ask_all(
    client: Client,
    asked: Sequence[Question],
    addresses: dict[str, str],
    *,
    jobs: int,
    tell: Tell,
    begin: Callable[[str], None] = lambda _: None,
) -> list[Reply]:
    def ask(question: Question) -> Reply:
        begin(question.id)
        return _ask(client, question, addresses, crawl=False)

    tell(f"Asking {len(asked)} questions …")
    replies = []
    with ThreadPoolExecutor(jobs) as pool:
        for reply in pool.map(ask, asked):
            replies.append(reply)
            if len(replies) % 20 == 0:
                tell(f"  {len(replies)} asked")
    return replies


def _read_pages(client: Client, urls: Sequence[str], tell: Tell, at_once: int) -> int:
    """Have pages read, some at a time; return how many are in the knowledge base at the end."""
    queue, waiting = list(urls), dict[int, str]()
    kept, started, told = 0, time.monotonic(), time.monotonic()
    while (queue or waiting) and time.monotonic() - started < _READ_WITHIN_S:
        while queue and len(waiting) < at_once:
            url = queue.pop(0)
            waiting[client.read(url).id] = url
        for number, url in list(waiting.items()):
            reading = client.reading(number)
            if reading.is_over:
                del waiting[number]
                kept += reading.in_knowledge_base
                if not reading.in_knowledge_base:
                    tell(f"  not read: {url}: {reading.outcome} {reading.reason or ''}")
        if time.monotonic() - told > _TELL_EVERY_S:
            told = time.monotonic()
            tell(f"  {kept} of {len(urls)} pages after {told - started:.0f} s")
        time.sleep(0.5 if at_once > 1 else 0.05)
    return kept


def _ask(client: Client, question: Question, addresses: dict[str, str], *, crawl: bool) -> Reply:
    started = time.monotonic()
    sites = [addresses[question.site]]
    thread: dict[str, Any] = {"thread": "new"} if question.after else {}
    try:
        for before in question.after:
            record = _end(client, client.ask(before, wait=60, sites=sites, crawl_enabled=crawl, reuse=False, **thread))
            thread = {"after": record.id}
            started = time.monotonic()
        record = _end(
            client, client.ask(question.question, wait=60, sites=sites, crawl_enabled=crawl, reuse=False, **thread)
        )
    except ClientError as error:
        return Reply(id=question.id, status="REFUSED", reason=str(error), seconds=time.monotonic() - started)
    return _reply(question, record, addresses, time.monotonic() - started)


def _end(client: Client, record: Record) -> Record:
    """Wait for the end of a question, or until it has taken too long."""
    started = time.monotonic()
    while not record.status.is_final and time.monotonic() - started < _ASK_WITHIN_S:
        time.sleep(1)
        record = client.get(record.id)
    return record


def _reply(question: Question, record: Record, addresses: dict[str, str], seconds: float) -> Reply:
    return make_reply(
        question,
        addresses,
        status=record.status,
        ended_as=record.outcome,
        text=record.answer or "",
        sentences=record.sentences,
        citations=record.citations,
        context=record.context,
        confidence=record.confidence,
        reason=record.verdict.reason if record.verdict else record.error or "",
        pages_read=len(record.live_urls),
        composer=record.composer or "",
        notice=record.notice,
        cost=record.cost,
        seconds=seconds,
    )
