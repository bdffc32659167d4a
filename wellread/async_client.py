"""The client; ``clients/python/unasync.py`` writes the synchronous one from this file."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Literal, Self, Unpack

import httpx2

from domain.access.collection import Collection, Imported
from domain.access.key import ApiKey
from domain.file import StoredFile
from domain.question import EventKind, Thread, ThreadWithQuestions
from domain.record import Event, Feedback, FeedbackVerdict, FoundPassage, Record, Watch
from domain.site import PageRead, PageSummary, PageVersion, SiteRead, Source, StoredPage
from wellread import requests, responses
from wellread.errors import Refused
from wellread.learned import LearnedOut
from wellread.options import Filters, Options, SourceSettings, Terms
from wellread.requests import DEFAULT_URL, Call, PageFilters
from wellread.responses import to_value, to_values


class AsyncClient:
    """Wellread over HTTP. Close it, or use it as a context. Every failure is a :class:`wellread.ClientError`.

    The environment's proxies are not used.
    """

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        key: str = "",
        collection: str = "",
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        """``collection`` is the one that every call is about; left out: the key's first, or the default one."""
        self.url = requests.check_address(url)
        self._http = httpx2.AsyncClient(
            base_url=self.url,
            headers=requests.headers(key),
            params={"collection": collection} if collection else None,
            trust_env=False,
            transport=transport,
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
        """Ask, wait up to ``wait`` seconds (at most 120) for the final answer, and return the record as it is then."""
        return to_value(Record, await self._send(requests.chat(question, wait, options)))

    async def submit(self, question: str, *, idempotency_key: str = "", **terms: Unpack[Terms]) -> str:
        """Ask without waiting; returns the question's id. A key makes a repeat harmless."""
        submitted = await self._send(requests.submit(question, idempotency_key, terms))
        return str(submitted["id"])

    async def threads(self, words: str = "", *, limit: int = 50, before: datetime | None = None) -> list[Thread]:
        """Return the threads asked in last, newest first: with these words said in them, asked in before then."""
        return to_values(Thread, await self._send(requests.list_threads(words, limit, before)))

    async def thread(self, thread_id: str, *, limit: int = 50, before: str = "") -> ThreadWithQuestions:
        """Return a thread with its latest questions, or with those asked before a question."""
        query = {"limit": str(limit), "before": before}
        return to_value(ThreadWithQuestions, await self._send(requests.of_thread(thread_id, query=query)))

    async def rename_thread(self, thread_id: str, title: str) -> Thread:
        """Give a thread another title."""
        return to_value(Thread, await self._send(requests.of_thread(thread_id, "PATCH", body={"title": title})))

    async def delete_thread(self, thread_id: str) -> None:
        """Delete a thread with its questions, their answers and traces; what was read for them stays read."""
        await self._send(requests.of_thread(thread_id, "DELETE", timeout_s=600.0))

    async def export_thread(self, thread_id: str, form: Literal["md", "html"] = "md") -> str:
        """Return a thread's questions in their order, with their answers and quotes, as one document."""
        return responses.read_text(await self._request(requests.export_thread(thread_id, form)))

    async def search(self, query: str, **filters: Unpack[Filters]) -> list[FoundPassage]:
        """Return the passages that fit best, best first; no answer is made and nothing is read."""
        return to_values(FoundPassage, await self._send(requests.search(query, filters)))

    async def get(self, question_id: str) -> Record:
        """Return a question's record."""
        return to_value(Record, await self._send(requests.of_question(question_id)))

    async def trace(self, question_id: str) -> list[Mapping[str, Any]]:
        """Return every finished step with its queries, its hits and its verdict."""
        return list(await self._send(requests.of_question(question_id, "/trace")))

    async def cancel(self, question_id: str) -> Record:
        """Stop a question; what was read stays read."""
        return to_value(Record, await self._send(requests.of_question(question_id, "/cancel", method="POST")))

    async def watch(self, question_id: str, *, callback_url: str = "") -> Watch:
        """Have a question asked again whenever a page that its answer cites changes."""
        return to_value(Watch, await self._send(requests.watch(question_id, callback_url)))

    async def unwatch(self, question_id: str) -> None:
        """Stop watching a question."""
        await self._send(requests.of_question(question_id, "/watch", method="DELETE"))

    async def watches(self) -> list[Watch]:
        """Return the standing questions, oldest first."""
        return to_values(Watch, await self._send(Call(path="/api/watches")))

    async def feedback(
        self, question_id: str, verdict: FeedbackVerdict, *, comment: str = "", revision: int | None = None
    ) -> Feedback:
        """Say whether an answer is right (its latest revision, unless one is named)."""
        return to_value(Feedback, await self._send(requests.feedback(question_id, verdict, comment, revision)))

    def events(self, question_id: str, *, after: str = "") -> AsyncIterator[Event]:
        """Yield a question's progress up to its ``final`` event; a broken connection is taken up where it broke."""
        return self._stream(requests.of_question(question_id, "/events"), after, last=EventKind.FINAL)

    def changes(self, question_id: str, *, after: str = "") -> AsyncIterator[Event]:
        """Yield an event ``changed`` with each new answer of a standing question, until it is watched no longer."""
        return self._stream(requests.of_question(question_id, "/changes"), after, last=EventKind.STOPPED)

    async def sources(self) -> list[Source]:
        """Return the sites that may be read for any question."""
        return to_values(Source, await self._send(Call(path="/api/sources")))

    async def add_source(self, url: str, *, own: bool = False, **settings: Unpack[SourceSettings]) -> Source:
        """Add a site; ``own`` says it is the operator's, so that its address may be private."""
        return to_value(Source, await self._send(requests.add_source(url, own, settings)))

    async def change_source(self, source_id: int, **changes: Unpack[SourceSettings]) -> Source:
        """Change a source's settings; what is left out stays. ``every=None, cron=None`` ends a schedule."""
        return to_value(Source, await self._send(requests.change_source(source_id, changes)))

    async def remove_source(self, source_id: int, *, pages: bool = False) -> None:
        """Remove a site; what was read from it stays, unless its ``pages`` are deleted too."""
        await self._send(requests.remove_source(source_id, pages))

    async def read_site(self, url: str, *, max_pages: int | None = None, max_depth: int | None = None) -> SiteRead:
        """Have a whole site read into the knowledge base; :meth:`site_read` returns how far that has come."""
        return to_value(SiteRead, await self._send(requests.read_site(url, max_pages, max_depth)))

    async def site_read(self, site_read_id: int) -> SiteRead:
        """Return how far the reading of a site has come."""
        return to_value(SiteRead, await self._send(requests.of_site_read(site_read_id)))

    async def site_reads(self) -> list[SiteRead]:
        """Return the last site reads, newest first."""
        return to_values(SiteRead, await self._send(Call(path="/api/site-reads")))

    async def pause_site_read(self, site_read_id: int) -> SiteRead:
        """Read no more of a site until it is resumed."""
        return to_value(SiteRead, await self._send(requests.of_site_read(site_read_id, "pause")))

    async def resume_site_read(self, site_read_id: int) -> SiteRead:
        """Go on with a site."""
        return to_value(SiteRead, await self._send(requests.of_site_read(site_read_id, "resume")))

    async def cancel_site_read(self, site_read_id: int) -> SiteRead:
        """Read no more of a site; what was read stays."""
        return to_value(SiteRead, await self._send(requests.of_site_read(site_read_id, "cancel")))

    async def read(self, url: str) -> PageRead:
        """Have one page read into the knowledge base; :meth:`reading` returns how far that has come."""
        return to_value(PageRead, await self._send(Call(method="POST", path="/api/reads", body={"url": url})))

    async def reading(self, reading_id: int) -> PageRead:
        """Return how far the reading of a page has come."""
        return to_value(PageRead, await self._send(Call(path=f"/api/reads/{reading_id}")))

    async def page(self, page_id: int, *, question_id: str = "") -> StoredPage:
        """Return a page that a citation of the question names, with its whole text.

        Only a page that serves this question alone needs the question's id.
        """
        return to_value(StoredPage, await self._send(requests.page(page_id, question_id)))

    async def page_at(self, url: str, *, question_id: str = "", version: int | None = None) -> StoredPage:
        """Return the stored page with this URL, or a former ``version``; for ``question_id`` see :meth:`page`."""
        return to_value(StoredPage, await self._send(requests.page_at(url, question_id, version)))

    async def pages(self, **filters: Unpack[PageFilters]) -> list[PageSummary]:
        """Return the stored pages by address, at most 100 unless ``limit`` says otherwise; for operators."""
        return to_values(PageSummary, await self._send(requests.list_pages(filters)))

    async def page_versions(self, page_id: int, *, question_id: str = "") -> list[PageVersion]:
        """Return the texts of a page that are kept, the present one first; for ``question_id`` see :meth:`page`."""
        return to_values(PageVersion, await self._send(requests.page_versions(page_id, question_id)))

    async def export(self, question_id: str, form: Literal["md", "html"] = "md") -> str:
        """Return a question's answer with its quotes as a document in Markdown or HTML."""
        return responses.read_text(await self._request(requests.export(question_id, form)))

    async def add_file(self, name: str, content: bytes) -> StoredFile:
        """Have a file read into the knowledge base; :meth:`file` returns how far that has come."""
        return to_value(StoredFile, await self._send(requests.add_file(name, content)))

    async def file(self, file_id: int) -> StoredFile:
        """Return a file, and how far the reading of it has come."""
        return to_value(StoredFile, await self._send(Call(path=f"/api/files/{file_id}")))

    async def files(
        self, *, folder: str = "", failed: bool = False, after: str = "", address: str = ""
    ) -> list[StoredFile]:
        """Return the files by address, at most 1,000: those of a folder, that could not be read, behind an address.

        ``address``: only the one that has it.
        """
        return to_values(StoredFile, await self._send(requests.list_files(folder, failed, after, address)))

    async def delete_file(self, file_id: int) -> None:
        """Delete a file with all that was derived from it, also one that could not be read."""
        await self._send(Call(method="DELETE", path=f"/api/files/{file_id}", timeout_s=60.0))

    async def delete_page(self, page_id: int) -> None:
        """Delete a page or file with all that was derived from it."""
        await self._send(Call(method="DELETE", path=f"/api/pages/{page_id}", timeout_s=60.0))

    async def delete_question(self, question_id: str) -> None:
        """Delete a question with its answers and its trace; what was read for it stays read."""
        await self._send(requests.of_question(question_id, method="DELETE"))

    async def learned(self) -> list[LearnedOut]:
        """Return how feedback corrects the judge's confidence, by embedder, language and calibration."""
        return to_values(LearnedOut, await self._send(Call(path="/api/learned")))

    async def learn(self) -> list[LearnedOut]:
        """Learn from all feedback; a correction that helps is used at once."""
        return to_values(LearnedOut, await self._send(requests.learn()))

    async def reset_learned(self) -> list[LearnedOut]:
        """Return to the shipped judge; feedback given so far no longer counts."""
        return to_values(LearnedOut, await self._send(Call(method="DELETE", path="/api/learned")))

    async def collections(self) -> list[Collection]:
        """Return the collections that the key opens: first ``default``, then by name."""
        return to_values(Collection, await self._send(Call(path="/api/collections")))

    async def add_collection(self, name: str, *, exclude_sites: Sequence[str] = ()) -> Collection:
        """Add a collection; nothing of ``exclude_sites`` is ever read or quoted in it."""
        return to_value(Collection, await self._send(requests.add_collection(name, exclude_sites)))

    async def delete_collection(self, name: str) -> None:
        """Delete a collection with all that is in it."""
        await self._send(requests.delete_collection(name))

    async def export_collection(self) -> bytes:
        """Return all that belongs to the collection as one file, which :meth:`import_collection` takes over."""
        return responses.read_bytes(await self._request(requests.export_collection()))

    async def import_collection(self, content: bytes, *, own: bool = False) -> Imported:
        """Take over what an exported file holds and is not known yet; ``own``: inner addresses and callbacks, too."""
        return to_value(Imported, await self._send(requests.import_collection(content, own)))

    async def keys(self) -> list[ApiKey]:
        """Return the API keys that were made, without their secrets."""
        return to_values(ApiKey, await self._send(Call(path="/api/keys")))

    async def add_key(
        self,
        name: str,
        *,
        role: str = "ask",
        collections: Sequence[str] | None = None,
        expires_at: datetime | None = None,
    ) -> ApiKey:
        """Make an API key: its ``secret`` is in this answer alone. Without ``collections`` it opens all."""
        return to_value(ApiKey, await self._send(requests.add_key(name, role, collections, expires_at)))

    async def revoke_key(self, name: str) -> None:
        """Revoke an API key, named by its name or id."""
        await self._send(requests.revoke_key(name))

    async def stats(self) -> Mapping[str, Any]:
        """Return how much is stored and how much waits."""
        return dict(await self._send(Call(path="/api/stats")))

    async def is_ready(self) -> bool:
        """Return whether every part a question needs is there."""
        try:
            await self._send(Call(path="/readyz"))
        except Refused:
            return False
        return True

    async def _send(self, call: Call) -> Any:
        return responses.read_json(await self._request(call))

    async def _request(self, call: Call) -> httpx2.Response:
        try:
            return await self._http.request(
                call.method,
                call.path,
                params=call.query,
                json=call.body,
                files=call.files,
                content=call.content,
                headers=call.headers,
                timeout=call.timeout_s,
            )
        except httpx2.TransportError as error:
            raise responses.unreachable(self.url, error) from error

    async def _stream(self, call: Call, after: str, *, last: str) -> AsyncIterator[Event]:
        tries = 0
        while True:
            try:
                async with self._http.sse(
                    call.path, headers=requests.resume(after), timeout=responses.SILENT_S
                ) as stream:
                    if not stream.response.is_success:
                        await stream.response.aread()
                        responses.read_json(stream.response)
                    async for sent in stream:
                        event, tries = responses.to_event(sent), 0
                        after = event.id or after
                        yield event
                        if event.kind == last:
                            return
                broken: Exception = ConnectionResetError("the stream ended early")
            except (httpx2.TransportError, Refused) as error:
                broken = error
            tries += 1
            responses.check_tries(self.url, broken, tries)
            await asyncio.sleep(responses.pause_s(tries))
