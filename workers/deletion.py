"""Deletes pages, files, sources and questions with all that was derived: rows, passages, answers, traces, streams."""

import time
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

import structlog
from sqlalchemy.orm import Session

from domain import Status
from domain.file import ATTACHED, address_of, is_file_address
from domain.site import Source
from store import files, folders
from store.crawl import sources
from store.folders import UnknownFolder
from store.pages import deletion, pages, visibility
from store.questions import state, threads
from store.questions.deletion import delete_ended, delete_questions, delete_site_reads, delete_variants
from store.questions.state import UnknownQuestion
from store.sql.tables import PageRow
from workers import erasure
from workers import files as uploads
from workers.questions import submit
from workers.services import Services

#: seconds within which the passages of a deleted page are usually gone
WAIT_S = 20.0
_POLL_S = 0.2
#: questions of a thread that are deleted in one transaction
_AT_ONCE = 200
log = structlog.get_logger()
#: rows in a batch, each with what hangs on it: some 10 ms on SQLite
BATCH = 50
#: seconds in which batches are begun
RUN_S = 1.0


def delete_pages(services: Services, page_ids: Iterable[int]) -> int:
    """Delete pages, each in a transaction of its own, and have their passages removed; return how many.

    With a page go those that are gone because they moved to it.
    """
    left, deleted = deque(page_ids), 0
    while left:
        page_id = left.popleft()
        with services.database.write() as session:
            row = session.get(PageRow, page_id)
            if row is None or row.deleted_at is not None:
                continue
            if is_file_address(row.url):
                _forget_file(session, row.url)
            left.extend(deletion.moved_to(session, page_id))
            asked = deletion.delete_page(session, page_id, services.now())
        services.events.forget(asked)
        services.dispatcher.send("wellread.embed", page_id)
        deleted += 1
    return deleted


def delete_file(services: Services, file_id: int) -> int | None:
    """Delete a file with its page, if it has one; return that page's id. Raises UnknownFile."""
    address = uploads.get(services, file_id).address
    with services.database.write() as session:
        page = pages.find(session, address)
        if page is None:
            _forget_file(session, address)
    if page is None:
        erasure.ask(services, file_id)
    else:
        delete_pages(services, [page.id])
    return page.id if page else None


def delete_below(services: Services, prefix: str) -> int:
    """Delete the pages whose URL begins with the prefix; return how many."""
    with services.database.read() as session:
        found = deletion.under(session, prefix)
    return delete_pages(services, found)


def delete_pages_of(services: Services, source: Source) -> int:
    """Delete the pages at a source's own address that no other source has; return how many."""
    with services.database.read() as session:
        others = [other.own_scope for other in sources.list_all(session) if other.id != source.id]
        found = deletion.covered(session, source.own_scope, others)
    return delete_pages(services, found)


def find_folder(services: Services, name: str) -> int:
    """Return the id of a watched folder. Raises UnknownFolder."""
    with services.database.read() as session:
        for folder in folders.list_all(session):
            if folder.name == name:
                return folder.id
    raise UnknownFolder(f"No watched folder is called {name!r}: `wellread files folders` lists them.")


def delete_folder(services: Services, name: str) -> int:
    """Watch a folder no longer and delete the pages of its files; return how many. Raises UnknownFolder."""
    folder_id = find_folder(services, name)
    with services.database.write() as session:
        folders.remove(session, folder_id)
    deleted = delete_below(services, address_of(name, ""))
    erasure.ask(services, folder_id)
    return deleted


def _forget_file(session: Session, address: str) -> None:
    """Read a file no more: an upload is removed, one in a folder is left out of it."""
    if not files.leave_out(session, address):
        files.remove(session, [address])


def wait_until_gone(services: Services, page_ids: Iterable[int], wait_s: float = WAIT_S) -> bool:
    """Return whether the passages of deleted pages are gone, after at most so many seconds."""
    wanted, deadline = list(page_ids), time.monotonic() + wait_s
    while True:
        with services.database.read() as session:
            left = deletion.with_passages(session, wanted)
        if not left or time.monotonic() > deadline:
            return not left
        time.sleep(_POLL_S)


def wait_until_erased(services: Services, wait_s: float = WAIT_S) -> bool:
    """Return whether what was deleted is erased from the disk, after at most so many seconds."""
    deadline = time.monotonic() + wait_s
    while is_left := erasure.is_due(services):
        if time.monotonic() > deadline:
            break
        time.sleep(_POLL_S)
    return not is_left


def delete_question(services: Services, question_id: str) -> None:
    """Stop a question if it is open, and delete it with its trace and stream; raises UnknownQuestion."""
    with services.database.read() as session:
        question = state.find(session, question_id)
    _delete(services, [(question_id, question.status)])


def delete_thread(services: Services, thread_id: str) -> None:
    """Delete a thread with all its questions, some at a time; raises UnknownThread."""
    with services.database.read() as session:
        threads.find(session, thread_id)
    while True:
        with services.database.read() as session:
            some = threads.some_questions(session, thread_id, _AT_ONCE)
        if not some:
            return
        _delete(services, some)


def _delete(services: Services, asked: Sequence[tuple[str, Status]]) -> None:
    for question_id, status in asked:
        if not status.is_final:
            with suppress(UnknownQuestion):  # it was just deleted
                submit.cancel(services, question_id)
    deleted = [question_id for question_id, _ in asked]
    services.events.forget_deleted(deleted)  # first: where Redis is away nothing is deleted
    with services.database.write() as session:
        delete_questions(session, deleted)
    _delete_attached(services)
    erasure.ask(services, deleted[0])


def _delete_attached(services: Services) -> None:
    """Delete the documents that came with questions of which none is left."""
    with services.database.read() as session:
        left = visibility.unread(session, address_of(ATTACHED, ""))
    delete_pages(services, left)


def expire(services: Services) -> int:
    """Delete what was asked longer ago than it is kept (``WELLREAD_KEEP_DAYS``); return how many rows went.

    Each batch is a transaction of its own, and after it this waits as long as it took: others write in between. A run
    ends after a second; the next one goes on.
    """
    if not services.settings.keep_days:
        return 0
    before = services.now() - timedelta(days=services.settings.keep_days)
    ends_at, deleted = time.monotonic() + RUN_S, 0
    for delete in (_questions, _site_reads, _variants):
        while time.monotonic() < ends_at:
            began = time.monotonic()
            done = delete(services, before)
            deleted += done
            if done < BATCH:
                break
            time.sleep(time.monotonic() - began)
    if deleted:
        _delete_attached(services)
        log.info("expired", rows=deleted, before=before.isoformat())
    return deleted


def _questions(services: Services, before: datetime) -> int:
    with services.database.write() as session:
        ids = delete_ended(session, before, BATCH)
    services.events.forget(ids)
    return len(ids)


def _site_reads(services: Services, before: datetime) -> int:
    with services.database.write() as session:
        return delete_site_reads(session, before, BATCH)


def _variants(services: Services, before: datetime) -> int:
    with services.database.write() as session:
        return delete_variants(session, before, BATCH)
