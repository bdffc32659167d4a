"""Compares what SQL says is indexed with the passages that are there: a lost knowledge base is never made anew."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from domain.errors import WellreadError
from store.pages import index_queue
from store.passages.connect import is_there
from store.passages.errors import PassagesError, PassagesLost, explained

if TYPE_CHECKING:
    from workers.services import Services
    from workers.settings import Settings


def has_indexed_pages(services: Services) -> bool:
    """Return whether SQL names a page whose passages are in the knowledge base."""
    with services.database.read() as session:
        return session.scalar(index_queue.indexed().limit(1)) is not None


def check(main: Services) -> None:
    """Raise PassagesLost where pages were indexed and their passages are missing; or PassagesError."""
    from workers.services.collections import every

    for services in every(main):
        with explained(services.passages_uri, "look for"):
            is_kept = is_there(services.passages_uri)
        if not is_kept and has_indexed_pages(services):
            raise PassagesLost(services.passages_uri)


def check_once(settings: Settings) -> None:
    """Check as `check` does in a process that may fork afterwards.

    An object store is looked at by another process, since LanceDB must be opened for that.
    """
    if "://" not in settings.passages:
        _check_here(settings)
        return
    looked = subprocess.run((sys.executable, "-P", "-m", __name__), capture_output=True, text=True, check=False)  # noqa: S603
    if looked.returncode:
        raise PassagesError(looked.stderr.strip().rpartition("\n")[2])


def _check_here(settings: Settings) -> None:
    from workers.services import Services

    main = Services(settings)
    try:
        check(main)
    finally:
        main.close()


def without_passages(services: Services) -> tuple[int, int]:
    """Return how many indexed pages have no passages, and how many are indexed; raises PassagesError.

    Only the texts of pages without passages are read. Pages that are deleted meanwhile are not counted.
    """
    with services.database.read() as session:
        indexed = set(session.scalars(index_queue.indexed_of_any_length()))
    found = indexed - services.passages.page_ids()
    with services.database.read() as session:
        missing = index_queue.count_indexed(session, found)
    return missing, len(indexed) - len(found) + missing


def _main() -> None:
    from workers.settings import load

    try:
        _check_here(load())
    except WellreadError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    _main()
