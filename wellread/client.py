"""What other services import: ask, watch, choose what is read; synchronous and asynchronous.

    with Client() as wellread:
        record = wellread.ask("Who built the lighthouse?", wait=60)

Every failure is a :class:`ClientError`: `Unreachable` when nothing answers, `Refused` when the server says no.
The environment's proxies are not used.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, Self, Unpack

import httpx2

from domain import EventKind
from domain.record import Feedback, FeedbackVerdict, Watch
from wellread import requests as calls
from wellread.async_client import AsyncClient
from wellread.learning import Learning
from wellread.records import Event, PageRead, Record, StoredPage, to_feedback, to_page, to_record, to_value, to_watch
from wellread.requests import DEFAULT_URL, ApiUnreachable, Call, ClientError, Options, Refused, Terms
from wellread.sites import SiteRead, Sites, Source, to_source

__all__ = [
    "ApiUnreachable",
    "AsyncClient",
    "Client",
    "ClientError",
    "Event",
    "Feedback",
    "FeedbackVerdict",
    "Options",
    "PageRead",
    "Record",
    "Refused",
    "SiteRead",
    "Source",
    "StoredPage",
    "Terms",
    "Watch",
]  # fmt: skip


class Client(Sites, Learning):
    """Wellread over HTTP. Close it, or use it as a context; safe to use from several threads."""

    def __init__(self, url: str = DEFAULT_URL, *, key: str = "", transport: httpx2.BaseTransport | None = None) -> None:
        self.url = calls.check_address(url)
        self._http = httpx2.Client(base_url=self.url, headers=calls.headers(key), trust_env=False, transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def ask(self, question: str, *, wait: float = 30.0, **options: Unpack[Options]) -> Record:
        """Ask and wait up to ``wait`` seconds (at most 120) for the final answer; what is ready by then comes back."""
        return to_record(self._send(calls.chat(question, wait, options)))

    def submit(self, question: str, *, idempotency_key: str = "", **terms: Unpack[Terms]) -> str:
        """Ask without waiting; returns the question's id. A key makes a repeat harmless."""
        return str(self._send(calls.submit(question, idempotency_key, terms))["id"])

    def get(self, question_id: str) -> Record:
        """A question's record."""
        return to_record(self._send(calls.of_question(question_id)))

    def trace(self, question_id: str) -> list[Mapping[str, Any]]:
        """Every finished step with what it looked for, found and decided."""
        return list(self._send(calls.of_question(question_id, "/trace")))

    def cancel(self, question_id: str) -> Record:
        """Stop a question; what was read stays read."""
        return to_record(self._send(calls.of_question(question_id, "/cancel", method="POST")))

    def watch(self, question_id: str, *, callback_url: str = "") -> Watch:
        """Have a question asked again whenever a page that its answer cites changes."""
        return to_watch(self._send(calls.watch(question_id, callback_url)))

    def unwatch(self, question_id: str) -> None:
        """Have it asked again no longer."""
        self._send(calls.of_question(question_id, "/watch", method="DELETE"))

    def watches(self) -> list[Watch]:
        """The standing questions, oldest first."""
        return [to_watch(sent) for sent in self._send(Call(path="/api/watches"))]

    def feedback(
        self, question_id: str, verdict: FeedbackVerdict, *, comment: str = "", revision: int | None = None
    ) -> Feedback:
        """Say whether an answer is right (its latest revision, unless one is named)."""
        return to_feedback(self._send(calls.feedback(question_id, verdict, comment, revision)))

    def events(self, question_id: str, *, after: str = "") -> Iterator[Event]:
        """Yield a question's progress up to its ``final`` event; a broken connection is taken up where it broke."""
        yield from self._stream(calls.of_question(question_id, "/events").path, after, last=EventKind.FINAL)

    def changes(self, question_id: str, *, after: str = "") -> Iterator[Event]:
        """Yield an event ``changed`` with each new answer of a standing question, until it is watched no longer."""
        yield from self._stream(calls.of_question(question_id, "/changes").path, after, last=EventKind.STOPPED)

    def _stream(self, path: str, after: str, *, last: str) -> Iterator[Event]:
        tries = 0
        while True:
            try:
                with self._http.sse(path, headers=calls.resume(after), timeout=calls.SILENT_S) as stream:
                    if not stream.response.is_success:
                        stream.response.read()
                        calls.answer(stream.response)
                    for sent in stream:
                        event, tries = calls.to_event(sent), 0
                        after = event.id or after
                        yield event
                        if event.kind == last:
                            return
                broken: Exception = ConnectionResetError("the stream ended early")
            except (httpx2.TransportError, Refused) as error:
                broken = error
            tries += 1
            calls.check_tries(self.url, broken, tries)
            time.sleep(calls.pause_s(tries))

    def sources(self) -> list[Source]:
        """The sites that may be read for any question."""
        return [to_source(sent) for sent in self._send(Call(path="/api/sources"))]

    def add_source(self, url: str, *, own: bool = False, min_delay_s: float | None = None) -> Source:
        """Keep a site; ``own`` says it is the operator's, so that its address may be private."""
        return to_source(self._send(calls.add_source(url, own=own, min_delay_s=min_delay_s)))

    def remove_source(self, source_id: int) -> None:
        """Forget a site; what was read from it stays."""
        self._send(Call(method="DELETE", path=f"/api/sources/{source_id}"))

    def read(self, url: str) -> PageRead:
        """Have one page read into the knowledge base; :meth:`reading` tells how far that has come."""
        return to_value(PageRead, self._send(Call(method="POST", path="/api/reads", body={"url": url})))

    def reading(self, reading_id: int) -> PageRead:
        """Return how far the reading of a page has come."""
        return to_value(PageRead, self._send(Call(path=f"/api/reads/{reading_id}")))

    def page(self, page_id: int) -> StoredPage:
        """A page that a citation names, with its whole text."""
        return to_page(self._send(Call(path=f"/api/pages/{page_id}")))

    def stats(self) -> Mapping[str, Any]:
        """What is held and what is going on."""
        return dict(self._send(Call(path="/api/stats")))

    def is_ready(self) -> bool:
        """Return whether every part a question needs is there."""
        try:
            self._send(Call(path="/readyz"))
        except Refused:
            return False
        return True

    def _send(self, call: Call) -> Any:
        try:
            return calls.answer(self._http.request(call.method, call.path, **call.sends))
        except httpx2.TransportError as error:
            raise calls.unreachable(self.url, error) from error
