"""Builds the knowledge base again from the texts in SQL: after a change of embedder, or damage."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import redis
from sqlalchemy import select, update

from store import leases, pages, passages_reindex
from store.database import check_schema
from store.errors import WellreadError
from store.tables import PageRow
from store.types import Passage
from workers.embedding import BATCH_PAGES, passages_of
from workers.health import living_workers
from workers.stack import running

if TYPE_CHECKING:
    from workers.services import Services

#: told how many pages are done, of how many
Progress = Callable[[int, int], None]


class StillRunning(WellreadError):
    """Something may write to the knowledge base while it would be built again."""


def reindex(services: Services, progress: Progress) -> int:
    """Embed every stored page anew and put the result in the old table's place; returns how many passages it holds.

    Readers see the old table until the new one is complete. A run that is stopped is taken up where it was.
    Raises StillRunning, or the store's errors.
    """
    check_schema(services.database)
    with _alone(services):
        held = passages_reindex.reindex(services.settings.passages, _batches(services, progress), services.embedder)
        with services.database.write() as session:
            session.execute(update(PageRow).values(state="INDEXED", attempts=0, error=None, **leases.RELEASED))
    return held


def _batches(services: Services, progress: Progress) -> Iterator[Mapping[int, Sequence[Passage]]]:
    """All pages that are not gone, in order of their ids, some at a time."""
    here = PageRow.gone_at.is_(None)
    done = last = 0
    with services.database.read() as session:
        total = pages.count(session)
    progress(0, total)
    while True:
        query = select(PageRow).where(here, PageRow.id > last).order_by(PageRow.id).limit(BATCH_PAGES)
        with services.database.read() as session:
            found = [pages.to_page(row) for row in session.scalars(query)]
        if not found:
            return
        yield {page.id: passages_of(page) for page in found}
        done, last = done + len(found), found[-1].id
        progress(done, total)


@contextmanager
def _alone(services: Services) -> Iterator[None]:
    """Keep a stack from starting on this data folder for as long as the block runs; raises StillRunning."""
    settings = services.settings
    settings.run_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (settings.run_dir / "up.lock").open("ab+") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            address = running(settings)
            where = f" (process {address.pid})" if address else ""
            raise StillRunning(
                f"Wellread runs on {settings.data_dir}{where} and may write: stop it, then run `wellread reindex`."
            ) from error
        if writers := _writers(services):
            raise StillRunning(
                f"{writers} worker(s) of the queue `embed` are at work: stop them, then run `wellread reindex`."
            )
        yield


def _writers(services: Services) -> int:
    """The writers of a stack in parts; the embedded Redis is away, and they with it, when its lock is free."""
    if not services.settings.redis_url:
        return 0
    try:
        return living_workers(services)["embed"]
    except redis.RedisError:
        return 0
