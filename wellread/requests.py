"""The request of each call to the API, as a value; nothing is sent here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypedDict
from urllib.parse import quote, urlsplit

from domain.site import PageKind
from wellread.errors import ApiUnreachable

DEFAULT_URL = "http://127.0.0.1:8484"
#: learning reads all feedback and fits everything anew
LEARNING_S = 600.0
#: a file may be large, and a network slow
UPLOAD_S = 600.0


class PageFilters(TypedDict, total=False):
    """Which pages are listed."""

    site: str  # below this URL
    source: int  # of this source
    since: str  # whose text is not older, ISO 8601
    kind: PageKind  # web or file
    not_read: bool  # what answers cannot be drawn from, with the reason
    stale: bool  # those that the last look did not read
    after: str  # behind this address: the next part
    limit: int  # 1 to 1,000


@dataclass(frozen=True, kw_only=True)
class Call:
    """One request."""

    method: str = "GET"
    path: str
    query: Mapping[str, str] | None = None
    body: Mapping[str, Any] | None = None
    files: Mapping[str, tuple[str | None, bytes]] | None = None
    content: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float = 15.0


def chat(question: str, wait_s: float, options: Mapping[str, Any]) -> Call:
    """Ask and wait."""
    body = {"question": question, "wait": wait_s, **_json(options)}
    return Call(method="POST", path="/api/chat", body=body, timeout_s=wait_s + 15.0)


def submit(question: str, idempotency_key: str, terms: Mapping[str, Any]) -> Call:
    """Ask without waiting."""
    headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
    return Call(method="POST", path="/api/questions", body={"question": question, **_json(terms)}, headers=headers)


def of_question(question_id: str, part: str = "", *, method: str = "GET") -> Call:
    """Get the record of a question, or a part of it such as ``/trace``."""
    return Call(method=method, path=f"/api/questions/{quote(question_id, safe='')}{part}")


def list_threads(words: str, limit: int, before: datetime | None) -> Call:
    """List threads."""
    query = {"q": words, "limit": str(limit)}
    return Call(path="/api/threads", query=query | ({"before": before.isoformat()} if before else {}))


def of_thread(thread_id: str, method: str = "GET", **others: Any) -> Call:
    """Get a thread, rename or delete it."""
    return Call(method=method, path=f"/api/threads/{quote(thread_id, safe='')}", **others)


def search(query: str, filters: Mapping[str, Any]) -> Call:
    """Search for passages."""
    return Call(method="POST", path="/api/search", body={"query": query, **_json(filters)}, timeout_s=30.0)


def export(question_id: str, form: str) -> Call:
    """Get a question's answer as a document."""
    return replace(of_question(question_id, "/export"), query={"format": form})


def export_thread(thread_id: str, form: str) -> Call:
    """Get a thread as one document."""
    thread = of_thread(thread_id, query={"format": form}, timeout_s=UPLOAD_S)
    return replace(thread, path=f"{thread.path}/export")


def watch(question_id: str, callback_url: str) -> Call:
    """Have a question asked again when its evidence changes."""
    body = {"callback_url": callback_url} if callback_url else {}
    return replace(of_question(question_id, "/watch", method="POST"), body=body)


def feedback(question_id: str, verdict: str, comment: str, revision: int | None) -> Call:
    """Say whether an answer is right."""
    body = _given(verdict=verdict, comment=comment, revision=revision)
    return replace(of_question(question_id, "/feedback", method="POST"), body=body)


def add_source(url: str, own: bool, settings: Mapping[str, Any]) -> Call:
    """Add a site to the sources."""
    return Call(method="POST", path="/api/sources", body=_given(url=url, own=own, **_json(settings)))


def change_source(source_id: int, changes: Mapping[str, Any]) -> Call:
    """Change a source's settings; those not among the changes stay."""
    return Call(method="PATCH", path=f"/api/sources/{source_id}", body=_json(changes))


def remove_source(source_id: int, pages: bool) -> Call:
    """Remove a source, with its pages or without."""
    query = {"pages": "true"} if pages else None
    return Call(method="DELETE", path=f"/api/sources/{source_id}", query=query, timeout_s=600.0)


def read_site(url: str, max_pages: int | None, max_depth: int | None) -> Call:
    """Have a whole site read."""
    return Call(method="POST", path="/api/site-reads", body=_given(url=url, max_pages=max_pages, max_depth=max_depth))


def of_site_read(site_read_id: int, action: str = "") -> Call:
    """Get a site read, or pause, resume or cancel it."""
    path = f"/api/site-reads/{site_read_id}"
    return Call(method="POST", path=f"{path}/{action}") if action else Call(path=path)


def page(page_id: int, question_id: str) -> Call:
    """Get a stored page."""
    return Call(path=f"/api/pages/{page_id}", query=_query(question_id=question_id))


def page_at(url: str, question_id: str, version: int | None) -> Call:
    """Get the stored page with this URL."""
    query = _query(question_id=question_id, version=str(version) if version else "")
    return Call(path="/api/pages", query={"url": url, **query})


def list_pages(filters: Mapping[str, Any]) -> Call:
    """List the stored pages."""
    query = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in filters.items()}
    return Call(path="/api/pages", query=query, timeout_s=60.0)


def page_versions(page_id: int, question_id: str) -> Call:
    """List the texts of a page that are kept."""
    return Call(path=f"/api/pages/{page_id}/versions", query=_query(question_id=question_id))


def add_file(name: str, content: bytes) -> Call:
    """Have a file read."""
    form = {"file": (name.rpartition("/")[2], content), "name": (None, name.encode())}
    return Call(method="POST", path="/api/files", files=form, timeout_s=UPLOAD_S)


def list_files(folder: str, failed: bool, after: str, address: str) -> Call:
    """List files."""
    query = _query(folder=folder, failed="true" if failed else "", after=after, address=address)
    return Call(path="/api/files", query=query)


def learn() -> Call:
    """Learn from all feedback."""
    return Call(method="POST", path="/api/learned", timeout_s=LEARNING_S)


def add_collection(name: str, exclude_sites: Sequence[str]) -> Call:
    """Add a collection."""
    body = {"name": name, "exclude_sites": list(exclude_sites)}
    return Call(method="POST", path="/api/collections", body=body, timeout_s=60.0)


def delete_collection(name: str) -> Call:
    """Delete a collection."""
    return Call(method="DELETE", path=f"/api/collections/{quote(name, safe='')}", timeout_s=60.0)


def export_collection() -> Call:
    """Write a collection into a file."""
    return Call(path="/api/export", timeout_s=UPLOAD_S)


def import_collection(content: bytes, own: bool) -> Call:
    """Take a file over into a collection."""
    sent = {"content-type": "application/zip"}
    query = {"own": "true"} if own else None
    return Call(method="POST", path="/api/import", query=query, content=content, headers=sent, timeout_s=UPLOAD_S)


def add_key(name: str, role: str, collections: Sequence[str] | None, expires_at: datetime | None) -> Call:
    """Make an API key."""
    body = _given(
        name=name,
        role=role,
        collections=None if collections is None else list(collections),
        expires_at=expires_at.isoformat() if expires_at else None,
    )
    return Call(method="POST", path="/api/keys", body=body)


def revoke_key(name: str) -> Call:
    """Revoke an API key."""
    return Call(method="DELETE", path=f"/api/keys/{quote(name, safe='')}")


def check_address(url: str) -> str:
    """Return the API's address without its last slash; raises ApiUnreachable for what is none."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ApiUnreachable(f"{url!r} is not the address of an API: it looks like http://127.0.0.1:8484.")
    return url.rstrip("/")


def headers(key: str) -> dict[str, str]:
    """Return the headers of every request."""
    return {"authorization": f"Bearer {key}"} if key else {}


def resume(after: str) -> dict[str, str]:
    """Return the header that asks only for later events."""
    return {"last-event-id": after} if after else {}


def _query(**values: str) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _json(options: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
        for name, value in options.items()
    }
