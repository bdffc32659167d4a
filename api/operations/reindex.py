"""Rebuilds the knowledge base from the texts in SQL, after a change of embedder or damage."""

import fcntl
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

import redis
from sqlalchemy import ColumnElement, func, select, update

from crawler.extract.chunk import passages_of
from domain import Page, Passage
from domain.flow import WRITER
from store import graph
from store.pages import pages
from store.passages import writer as passages_writer
from store.questions import answers
from store.sql import leases
from store.sql.database import check_schema
from store.sql.tables import IndexState, PageRow
from workers.indexing import BATCH_PAGES, names_of
from workers.processes.heartbeat import living_workers
from workers.processes.stack import AlreadyRunning, running
from workers.services import Services

#: called with the pages done and the pages in all
Progress = Callable[[int, int], None]
#: by the page's id, the version of its text that was written
WrittenTexts = dict[int, tuple[int, bool]]

_INDEXED = {"state": IndexState.INDEXED, "attempts": 0, "error": None, **leases.RELEASED}


def reindex(services: Services, progress: Progress) -> int:
    """Embed every stored page again, replace the old table with the result, and return its number of passages.

    Readers see the old table until the new one is complete. A run that was stopped continues where it ended.
    Raises AlreadyRunning, or the store's errors.
    """
    check_schema(services.database)
    written: WrittenTexts = {}
    with _lock_data_folder(services):
        batches = _batches(services, written, progress)
        count = passages_writer.reindex(services.passages_uri, batches, services.embedder)
        _finish_waiting_pages(services, written)
    return count


def _batches(
    services: Services, written: WrittenTexts, progress: Progress
) -> Iterator[Mapping[int, Sequence[Passage]]]:
    """Yield the passages of all pages that are not gone, in batches by id; note in ``written`` what was written."""
    present, done = PageRow.gone_at.is_(None), 0
    with services.database.read() as session:
        total = session.scalar(select(func.count()).select_from(PageRow).where(present)) or 0
    progress(0, total)
    for found in _pages(services, present):
        yield {page.id: passages_of(page) for page in found}
        written.update((page.id, text) for page in found if (text := _text_of(page)))
        done += len(found)
        progress(done, max(done, total))  # a crawl may go on and add pages


def _pages(services: Services, wanted: ColumnElement[bool]) -> Iterator[list[Page]]:
    last = 0
    while True:
        query = select(PageRow).where(wanted, PageRow.id > last).order_by(PageRow.id).limit(BATCH_PAGES)
        with services.database.read() as session:
            found = [pages.to_page(row) for row in session.scalars(query)]
        if not found:
            return
        yield found
        last = found[-1].id


def _finish_waiting_pages(services: Services, written: WrittenTexts) -> None:
    """Mark the pages that waited to be embedded as indexed, as the worker would.

    Pages that were saved again or vanished since they were written keep waiting: the knowledge base has their old text.
    """
    for found in _pages(services, PageRow.state != IndexState.INDEXED):
        names, now = names_of(services, found, {page.id: passages_of(page) for page in found}), services.now()
        with services.database.write() as session:
            rows = session.scalars(select(PageRow).where(PageRow.id.in_(names)).with_for_update()).all()
            unchanged = [row.id for row in rows if written.get(row.id) == _text_of(pages.to_page(row))]
            held = update(PageRow).where(PageRow.id.in_(unchanged))
            session.execute(held.values(indexed_at=now, **_INDEXED))
            answers.mark_stale(session, unchanged, now)
            graph.replace(session, {page_id: names[page_id] for page_id in unchanged})


def _text_of(page: Page) -> tuple[int, bool] | None:
    """Return the version of the page's text to index: its number, and whether it duplicates another page's."""
    return None if page.is_gone else (page.generation, page.is_duplicate)


@contextmanager
def _lock_data_folder(services: Services) -> Iterator[None]:
    """Keep a stack from starting on this data folder while the block runs; raises AlreadyRunning."""
    settings = services.settings
    settings.run_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (settings.run_dir / "up.lock").open("ab+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            address = running(settings)
            where = f" (process {address.pid})" if address else ""
            raise AlreadyRunning(
                f"Wellread runs on {settings.data_dir}{where} and may write: stop it, then run `wellread reindex`."
            ) from error
        writers = 0
        if settings.redis_url:  # with the embedded one none runs while its lock is free
            with suppress(redis.RedisError):
                writers = living_workers(services)[WRITER.name]
        if writers:
            raise AlreadyRunning(
                f"{writers} worker(s) of the queue `{WRITER.name}` are at work: stop them, then run `wellread reindex`."
            )
        yield
