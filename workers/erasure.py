"""Erases from the disk what was deleted: the files of SQLite, LanceDB and Valkey hold its words for a while.

A deletion asks for it, and the worker that alone writes the knowledge base does it: once for all that was deleted
until then, in a tenth of its time at most. What is lost on the way is done by the next ``wellread.compact``.
"""

import time
from typing import Final

import structlog
from redis import RedisError

from store.pages import deletion
from store.sql import database as sql
from workers.monitoring import outcomes
from workers.services import Services

log = structlog.get_logger()

#: seconds from a deletion to its erasure: what is deleted meanwhile is erased with it
AFTER_S: Final = 0.5
#: seconds until it is tried again where someone was in the way
AGAIN_S: Final = 5.0
#: of the time that erasing took, until it may be done again
_REST: Final = 9.0


def ask(services: Services, deleted: str | int) -> None:
    """Have erased what was deleted just now, ``deleted`` among it."""
    try:
        if services.erasures.want():
            services.dispatcher.send("wellread.erase", deleted, in_s=AFTER_S + services.erasures.rests_s())
    except RedisError as error:
        log.warning("erasure_not_asked_for", error=str(error))


def is_due(services: Services) -> bool:
    """Return whether something was deleted that may still be on the disk."""
    with services.database.read() as session:
        return deletion.is_any_left(session) or bool(services.erasures.wanted())


def erase(services: Services, deleted: str | int = "") -> bool:
    """Erase what was deleted, if anything was; return whether all of it is."""
    erasures = services.erasures
    with services.database.read() as session:
        pages = deletion.without_passages(session)
    token = erasures.wanted()
    if not token and not pages:
        outcomes.tell(outcomes.NOT_DUE)
        return True
    began = time.monotonic()
    if pages:
        services.passages_writer.erase_deleted()
        with services.database.write() as session:
            deletion.purge(session, pages)
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
