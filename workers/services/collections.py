"""Opens collections: each has services of its own, on a database and a passages table that no other one opens.

So no query has to name its collection, and none can forget to. What the process shares holds nothing of a question or
a page: models, clients of the web, Redis.
"""

import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from operator import attrgetter
from typing import TYPE_CHECKING

import structlog

from domain.access import Collection
from store import collections
from store.sql import database as sql
from store.sql.database import Database, DatabaseError
from workers.services import Services
from workers.services.web import cached

if TYPE_CHECKING:
    from workers.services.dispatch import Dispatcher
    from workers.settings import Settings

log = structlog.get_logger()

#: the services that all collections share; any other is a collection's own
SHARED = (
    "redis", "events_redis", "broker_memory", "host_slots", "receivers", "engine_cooldowns", "embedder", "link_vectors",
    "reader", "model", "search_pool",
    "closed_owners", "key_name", "limits_of", "callback_hosts_of", "spend", "take", "left_of", "owner_of",
    "rate_limit", "shares",
    "loop", "browser", "engines", "engine_client", "callback_client",
)  # fmt: skip
#: how long what a worker still writes into a deleted collection is looked for
LATE = timedelta(hours=1)
#: seconds between two looks whether a collection that this process has open was deleted by another
LOOK_EVERY_S = 5.0


class CollectionServices(Services):
    """The services of one collection other than the default one."""

    def __init__(self, main: Services, collection: Collection) -> None:
        super().__init__(main.settings)
        self.main, self.collection = main, collection

    @cached
    def database(self) -> Database:
        """SQL."""
        return Database(self.settings.database, self.collection.id, sibling=self.main.database)

    @property
    def passages_uri(self) -> str:
        """LanceDB's URI."""
        return passages_uri(self.settings, self.collection.id)

    @cached
    def dispatcher(self) -> "Dispatcher":
        """Sends tasks."""
        return self.main.dispatcher.within(self.collection.name, self.database)


for _name in SHARED:
    setattr(CollectionServices, _name, property(attrgetter(f"main.{_name}")))


def open_collection(main: Services, name: str) -> Services:
    """Return the services of a collection; raises UnknownCollection, or SchemaOutdated."""
    found = main.read(collections.find, name)
    return main if found.is_default else _opened(main, found)


def every(main: Services) -> Iterator[Services]:
    """Yield the services of each collection, the default one first."""
    yield main
    for collection in main.read(collections.list_all)[1:]:
        yield _opened(main, collection)


def for_each(main: Services, work: Callable[[Services], object]) -> None:
    """Do something in each collection; what fails in one does not keep it from the others, and is raised at the end."""
    failed: Exception | None = None
    for services in every(main):
        try:
            work(services)
        except Exception as error:  # one collection's trouble is not the others'
            log.exception("upkeep_failed", collection=services.collection.name)
            failed = failed or error
    if failed is not None:
        raise failed


def add(main: Services, name: str, *, exclude_sites: Sequence[str] = ()) -> Collection:
    """Add a collection; raises BadCollectionName or CollectionExists."""
    main.read(collections.check_free, name)
    collection_id = secrets.token_hex(6)
    try:
        sql.migrate(main.settings.database, collection_id)  # first: a collection that is found is whole
        return main.write(collections.add, collection_id, name, main.now(), exclude_sites=exclude_sites)
    except BaseException:
        sql.erase(main.settings.database, collection_id)
        raise


def leave_out(services: Services, sites: Sequence[str]) -> bool:
    """Leave sites out of a collection for good, too; False for the default one, of which the settings say that."""
    if not isinstance(services, CollectionServices):
        return False
    services.main.write(collections.leave_out, services.collection.id, sites)
    return True


def delete(main: Services, name: str) -> None:
    """Delete a collection with all that is in it; raises UnknownCollection or CollectionStays."""
    found = main.write(collections.mark_deleted, name, main.now())
    erase(main, found.id)


def erase_deleted(main: Services) -> None:
    """Erase deleted collections once more: a worker that was at work may have written since, or an erasure ended early.

    A collection is forgotten when no worker can be at work in it any more.
    """
    for collection_id, deleted_at in main.read(collections.deleted):
        erase(main, collection_id)
        if main.now() - deleted_at > LATE:
            main.write(collections.forget, collection_id)


def erase(main: Services, collection_id: str) -> None:
    """Remove what is stored of a deleted collection: its database, its passages, its questions' events."""
    from store.passages import connect

    if opened := main.opened_collections.pop(collection_id, None):
        opened.close()
    sql.erase(main.settings.database, collection_id)
    connect.erase(passages_uri(main.settings, collection_id))
    main.events.within(collection_id).forget_all()


def close_deleted(main: Services) -> None:
    """Close what this process has open of collections that are no more: an open file keeps its words on the disk."""
    with main.lock:
        if not main.opened_collections:  # nor is the database opened again of a process that ends
            return
        kept = {collection.id for collection in main.read(collections.list_all)}
        gone = [main.opened_collections.pop(each) for each in list(main.opened_collections) if each not in kept]
    for services in gone:  # a step that is at work in one may still use its client of the web
        services.database.close()
        log.debug("collection_closed", collection=services.collection.name)


def passages_uri(settings: "Settings", collection_id: str) -> str:
    """Return LanceDB's URI of a collection other than the default one."""
    return f"{settings.passages.rstrip('/')}-{collection_id}"


def _opened(main: Services, collection: Collection) -> Services:
    with main.lock:
        known = main.opened_collections.get(collection.id)
        if known is None:
            known = CollectionServices(main, collection)
            sql.check_schema(known.database)
            main.opened_collections[collection.id] = known
            if not main.looks_after_collections:
                main.looks_after_collections = True
                threading.Thread(target=_look_after, args=(main,), name="collections", daemon=True).start()
            log.debug("collection_opened", collection=collection.name)
        known.collection = collection  # its sites to leave out may have changed
        return known


def _look_after(main: Services) -> None:
    while main.looks_after_collections:
        time.sleep(LOOK_EVERY_S)
        try:
            close_deleted(main)
        except DatabaseError as error:  # it may be back at the next look
            log.debug("collections_not_looked_at", error=str(error))
        with main.lock:
            main.looks_after_collections = bool(main.opened_collections)
