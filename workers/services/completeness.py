"""Compares what SQL says is indexed with the passages that are there: a lost knowledge base is never made anew.

A worker that has LanceDB open anyway counts the pages without passages, as in an older or partly lost table; the
figures are kept in Redis for those that have not, as the API.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import redis
import structlog

from domain.errors import WellreadError
from store.pages import index_queue
from store.passages.errors import PassagesError, PassagesLost, explained
from workers.services.collections import every

if TYPE_CHECKING:
    from workers.services import Services
    from workers.settings import Settings

log = structlog.get_logger()

#: what builds the passages again
FIX = "Stop Wellread and run `wellread reindex`: it builds them again from the database."
#: three times as long as a look is due
KEEP_S = 900
_KEY = "wellread:completeness"


def has_indexed_pages(services: "Services") -> bool:
    """Return whether SQL names a page whose passages are in the knowledge base."""
    return services.read(lambda session: session.scalar(index_queue.indexed().limit(1))) is not None


def check(main: "Services") -> None:
    """Raise PassagesLost where pages were indexed and their passages are missing; or PassagesError."""
    from store.passages.connect import is_there

    for services in every(main):
        with explained(services.passages_uri, "look for"):
            is_kept = is_there(services.passages_uri)
        if not is_kept and has_indexed_pages(services):
            raise PassagesLost(services.passages_uri)


def check_once(settings: "Settings") -> None:
    """Check as `check` does in a process that may fork afterwards.

    An object store is looked at by another process, since LanceDB must be opened for that.
    """
    if "://" not in settings.passages:
        _check_here(settings)
        return
    looked = subprocess.run((sys.executable, "-P", "-m", __name__), capture_output=True, text=True, check=False)  # noqa: S603
    if looked.returncode:
        raise PassagesError(looked.stderr.strip().rpartition("\n")[2])


def _check_here(settings: "Settings") -> None:
    from workers.services import Services

    with closing(Services(settings)) as main:
        check(main)


@dataclass(frozen=True, kw_only=True)
class Looked:
    """What one look at a collection's passages found."""

    uri: str
    missing: int  #: pages that have no passages
    indexed: int
    error: str = ""  #: why it is not known; "": it is

    @property
    def detail(self) -> str:
        """Say what is missing; "": nothing."""
        if self.error or not self.missing:
            return self.error
        return f"{self.missing:,} of {self.indexed:,} pages have no passages in {self.uri}"

    @property
    def fix(self) -> str:
        """Say what to do; "": nothing, or the error says it."""
        return FIX if self.missing else ""


def look_and_warn(main: "Services") -> None:
    """Look, and log a warning for each collection that lacks passages."""
    try:
        found = look(main)
    except WellreadError as error:  # the worker's steps meet it again, and say so
        log.warning("passages_not_counted", error=str(error))
        return
    for each in found:
        if each.detail:
            log.warning("passages_missing", detail=each.detail, what_to_do=each.fix)


def look(main: "Services") -> list[Looked]:
    """Look at each collection that has indexed pages, and keep what was found; raises DatabaseError."""
    found = [each for services in every(main) if (each := look_at(services)).indexed or each.error]
    try:
        main.redis.set(_KEY, json.dumps([asdict(each) for each in found]), ex=KEEP_S)
    except redis.RedisError as error:
        log.debug("completeness_not_kept", error=str(error))
    return found


def look_at(services: "Services") -> Looked:
    """Look at one collection.

    Only the texts of pages without passages are read. Pages that are deleted meanwhile are not counted.
    """
    uri = services.passages_uri
    try:
        indexed = set(services.read(lambda session: session.scalars(index_queue.indexed_of_any_length()).all()))
        found = indexed - services.passages.page_ids()
        missing = services.read(index_queue.count_indexed, found)
    except WellreadError as error:  # what cannot be read is to be said too
        return Looked(uri=uri, missing=0, indexed=0, error=str(error))
    return Looked(uri=uri, missing=missing, indexed=len(indexed) - len(found) + missing)


def last_look(main: "Services") -> list[Looked]:
    """Return what was found last; nothing while no worker has looked lately. Raises redis.RedisError."""
    kept = main.redis.get(_KEY)
    return [Looked(**each) for each in json.loads(kept)] if isinstance(kept, str | bytes) else []


def is_all_lost(found: Sequence[Looked]) -> bool:
    """Return whether no indexed page has passages."""
    return 0 < sum(each.indexed for each in found) == sum(each.missing for each in found)


if __name__ == "__main__":
    from workers.settings import load

    try:
        _check_here(load())
    except WellreadError as error:
        sys.exit(str(error))
