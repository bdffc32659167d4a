"""Takes the documents that programs push, each under the program's own id; reads them as pages and files are read.

A page of the web and a document never take each other's URL: a crawl that comes to a document leaves it as it is.
"""

import hashlib
import json
import time
from dataclasses import asdict, replace
from threading import BoundedSemaphore
from typing import Final

from sqlalchemy.exc import IntegrityError

from crawler import urls
from crawler.extract.bounded_process import TooMuchWork
from crawler.extract.document import EXTRACTION, NothingToRead, extract
from crawler.extract.files.file_text import read_file
from crawler.urls import BadUrl
from domain import PageText
from domain.curated import CURATED
from domain.document import BadDocumentId, DocumentChange, Pushed, PushedDocument, check_id, own_address
from domain.errors import WellreadError
from store import documents
from store.documents import NewDocument
from store.sql.database import DatabaseError
from store.sql.tables import DocumentRow
from text.invisible import strip_invisible
from workers import deletion, files
from workers.admission import admitted
from workers.services import Services

_TYPES: Final = {"text": "text/plain", "markdown": "text/markdown", "html": "text/html"}
#: seconds in which documents are deleted by filters; the rest is left to the next call
RUN_S: Final = 20.0
#: documents that a process reads at a time, which keeps a processor busy, and those that wait in threads of the API
AT_ONCE, MOST_WAITING = 2, 10
READING, ADMITTED = BoundedSemaphore(AT_ONCE), BoundedSemaphore(AT_ONCE + MOST_WAITING)


class DocumentRefused(WellreadError):
    """A document cannot be read, or says of itself what cannot be; the message says why."""


class NoFilter(WellreadError):
    """The filters mean every document: name at least one condition."""


def put(services: Services, document_id: str, pushed: Pushed) -> tuple[PushedDocument, bool]:
    """Save a document, or what it is now, and have it indexed; return it, and whether anything changed.

    Raises BadDocumentId, DocumentRefused, FileRefused, AddressTaken or Busy.
    """
    check_id(document_id)
    if document_id.startswith(CURATED) and not pushed.place:
        raise BadDocumentId(f"{CURATED} begins the ids of curated answers: use PUT /api/curated, or another id.")
    url = _url(pushed.url) or own_address(document_id)
    about = {**asdict(pushed), "content": hashlib.blake2b(pushed.content).hexdigest(), "read": EXTRACTION}
    pushed_hash = hashlib.blake2b(json.dumps(about, sort_keys=True, default=str).encode(), digest_size=16).hexdigest()
    if services.write(documents.confirm, document_id, pushed_hash, services.now()):
        return services.read(documents.find, document_id), False
    services.read(documents.check_address, url, document_id)  # before it is read, which takes longer
    with admitted(ADMITTED, f"{MOST_WAITING} documents wait to be read."), READING:
        page = _read(services, document_id, url, pushed)
    new = NewDocument(
        id=document_id, url=url, host=urls.origin(url), page=page, pushed_hash=pushed_hash, metadata=pushed.metadata
    )
    page_id, is_changed = _save(services, new)
    if is_changed:
        services.dispatcher.send("wellread.embed", page_id)
    return services.read(documents.find, document_id), is_changed


def _save(services: Services, new: NewDocument) -> tuple[int, bool]:
    try:
        return services.write(documents.save, new, services.now())
    except DatabaseError as error:  # a crawl, or another document, took the URL in the same moment
        if not isinstance(error.__cause__, IntegrityError):
            raise
        return services.write(documents.save, new, services.now())


def _url(given: str) -> str:
    if not given:
        return ""
    try:
        return urls.canonical(given)
    except BadUrl as error:
        raise DocumentRefused(f"The URL cannot be used: {error}.") from error


def _read(services: Services, document_id: str, url: str, pushed: Pushed) -> PageText:
    settings = services.settings
    if len(pushed.content) > (most := settings.file_max_bytes):
        raise DocumentRefused(f"It has {len(pushed.content):,} bytes: WELLREAD_FILE_MAX_BYTES allows {most:,}.")
    try:
        if pushed.form == "file":
            files.check_file(services, pushed.name, pushed.content)
            page = read_file(pushed.content, address=own_address(pushed.name), bounds=files.bounds(settings))
            title = page.title
        else:
            kind, most = f"{_TYPES[pushed.form]}; charset=utf-8", settings.file_max_characters
            page = extract(pushed.content, url=url, content_type=kind, max_chars=most)
            title = document_id if page.title == url else page.title
    except (NothingToRead, TooMuchWork) as error:
        raise DocumentRefused(str(error).replace(url, "The document")) from error
    return replace(
        page,
        title=strip_invisible(pushed.title).strip() or title,
        lang=pushed.lang or page.lang,
        published=pushed.published or page.published,
        modified=pushed.modified or page.modified,
        places=((0, pushed.place),) if pushed.place else page.places,
        canonical_url="",
        links=(),
        is_hub=False,
        until=None,
    )


def delete(services: Services, document_id: str) -> int:
    """Delete a document with all that was derived from it; return its page's id. Raises UnknownDocument."""
    page_id = services.read(documents.find, document_id).page_id
    deletion.delete_pages(services, [page_id])
    return page_id


def delete_all(services: Services, filters: list[str], *, dry_run: bool) -> DocumentChange:
    """Delete the documents that fit all filters, until all or the time is up. Raises NoFilter or UnknownField.

    Operators' answers stay: without the metadata of documents, each would fit every `!=`.
    """
    if not filters:
        raise NoFilter("No filter is named: this would delete every document.")
    with services.database.read() as session:
        meant = documents.meant(session, filters) & ~DocumentRow.id.startswith(CURATED)
        found = documents.page_ids(session, meant)
    done, ends_at = 0, time.monotonic() + RUN_S
    while not dry_run and done < len(found) and time.monotonic() < ends_at:
        deletion.delete_pages(services, found[done : done + 20])
        done += len(found[done : done + 20])
    return DocumentChange(done=done, left=len(found) - done)
