"""Deletes pages, files, sources and questions with all that was derived: rows, passages, answers, traces, streams.

The files of SQLite, LanceDB and Valkey hold the words of what was deleted for a while. A deletion asks for its erasure,
and the worker that alone writes the knowledge base does it: once for all that was deleted until then, in a tenth of its
time at most. What is lost on the way is done by the next ``wellread.compact``.
"""

import time
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Final

import structlog
from redis import RedisError
from sqlalchemy.orm import Session

from domain import Status
from domain.file import ATTACHED, address_of, is_file_address
from domain.site import Source
from store import files, folders
from store.crawl import sources
from store.folders import UnknownFolder
from store.pages import deletion, pages, visibility
from store.questions import deletion as stored
from store.questions import state, threads, webhooks
from store.questions.state import UnknownQuestion
from store.sql import database as sql
from store.sql.tables import PageRow, QuestionRow
from workers import monitoring
from workers.processes.supervise import wait_until
from workers.questions import submit
from workers.services import Services

#: seconds within which the passages of a deleted page are usually gone
WAIT_S = 20.0
_POLL_S = 0.2
#: questions of a thread that are deleted in one transaction
_AT_ONCE = 200
#: rows in a batch, each with what hangs on it: some 10 ms on SQLite
BATCH = 50
#: seconds in which batches are begun
RUN_S = 1.0
#: seconds from a deletion to its erasure: what is deleted meanwhile is erased with it
AFTER_S: Final = 0.5
#: seconds until it is tried again where someone was in the way
AGAIN_S: Final = 5.0
#: of the time that erasing took, until it may be done again
_REST: Final = 9.0
#: how long a delivery that is no question's is kept in the log
_DELIVERIES_KEPT: Final = timedelta(days=14)
log = structlog.get_logger()


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
    address = services.read(files.find, file_id).address
    with services.database.write() as session:
        page = pages.find(session, address)
        if page is None:
            _forget_file(session, address)
    if page is None:
        ask_erasure(services, file_id)
    else:
        delete_pages(services, [page.id])
    return page.id if page else None


def delete_pages_of(services: Services, source: Source) -> int:
    """Delete the pages at a source's own address that no other source has; return how many."""
    with services.database.read() as session:
        others = [other.own_scope for other in sources.list_all(session) if other.id != source.id]
        found = deletion.covered(session, source.own_scope, others)
    return delete_pages(services, found)


def find_folder(services: Services, name: str) -> int:
    """Return the id of a watched folder. Raises UnknownFolder."""
    for folder in services.read(folders.list_all):
        if folder.name == name:
            return folder.id
    raise UnknownFolder(f"No watched folder is called {name!r}: `wellread files folders` lists them.")


def delete_folder(services: Services, name: str) -> int:
    """Watch a folder no longer and delete the pages of its files; return how many. Raises UnknownFolder."""
    folder_id = find_folder(services, name)
    services.write(folders.remove, folder_id)
    deleted = delete_pages(services, services.read(deletion.under, address_of(name, "")))
    ask_erasure(services, folder_id)
    return deleted


def _forget_file(session: Session, address: str) -> None:
    """Read a file no more: an upload is removed, one in a folder is left out of it."""
    if not files.leave_out(session, address):
        files.remove(session, [address])


def wait_until_gone(services: Services, page_ids: Sequence[int]) -> bool:
    """Return whether the passages of deleted pages are gone, after at most so many seconds."""
    return wait_until(lambda: not services.read(deletion.with_passages, page_ids), within_s=WAIT_S, every_s=_POLL_S)


def wait_until_erased(services: Services) -> bool:
    """Return whether what was deleted is erased from the disk, after at most so many seconds."""
    return wait_until(lambda: not is_due(services), within_s=WAIT_S, every_s=_POLL_S)


def delete_question(services: Services, question_id: str) -> None:
    """Stop a question if it is open, and delete it with its trace and stream; raises UnknownQuestion."""
    question = services.read(state.find, question_id)
    _delete(services, [(question_id, question.status)])


def delete_questions(services: Services, question_ids: Sequence[str]) -> None:
    """Do the same to several, those of them that are there."""
    with services.database.read() as session:
        found = [(row.id, Status(row.status)) for each in question_ids if (row := session.get(QuestionRow, each))]
    if found:
        _delete(services, found)


def delete_thread(services: Services, thread_id: str) -> None:
    """Delete a thread with all its questions, some at a time; raises UnknownThread."""
    services.read(threads.find, thread_id)
    while True:
        some = services.read(threads.some_questions, thread_id, _AT_ONCE)
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
    services.write(stored.delete_questions, deleted)
    _delete_attached(services)
    ask_erasure(services, deleted[0])


def _delete_attached(services: Services) -> None:
    """Delete the documents that came with questions of which none is left."""
    left = services.read(visibility.unread, address_of(ATTACHED, ""))
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

    def questions() -> int:
        ids = services.write(stored.delete_ended, before, BATCH)
        services.events.forget(ids)
        return len(ids)

    def deliveries() -> int:
        return len(services.write(webhooks.delete_ended, services.now() - _DELIVERIES_KEPT, BATCH))

    site_reads, variants = (
        partial(services.write, of, before, BATCH) for of in (stored.delete_site_reads, stored.delete_variants)
    )
    for delete in (questions, site_reads, variants, deliveries):
        while time.monotonic() < ends_at:
            began = time.monotonic()
            done = delete()
            deleted += done
            if done < BATCH:
                break
            time.sleep(time.monotonic() - began)
    if deleted:
        _delete_attached(services)
        log.info("expired", rows=deleted, before=before.isoformat())
    return deleted


def ask_erasure(services: Services, deleted: str | int) -> None:
    """Have erased what was deleted just now, ``deleted`` among it."""
    try:
        if services.erasures.want():
            services.dispatcher.send("wellread.erase", deleted, in_s=AFTER_S + services.erasures.rests_s())
    except RedisError as error:
        log.warning("erasure_not_asked_for", error=str(error))


def is_due(services: Services) -> bool:
    """Return whether something was deleted that may still be on the disk."""
    return services.read(deletion.is_any_left) or bool(services.erasures.wanted())


def erase(services: Services, deleted: str | int = "") -> bool:
    """Erase what was deleted, if anything was; return whether all of it is."""
    erasures = services.erasures
    pages = services.read(deletion.without_passages)
    token = erasures.wanted()
    if not token and not pages:
        monitoring.report_not_due()
        return True
    began = time.monotonic()
    if pages:
        services.passages_writer.erase_deleted()
        services.write(deletion.purge, pages)
    erased = sql.erase_deleted(services.database)
    if not services.settings.redis_url:  # a Redis of the operator's own keeps its files as he set it up
        erased &= erasures.rewrite_log()
    took = time.monotonic() - began
    erasures.rest(_REST * took)
    log.info("erased", pages=len(pages), seconds=round(took, 2), whole=erased)
    if not erased or not erasures.done(token):
        services.dispatcher.send("wellread.erase", deleted, in_s=max(AGAIN_S, _REST * took))
        return False
    return True
