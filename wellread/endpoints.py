"""Every call of the API, declared once for both clients: the request, and how its response is read.

Nothing is sent here.
"""

import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Concatenate, Generic, Literal, ParamSpec, TypedDict, TypeVar, Unpack, overload
from urllib.parse import quote

import httpx2

from domain.access import ApiKey, Collection, Imported, KeyUsage
from domain.curated import CuratedAnswer
from domain.document import DocumentBulk, DocumentChange, DocumentState, PushedDocument
from domain.file import FolderState, StoredFile
from domain.outcome import Learned
from domain.question import Thread, ThreadWithQuestions
from domain.record import (
    Bulk,
    BulkChange,
    Delivery,
    Feedback,
    FeedbackVerdict,
    FoundPassage,
    Record,
    Watch,
    WebhookTried,
)
from domain.site import ExtractedPage, PageKind, PageRead, PageSummary, PageVersion, SiteRead, Source, StoredPage
from domain.subscription import News, Subscription
from wellread.options import Filters, FolderOptions, Options, QuestionFilters, SourceOptions, Terms
from wellread.responses import (
    QuestionPart,
    is_success,
    read_bytes,
    read_json,
    read_nothing,
    read_part,
    read_text,
    value,
    values,
)

Params = ParamSpec("Params")
Value = TypeVar("Value")

#: learning reads all feedback and fits everything anew
LEARNING_S = 600.0
#: a file may be large, and a network slow
UPLOAD_S = 600.0


class DocumentOptions(TypedDict, total=False):
    """What is said of a document: one of text, markdown and html, unless it is a file, and more."""

    text: str
    markdown: str
    html: str
    url: str  # by which it is cited
    title: str
    lang: str  # ISO 639-1
    published: str  # ISO 8601
    modified: str
    metadata: Mapping[str, Any]  # texts, numbers, true and false, lists of texts


class CuratedOptions(TypedDict, total=False):
    """An operator's answer; the first three are needed."""

    questions: Sequence[str]  # the same in several wordings
    answer: str  # in Markdown
    author: str
    written: str  # ISO 8601; default: now
    sources: Sequence[str]
    expires_at: str


class PageFilters(TypedDict, total=False):
    """Which pages are listed."""

    site: str  # below this URL
    source: int  # of this source
    since: str  # whose text is not older, ISO 8601
    kind: PageKind  # web, file or document
    not_read: bool  # what answers cannot be drawn from, with the reason
    stale: bool  # those that the last look did not read
    after: str  # after this address: the next part
    limit: int  # 1 to 1,000


@dataclass(frozen=True, kw_only=True)
class Call(Generic[Value]):
    """A request, whose parts have httpx2's names, and what returns the value of its response."""

    read: Callable[[httpx2.Response], Value]
    method: str = "GET"
    url: str
    params: Mapping[str, str | Sequence[str]] | None = None
    json: Mapping[str, Any] | None = None
    files: Mapping[str, tuple[str | None, bytes]] | None = None
    content: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout: float = 15.0  #: seconds


class Endpoint(Generic[Params, Value]):
    """A method of both clients, typed for each: one returns the value, the other a coroutine of it."""

    def __init__(self, call: Callable[Concatenate["Endpoints", Params], Call[Value]]) -> None:
        self.call = call

    @overload
    def __get__(self, client: "SyncEndpoints", kind: type) -> Callable[Params, Value]: ...
    @overload
    def __get__(self, client: "AsyncEndpoints", kind: type) -> Callable[Params, Coroutine[Any, Any, Value]]: ...
    @overload
    def __get__(self, client: None, kind: type) -> "Endpoint[Params, Value]": ...
    def __get__(self, client: object, kind: type) -> object:
        return self


class Endpoints:
    """The API's endpoints: the methods that :class:`wellread.Client` and its asynchronous twin share."""

    @Endpoint
    def ask(self, question: str, *, wait: float = 30.0, **options: Unpack[Options]) -> Call[Record]:
        """Ask, wait up to ``wait`` seconds (at most 120) for the final answer, and return the record as it is then."""
        body = {"question": question, "wait": wait, **_json(options)}
        return Call(read=value(Record), method="POST", url="/api/chat", json=body, timeout=wait + 15.0)

    @Endpoint
    def submit(self, question: str, *, idempotency_key: str = "", **terms: Unpack[Terms]) -> Call[str]:
        """Ask without waiting; returns the question's id. A key makes a repeat harmless."""
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        body = {"question": question, **_json(terms)}
        return Call(read=_id, method="POST", url="/api/questions", json=body, headers=headers)

    @Endpoint
    def submit_many(self, questions: Sequence[Mapping[str, Any]]) -> Call[Bulk]:
        """Ask up to 1,000 questions without waiting, each as the API takes it: `question`, `id`, further options.

        An ``id`` of yours, any text, makes a repeat harmless. What cannot be asked is reported, and the rest is asked.
        """
        body = {"questions": [dict(each) for each in questions]}
        return Call(read=value(Bulk), method="POST", url="/api/questions/bulk", json=body, timeout=UPLOAD_S)

    @Endpoint
    def questions(self, *, limit: int = 20, after: str = "", **filters: Unpack[QuestionFilters]) -> Call[QuestionPart]:
        """Return a part of the questions that the filters mean, newest first; its ``after`` gives the next part."""
        query = {"limit": str(limit), **_query(after=after), **_listed(filters)}
        return Call(read=read_part, url="/api/questions", params=query)

    @Endpoint
    def export_questions(
        self, form: Literal["jsonl", "csv"] = "jsonl", **filters: Unpack[QuestionFilters]
    ) -> Call[str]:
        """Return the questions that the filters mean with their answers, as JSON Lines or CSV."""
        query = {"format": form, **_listed(filters)}
        return Call(read=read_text, url="/api/questions/export", params=query, timeout=UPLOAD_S)

    @Endpoint
    def cancel_questions(self, *, dry_run: bool = False, **filters: Unpack[QuestionFilters]) -> Call[BulkChange]:
        """Stop the open questions that the filters mean; call it again while some are ``left``."""
        return _change("cancel", dry_run, filters)

    @Endpoint
    def replay_questions(self, *, dry_run: bool = False, **filters: Unpack[QuestionFilters]) -> Call[BulkChange]:
        """Run those again that failed, ran out of time or were cancelled; call it again while some are ``left``."""
        return _change("replay", dry_run, filters)

    @Endpoint
    def delete_questions(self, *, dry_run: bool = False, **filters: Unpack[QuestionFilters]) -> Call[BulkChange]:
        """Delete the questions that the filters mean; call it again while some are ``left``."""
        return _change("delete", dry_run, filters)

    @Endpoint
    def threads(self, words: str = "", *, limit: int = 50, before: datetime | None = None) -> Call[list[Thread]]:
        """Return the threads asked in last, newest first: with these words said in them, asked in before then."""
        query = _query(q=words, limit=str(limit), before=before.isoformat() if before else "")
        return Call(read=values(Thread), url="/api/threads", params=query)

    @Endpoint
    def thread(self, thread_id: str, *, limit: int = 50, before: str = "") -> Call[ThreadWithQuestions]:
        """Return a thread with its latest questions, or with those asked before a question."""
        query = _query(limit=str(limit), before=before)
        return Call(read=value(ThreadWithQuestions), url=_path("threads", thread_id), params=query)

    @Endpoint
    def rename_thread(self, thread_id: str, title: str) -> Call[Thread]:
        """Give a thread another title."""
        return Call(read=value(Thread), method="PATCH", url=_path("threads", thread_id), json={"title": title})

    @Endpoint
    def delete_thread(self, thread_id: str) -> Call[None]:
        """Delete a thread with its questions, their answers and traces; what was read for them stays read."""
        return Call(read=read_nothing, method="DELETE", url=_path("threads", thread_id), timeout=600.0)

    @Endpoint
    def export_thread(self, thread_id: str, form: Literal["md", "html"] = "md") -> Call[str]:
        """Return a thread's questions in their order, with their answers and quotes, as one document."""
        path = _path("threads", thread_id, "/export")
        return Call(read=read_text, url=path, params={"format": form}, timeout=UPLOAD_S)

    @Endpoint
    def search(self, query: str, **filters: Unpack[Filters]) -> Call[list[FoundPassage]]:
        """Return the passages that fit best, best first; no answer is made and nothing is read."""
        body = {"query": query, **_json(filters)}
        return Call(read=values(FoundPassage), method="POST", url="/api/search", json=body, timeout=30.0)

    @Endpoint
    def get(self, question_id: str) -> Call[Record]:
        """Return a question's record."""
        return Call(read=value(Record), url=question_path(question_id))

    @Endpoint
    def trace(self, question_id: str) -> Call[list[Mapping[str, Any]]]:
        """Return every finished step with its queries, its hits and its verdict."""
        return Call(read=read_json, url=question_path(question_id, "/trace"))

    @Endpoint
    def replay_trace(self, question_id: str) -> Call[Mapping[str, Any]]:
        """Run the question's lookup again on what is known now, and return what differs; nothing is stored."""
        return Call(read=read_json, method="POST", url=question_path(question_id, "/trace/replay"), timeout=60.0)

    @Endpoint
    def cancel(self, question_id: str) -> Call[Record]:
        """Stop a question; what was read stays read."""
        return Call(read=value(Record), method="POST", url=question_path(question_id, "/cancel"))

    @Endpoint
    def watch(self, question_id: str, *, callback_url: str = "") -> Call[Watch]:
        """Have a question asked again whenever a page that its answer cites changes."""
        body = {"callback_url": callback_url} if callback_url else {}
        return Call(read=value(Watch), method="POST", url=question_path(question_id, "/watch"), json=body)

    @Endpoint
    def unwatch(self, question_id: str) -> Call[None]:
        """Stop watching a question."""
        return Call(read=read_nothing, method="DELETE", url=question_path(question_id, "/watch"))

    @Endpoint
    def watches(self) -> Call[list[Watch]]:
        """Return the standing questions, oldest first."""
        return Call(read=values(Watch), url="/api/watches")

    @Endpoint
    def subscribe(
        self,
        question: str = "",
        *,
        subject: str = "",
        every: str | None = None,
        cron: str | None = None,
        zone: str | None = None,
        callback_url: str | None = None,
        email: str | None = None,
        **options: Unpack[Options],
    ) -> Call[Subscription]:
        """Have a question be asked, or a ``subject`` looked for, on a schedule, and be told what is new."""
        about = {"question": question} if question else {"subject": subject}
        body = _given(every=every, cron=cron, zone=zone, callback_url=callback_url, email=email)
        body |= {**about, "options": _json(options)}
        return Call(read=value(Subscription), method="POST", url="/api/subscriptions", json=body)

    @Endpoint
    def subscriptions(self) -> Call[list[Subscription]]:
        """Return the subscriptions, oldest first."""
        return Call(read=values(Subscription), url="/api/subscriptions")

    @Endpoint
    def change_subscription(self, subscription_id: str, changes: Mapping[str, Any]) -> Call[Subscription]:
        """Change ``every``, ``cron``, ``zone``, ``callback_url``, ``email`` or ``paused``; what is left out stays."""
        return Call(
            read=value(Subscription), method="PATCH", url=_path("subscriptions", subscription_id), json=dict(changes)
        )

    @Endpoint
    def delete_subscription(self, subscription_id: str) -> Call[None]:
        """Delete a subscription with its news."""
        return Call(read=read_nothing, method="DELETE", url=_path("subscriptions", subscription_id))

    @Endpoint
    def run_subscription(self, subscription_id: str) -> Call[Subscription]:
        """Have a subscription be looked up now; :meth:`news` returns what was new."""
        return Call(read=value(Subscription), method="POST", url=_path("subscriptions", subscription_id, "/run"))

    @Endpoint
    def news(self, subscription_id: str) -> Call[list[News]]:
        """Return what was new of a subscription, the latest first."""
        return Call(read=values(News), url=_path("subscriptions", subscription_id, "/news"))

    @Endpoint
    def webhooks(
        self, *, status: str = "", question_id: str = "", before: int | None = None, limit: int = 50
    ) -> Call[list[Delivery]]:
        """Return webhooks with what came of them, newest first: in a state, of a question, before that with an id."""
        query = _query(status=status, question=question_id, before=str(before or ""), limit=str(limit))
        return Call(read=values(Delivery), url="/api/webhooks", params=query)

    @Endpoint
    def replay_webhook(self, webhook_id: int) -> Call[Delivery]:
        """Have a webhook be sent again, also one that was delivered."""
        return Call(read=value(Delivery), method="POST", url=f"/api/webhooks/{webhook_id}/replay")

    @Endpoint
    def test_webhook(self, url: str) -> Call[WebhookTried]:
        """Have a signed `webhook.test` be sent to an address now; returns what came back."""
        return Call(
            read=value(WebhookTried), method="POST", url="/api/webhooks/test", json={"url": url}, timeout=UPLOAD_S
        )

    @Endpoint
    def feedback(
        self, question_id: str, verdict: FeedbackVerdict, *, comment: str = "", revision: int | None = None
    ) -> Call[Feedback]:
        """Say whether an answer is right (its latest revision, unless one is named)."""
        body = _given(verdict=verdict, comment=comment, revision=revision)
        return Call(read=value(Feedback), method="POST", url=question_path(question_id, "/feedback"), json=body)

    @Endpoint
    def sources(self) -> Call[list[Source]]:
        """Return the sites that may be read for any question."""
        return Call(read=values(Source), url="/api/sources")

    @Endpoint
    def add_source(self, url: str, *, own: bool = False, **settings: Unpack[SourceOptions]) -> Call[Source]:
        """Add a site; ``own`` says it is the operator's, so that its address may be private."""
        body = _given(url=url, own=own, **_json(settings))
        return Call(read=value(Source), method="POST", url="/api/sources", json=body)

    @Endpoint
    def change_source(self, source_id: int, **changes: Unpack[SourceOptions]) -> Call[Source]:
        """Change a source's settings; what is left out stays. ``every=None, cron=None`` ends a schedule."""
        return Call(read=value(Source), method="PATCH", url=f"/api/sources/{source_id}", json=_json(changes))

    @Endpoint
    def remove_source(self, source_id: int, *, pages: bool = False) -> Call[None]:
        """Remove a site; what was read from it stays, unless its ``pages`` are deleted too."""
        query = _query(pages="true" if pages else "")
        return Call(read=read_nothing, method="DELETE", url=f"/api/sources/{source_id}", params=query, timeout=600.0)

    @Endpoint
    def read_site(self, url: str, *, max_pages: int | None = None, max_depth: int | None = None) -> Call[SiteRead]:
        """Have a whole site read into the knowledge base; :meth:`site_read` returns how far that has come."""
        body = _given(url=url, max_pages=max_pages, max_depth=max_depth)
        return Call(read=value(SiteRead), method="POST", url="/api/site-reads", json=body)

    @Endpoint
    def site_read(self, site_read_id: int) -> Call[SiteRead]:
        """Return how far the reading of a site has come."""
        return Call(read=value(SiteRead), url=f"/api/site-reads/{site_read_id}")

    @Endpoint
    def site_reads(self) -> Call[list[SiteRead]]:
        """Return the last site reads, newest first."""
        return Call(read=values(SiteRead), url="/api/site-reads")

    @Endpoint
    def pause_site_read(self, site_read_id: int) -> Call[SiteRead]:
        """Read no more of a site until it is resumed."""
        return Call(read=value(SiteRead), method="POST", url=f"/api/site-reads/{site_read_id}/pause")

    @Endpoint
    def resume_site_read(self, site_read_id: int) -> Call[SiteRead]:
        """Go on with a site."""
        return Call(read=value(SiteRead), method="POST", url=f"/api/site-reads/{site_read_id}/resume")

    @Endpoint
    def cancel_site_read(self, site_read_id: int) -> Call[SiteRead]:
        """Read no more of a site; what was read stays."""
        return Call(read=value(SiteRead), method="POST", url=f"/api/site-reads/{site_read_id}/cancel")

    @Endpoint
    def read(self, url: str) -> Call[PageRead]:
        """Have one page read into the knowledge base; :meth:`reading` returns how far that has come."""
        return Call(read=value(PageRead), method="POST", url="/api/reads", json={"url": url})

    @Endpoint
    def extract(self, url: str = "", *, html: str = "", keep: bool = False) -> Call[ExtractedPage]:
        """Return a page, or HTML, as Markdown with its dates and links; ``keep`` adds it to the knowledge base."""
        body = _given(url=url or None, html=html or None, keep=keep)
        return Call(read=value(ExtractedPage), method="POST", url="/api/extract", json=body, timeout=90.0)

    @Endpoint
    def reading(self, reading_id: int) -> Call[PageRead]:
        """Return how far the reading of a page has come."""
        return Call(read=value(PageRead), url=f"/api/reads/{reading_id}")

    @Endpoint
    def page(self, page_id: int, *, question_id: str = "") -> Call[StoredPage]:
        """Return a page that a citation of the question names, with its whole text.

        Only a page that was read for a single question needs that question's id.
        """
        return Call(read=value(StoredPage), url=f"/api/pages/{page_id}", params=_query(question_id=question_id))

    @Endpoint
    def page_at(self, url: str, *, question_id: str = "", version: int | None = None) -> Call[StoredPage]:
        """Return the stored page with this URL, or a former ``version``; for ``question_id`` see :meth:`page`."""
        query = _query(question_id=question_id, version=str(version) if version else "")
        return Call(read=value(StoredPage), url="/api/pages", params={"url": url, **query})

    @Endpoint
    def pages(self, **filters: Unpack[PageFilters]) -> Call[list[PageSummary]]:
        """Return the stored pages by address, at most 100 unless ``limit`` says otherwise; for operators."""
        query = {name: str(each).lower() if isinstance(each, bool) else str(each) for name, each in filters.items()}
        return Call(read=values(PageSummary), url="/api/pages", params=query, timeout=60.0)

    @Endpoint
    def page_versions(self, page_id: int, *, question_id: str = "") -> Call[list[PageVersion]]:
        """Return the texts of a page that are kept, the present one first; for ``question_id`` see :meth:`page`."""
        query = _query(question_id=question_id)
        return Call(read=values(PageVersion), url=f"/api/pages/{page_id}/versions", params=query)

    @Endpoint
    def export(self, question_id: str, form: Literal["md", "html"] = "md") -> Call[str]:
        """Return a question's answer with its quotes as a document in Markdown or HTML."""
        return Call(read=read_text, url=question_path(question_id, "/export"), params={"format": form})

    @Endpoint
    def add_file(self, name: str, content: bytes) -> Call[StoredFile]:
        """Have a file read into the knowledge base; :meth:`file` returns how far that has come."""
        form = {"file": (name.rpartition("/")[2], content), "name": (None, name.encode())}
        return Call(read=value(StoredFile), method="POST", url="/api/files", files=form, timeout=UPLOAD_S)

    @Endpoint
    def file(self, file_id: int) -> Call[StoredFile]:
        """Return a file, and how far the reading of it has come."""
        return Call(read=value(StoredFile), url=f"/api/files/{file_id}")

    @Endpoint
    def files(
        self, *, folder: str = "", failed: bool = False, after: str = "", address: str = ""
    ) -> Call[list[StoredFile]]:
        """Return the files by address, at most 1,000: those of a folder, that could not be read, after an address.

        ``address``: only the one that has it.
        """
        query = _query(folder=folder, failed="true" if failed else "", after=after, address=address)
        return Call(read=values(StoredFile), url="/api/files", params=query)

    @Endpoint
    def folders(self) -> Call[list[FolderState]]:
        """Return the watched folders, by name."""
        return Call(read=values(FolderState), url="/api/folders")

    @Endpoint
    def watch_folder(self, url: str, **options: Unpack[FolderOptions]) -> Call[FolderState]:
        """Watch a folder of a Git repository (its http(s) URL) or of an S3 bucket (``s3://BUCKET/PREFIX``)."""
        body = _given(url=url, **options)
        return Call(read=value(FolderState), method="POST", url="/api/folders", json=body)

    @Endpoint
    def remove_folder(self, name: str) -> Call[None]:
        """Stop watching a folder, and delete what was read from it; the folder itself is not touched."""
        return Call(read=read_nothing, method="DELETE", url=f"/api/folders/{name}", timeout=600.0)

    @Endpoint
    def delete_file(self, file_id: int) -> Call[None]:
        """Delete a file with all that was derived from it, also one that could not be read."""
        return Call(read=read_nothing, method="DELETE", url=f"/api/files/{file_id}", timeout=60.0)

    @Endpoint
    def put_document(
        self,
        document_id: str,
        *,
        file: tuple[str, bytes] | None = None,
        collection: str = "",
        **document: Unpack[DocumentOptions],
    ) -> Call[PushedDocument]:
        """Push a document under an id of your own, with ``text``, ``markdown`` or ``html`` or a ``file`` (name, bytes).

        What is there under this id is replaced; where nothing changed, nothing is done.
        """
        fields = _given(collection=collection or None, **_json(document))
        put: dict[str, Any] = {"method": "PUT", "url": _path("documents", document_id), "timeout": UPLOAD_S}
        if file is None:
            return Call(read=value(PushedDocument), json=fields, **put)
        plain = {name: each if isinstance(each, str) else json.dumps(each) for name, each in fields.items()}
        form = {name: (None, each.encode()) for name, each in plain.items()}
        return Call(read=value(PushedDocument), files={"file": file, **form}, **put)

    @Endpoint
    def put_documents(self, documents: Sequence[Mapping[str, Any]], *, collection: str = "") -> Call[DocumentBulk]:
        """Push up to 500 documents, each with its ``id``; what cannot be taken is reported, and the rest is taken."""
        body = _given(documents=[dict(each) for each in documents], collection=collection or None)
        url = "/api/documents/bulk"
        return Call(read=value(DocumentBulk), method="POST", url=url, json=body, timeout=UPLOAD_S)

    @Endpoint
    def documents(
        self, *, filters: Sequence[str] = (), state: DocumentState | None = None, after: str = "", limit: int = 100
    ) -> Call[list[PushedDocument]]:
        """Return documents by id: those whose metadata fits all filters, those behind an id."""
        query: dict[str, str | Sequence[str]] = {**_query(state=state or "", after=after, limit=str(limit))}
        if filters:
            query["filter"] = list(filters)
        return Call(read=values(PushedDocument), url="/api/documents", params=query)

    @Endpoint
    def document(self, document_id: str) -> Call[PushedDocument]:
        """Return a document, and whether answers can be drawn from it yet."""
        return Call(read=value(PushedDocument), url=_path("documents", document_id))

    @Endpoint
    def delete_document(self, document_id: str) -> Call[None]:
        """Delete a document with all that was derived from it."""
        return Call(read=read_nothing, method="DELETE", url=_path("documents", document_id), timeout=60.0)

    @Endpoint
    def delete_documents(self, filters: Sequence[str], *, dry_run: bool = False) -> Call[DocumentChange]:
        """Delete the documents whose metadata fits all filters; call it again while some are ``left``."""
        body = {"filters": list(filters), "dry_run": dry_run}
        return Call(read=value(DocumentChange), method="POST", url="/api/documents/delete", json=body, timeout=60.0)

    @Endpoint
    def put_curated(
        self, curated_id: str, *, collection: str = "", **curated: Unpack[CuratedOptions]
    ) -> Call[CuratedAnswer]:
        """Save an answer that you wrote, for questions that mean the same as one of its own."""
        body = _given(collection=collection or None, **_json(curated))
        return Call(read=value(CuratedAnswer), method="PUT", url=_path("curated", curated_id), json=body, timeout=60.0)

    @Endpoint
    def curated(self, curated_id: str) -> Call[CuratedAnswer]:
        """Return an answer that an operator wrote."""
        return Call(read=value(CuratedAnswer), url=_path("curated", curated_id))

    @Endpoint
    def curated_answers(self, *, after: str = "", limit: int = 100) -> Call[list[CuratedAnswer]]:
        """Return the answers that operators wrote, by id: those behind an id."""
        return Call(read=values(CuratedAnswer), url="/api/curated", params=_query(after=after, limit=str(limit)))

    @Endpoint
    def delete_curated(self, curated_id: str) -> Call[None]:
        """Delete an answer that an operator wrote."""
        return Call(read=read_nothing, method="DELETE", url=_path("curated", curated_id), timeout=60.0)

    @Endpoint
    def delete_page(self, page_id: int) -> Call[None]:
        """Delete a page or file with all that was derived from it."""
        return Call(read=read_nothing, method="DELETE", url=f"/api/pages/{page_id}", timeout=60.0)

    @Endpoint
    def delete_question(self, question_id: str) -> Call[None]:
        """Delete a question with its answers and its trace; what was read for it stays read."""
        return Call(read=read_nothing, method="DELETE", url=question_path(question_id))

    @Endpoint
    def learned(self) -> Call[list[Learned]]:
        """Return how feedback corrects the judge's confidence, by embedder, language and calibration."""
        return Call(read=values(Learned), url="/api/learned")

    @Endpoint
    def learn(self) -> Call[list[Learned]]:
        """Learn from all feedback; a correction that helps is used at once."""
        return Call(read=values(Learned), method="POST", url="/api/learned", timeout=LEARNING_S)

    @Endpoint
    def reset_learned(self) -> Call[list[Learned]]:
        """Return to the shipped judge; feedback given so far no longer counts."""
        return Call(read=values(Learned), method="DELETE", url="/api/learned")

    @Endpoint
    def collections(self) -> Call[list[Collection]]:
        """Return the collections that the key opens: first ``default``, then by name."""
        return Call(read=values(Collection), url="/api/collections")

    @Endpoint
    def add_collection(self, name: str, *, exclude_sites: Sequence[str] = ()) -> Call[Collection]:
        """Add a collection; nothing of ``exclude_sites`` is ever read or quoted in it."""
        body = {"name": name, "exclude_sites": list(exclude_sites)}
        return Call(read=value(Collection), method="POST", url="/api/collections", json=body, timeout=60.0)

    @Endpoint
    def weigh_collection(self, name: str, weight: float) -> Call[Collection]:
        """Give a collection its share of the workers beside other collections; at first it is 1."""
        url = _path("collections", name)
        return Call(read=value(Collection), method="PATCH", url=url, json={"weight": weight})

    @Endpoint
    def delete_collection(self, name: str) -> Call[None]:
        """Delete a collection with all that is in it."""
        return Call(read=read_nothing, method="DELETE", url=_path("collections", name), timeout=60.0)

    @Endpoint
    def export_collection(self) -> Call[bytes]:
        """Return all that belongs to the collection as one file, which :meth:`import_collection` takes over."""
        return Call(read=read_bytes, url="/api/export", timeout=UPLOAD_S)

    @Endpoint
    def import_collection(self, content: bytes, *, own: bool = False) -> Call[Imported]:
        """Take over what an exported file holds and is not known yet; ``own``: inner addresses and callbacks, too."""
        return Call(
            read=value(Imported),
            method="POST",
            url="/api/import",
            params={"own": "true"} if own else None,
            content=content,
            headers={"content-type": "application/zip"},
            timeout=UPLOAD_S,
        )

    @Endpoint
    def keys(self) -> Call[list[ApiKey]]:
        """Return the API keys that were made, without their secrets."""
        return Call(read=values(ApiKey), url="/api/keys")

    @Endpoint
    def add_key(
        self,
        name: str,
        *,
        role: str = "ask",
        collections: Sequence[str] | None = None,
        expires_at: datetime | None = None,
        limits: Mapping[str, float] | None = None,
        callback_hosts: Sequence[str] = (),
    ) -> Call[ApiKey]:
        """Make an API key: its ``secret`` is only in this response. Without ``collections`` it opens all.

        ``limits``: what it may use, such as ``{"questions_per_day": 100}``. ``callback_hosts``: inner hosts that its
        webhooks may go to, and networks.
        """
        opens = None if collections is None else list(collections)
        expires = expires_at.isoformat() if expires_at else None
        body = _given(name=name, role=role, collections=opens, expires_at=expires, limits=limits)
        body |= {"callback_hosts": list(callback_hosts)} if callback_hosts else {}
        return Call(read=value(ApiKey), method="POST", url="/api/keys", json=body)

    @Endpoint
    def limit_key(self, name: str, limits: Mapping[str, Any]) -> Call[ApiKey]:
        """Change a key's limits and ``callback_hosts``: None takes one back, and what is left out stays."""
        return Call(read=value(ApiKey), method="PATCH", url=_path("keys", name), json=dict(limits))

    @Endpoint
    def usage(self) -> Call[list[KeyUsage]]:
        """Return what each key has used today and this month (UTC), and what it may."""
        return Call(read=values(KeyUsage), url="/api/usage")

    @Endpoint
    def revoke_key(self, name: str) -> Call[None]:
        """Revoke an API key, named by its name or id."""
        return Call(read=read_nothing, method="DELETE", url=_path("keys", name))

    @Endpoint
    def stats(self) -> Call[Mapping[str, Any]]:
        """Return how much is stored and how much waits."""
        return Call(read=read_json, url="/api/stats")

    @Endpoint
    def is_ready(self) -> Call[bool]:
        """Return whether every part a question needs is there."""
        return Call(read=is_success, url="/readyz")


class SyncEndpoints(Endpoints):
    """The endpoints of a client whose methods return the value."""


class AsyncEndpoints(Endpoints):
    """The endpoints of a client whose methods are awaited."""


def _id(response: httpx2.Response) -> str:
    return str(read_json(response)["id"])


def question_path(question_id: str, part: str = "") -> str:
    """Return the path of a question's record, or of a part of it such as ``/trace``."""
    return _path("questions", question_id, part)


def _path(kind: str, named: str, part: str = "") -> str:
    return f"/api/{kind}/{quote(named, safe='')}{part}"


def _change(what: str, dry_run: bool, filters: QuestionFilters) -> Call[BulkChange]:
    body = {"dry_run": dry_run, **_json(filters)}
    return Call(read=value(BulkChange), method="POST", url=f"/api/questions/{what}", json=body, timeout=60.0)


def _listed(filters: QuestionFilters) -> dict[str, str | list[str]]:
    """Return the filters as a query has them."""
    plain = {name: str(each).lower() if isinstance(each, bool) else each for name, each in _json(filters).items()}
    return {name: each if isinstance(each, list) else str(each) for name, each in plain.items()}


def _query(**given: str) -> dict[str, str]:
    return {name: each for name, each in given.items() if each}


def _given(**given: Any) -> dict[str, Any]:
    return {name: each for name, each in given.items() if each is not None}


def _json(options: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: list(each) if isinstance(each, Sequence) and not isinstance(each, str) else each
        for name, each in options.items()
    }
