"""The client for asyncio: the methods of :class:`wellread.client.Client`, awaited."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from typing import Any, Self, Unpack

import httpx2

from domain import EventKind
from domain.record import Feedback, FeedbackVerdict, Watch
from wellread import requests as calls
from wellread.learning import AsyncLearning
from wellread.records import Event, PageRead, Record, StoredPage, to_feedback, to_page, to_record, to_value, to_watch
from wellread.requests import DEFAULT_URL, Call, Options, Refused, Terms
from wellread.sites import AsyncSites, Source, to_source


class AsyncClient(AsyncSites, AsyncLearning):
    """:class:`~wellread.client.Client` for asyncio: the same methods, awaited."""

    def __init__(
        self, url: str = DEFAULT_URL, *, key: str = "", transport: httpx2.AsyncBaseTransport | None = None
    ) -> None:
        self.url = calls.check_address(url)
        self._http = httpx2.AsyncClient(
            base_url=self.url, headers=calls.headers(key), trust_env=False, transport=transport
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def ask(self, question: str, *, wait: float = 30.0, **options: Unpack[Options]) -> Record:
        """Ask and wait up to ``wait`` seconds (at most 120) for the final answer; what is ready by then comes back."""
        return to_record(await self._send(calls.chat(question, wait, options)))

    async def submit(self, question: str, *, idempotency_key: str = "", **terms: Unpack[Terms]) -> str:
        """Ask without waiting; returns the question's id. A key makes a repeat harmless."""
        return str((await self._send(calls.submit(question, idempotency_key, terms)))["id"])

    async def get(self, question_id: str) -> Record:
        """A question's record."""
        return to_record(await self._send(calls.of_question(question_id)))

    async def trace(self, question_id: str) -> list[Mapping[str, Any]]:
        """Every finished step with what it looked for, found and decided."""
        return list(await self._send(calls.of_question(question_id, "/trace")))

    async def cancel(self, question_id: str) -> Record:
        """Stop a question; what was read stays read."""
        return to_record(await self._send(calls.of_question(question_id, "/cancel", method="POST")))

    async def watch(self, question_id: str, *, callback_url: str = "") -> Watch:
        """Have a question asked again whenever a page that its answer cites changes."""
        return to_watch(await self._send(calls.watch(question_id, callback_url)))

    async def unwatch(self, question_id: str) -> None:
        """Have it asked again no longer."""
        await self._send(calls.of_question(question_id, "/watch", method="DELETE"))

    async def watches(self) -> list[Watch]:
        """The standing questions, oldest first."""
        return [to_watch(sent) for sent in await self._send(Call(path="/api/watches"))]

    async def feedback(
        self, question_id: str, verdict: FeedbackVerdict, *, comment: str = "", revision: int | None = None
    ) -> Feedback:
        """Say whether an answer is right (its latest revision, unless one is named)."""
        return to_feedback(await self._send(calls.feedback(question_id, verdict, comment, revision)))

    async def events(self, question_id: str, *, after: str = "") -> AsyncIterator[Event]:
        """Yield a question's progress up to its ``final`` event; a broken connection is taken up where it broke."""
        async for event in self._stream(calls.of_question(question_id, "/events").path, after, last=EventKind.FINAL):
            yield event

    async def changes(self, question_id: str, *, after: str = "") -> AsyncIterator[Event]:
        """Yield an event ``changed`` with each new answer of a standing question, until it is watched no longer."""
        async for event in self._stream(calls.of_question(question_id, "/changes").path, after, last=EventKind.STOPPED):
            yield event

    async def _stream(self, path: str, after: str, *, last: str) -> AsyncIterator[Event]:
        tries = 0
        while True:
            try:
                async with self._http.sse(path, headers=calls.resume(after), timeout=calls.SILENT_S) as stream:
                    if not stream.response.is_success:
                        await stream.response.aread()
                        calls.answer(stream.response)
                    async for sent in stream:
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
            await asyncio.sleep(calls.pause_s(tries))

    async def sources(self) -> list[Source]:
        """The sites that may be read for any question."""
        return [to_source(sent) for sent in await self._send(Call(path="/api/sources"))]

    async def add_source(self, url: str, *, own: bool = False, min_delay_s: float | None = None) -> Source:
        """Keep a site; ``own`` says it is the operator's, so that its address may be private."""
        return to_source(await self._send(calls.add_source(url, own=own, min_delay_s=min_delay_s)))

    async def remove_source(self, source_id: int) -> None:
        """Forget a site; what was read from it stays."""
        await self._send(Call(method="DELETE", path=f"/api/sources/{source_id}"))

    async def read(self, url: str) -> PageRead:
        """Have one page read into the knowledge base; :meth:`reading` tells how far that has come."""
        return to_value(PageRead, await self._send(Call(method="POST", path="/api/reads", body={"url": url})))

    async def reading(self, reading_id: int) -> PageRead:
        """Return how far the reading of a page has come."""
        return to_value(PageRead, await self._send(Call(path=f"/api/reads/{reading_id}")))

    async def page(self, page_id: int) -> StoredPage:
        """A page that a citation names, with its whole text."""
        return to_page(await self._send(Call(path=f"/api/pages/{page_id}")))

    async def stats(self) -> Mapping[str, Any]:
        """What is held and what is going on."""
        return dict(await self._send(Call(path="/api/stats")))

    async def is_ready(self) -> bool:
        """Return whether every part a question needs is there."""
        try:
            await self._send(Call(path="/readyz"))
        except Refused:
            return False
        return True

    async def _send(self, call: Call) -> Any:
        try:
            return calls.answer(await self._http.request(call.method, call.path, **call.sends))
        except httpx2.TransportError as error:
            raise calls.unreachable(self.url, error) from error
