"""The composition root: reads the settings once a process, and opens each service on first use."""

import os
import threading
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from domain.access import DEFAULT, MAIN, Collection
from store.sql.database import Database
from workers.services.cached import cached
from workers.services.logs import configure_logs
from workers.services.redis_access import RedisAccess
from workers.services.web import WebAccess
from workers.settings import load

if TYPE_CHECKING:
    from pipeline.ask import Tools
    from pipeline.models.model import LanguageModel
    from pipeline.reader import Reader
    from store.embedders import Embedder
    from store.learned import RecalibrationsInUse, VariantsCache
    from store.passages.table import Passages
    from store.passages.writer import PassagesWriter
    from workers.services.dispatch import Dispatcher
    from workers.services.lease_renewer import LeaseRenewer
    from workers.services.link_vectors import LinkVectors

#: threads for the parallel searches of one question
SEARCH_THREADS = 8

_Handle = TypeVar("_Handle", bound="Passages")


class Services(WebAccess, RedisAccess):
    """The services of a process; each is opened on first use, once."""

    #: whose services these are
    collection: Collection = MAIN
    #: seconds that work waits for a PostgreSQL that is started again, instead of failing
    waits_s: float = 0.0
    #: whether a thread looks for deleted ones among those that this process has open
    looks_after_collections: bool = False

    @cached
    def opened_collections(self) -> "dict[str, Services]":
        """The services of other collections that this process has opened, by id."""
        return {}

    def of(self, name: str) -> "Services":
        """Return the services of the collection with this name; raises UnknownCollection."""
        from workers.services.collections import open_collection

        return open_collection(self, name)

    @cached
    def database(self) -> Database:
        """SQL."""
        return Database(self.settings.database, waits_s=self.waits_s)

    def closed_owners(self, owners: Iterable[str | None]) -> set[str]:
        """Return those of these owners of questions whose key was revoked or has expired."""
        from store import keys

        with self.database.read() as session:
            return keys.closed(session, owners, self.now())

    def key_name(self, owner: str | None) -> str:
        """Return the name of the key that an owner of questions is; "" for none."""
        from store import keys

        with self.database.read() as session:
            return next((key.name for key in keys.list_all(session) if key.owner == owner), "")

    @cached
    def dispatcher(self) -> "Dispatcher":
        """Sends tasks."""
        from workers.app import app
        from workers.services.dispatch import Dispatcher

        shown = self.database if self.settings.flower_words else None
        return Dispatcher(app, shown=shown, parents=self.trace_parents)

    @cached
    def leases(self) -> "LeaseRenewer":
        """Renews the leases that this process holds."""
        from workers.services.lease_renewer import LeaseRenewer

        return LeaseRenewer(self.database, now=self.now)

    @cached
    def embedder(self) -> "Embedder":
        """The embedding model."""
        from store.embedders import open_embedder

        s = self.settings
        return open_embedder(
            s.embedder,
            models_dir=s.models_dir,
            threads=s.embedder_threads,
            base_url=s.embedder_base_url,
            api_key=s.embedder_api_key.get_secret_value(),
        )

    @cached
    def link_vectors(self) -> "LinkVectors":
        """Compares links with a question in meaning."""
        from workers.services.link_vectors import LinkVectors

        return LinkVectors(threads=self.settings.embedder_threads)

    @cached
    def reader(self) -> "Reader":
        """Reads the best hits."""
        from pipeline.reader import Reader

        return Reader(threads=self.settings.embedder_threads)

    @property
    def passages_uri(self) -> str:
        """LanceDB's URI."""
        return self.settings.passages

    @cached
    def passages(self) -> "Passages":
        """The knowledge base, to search."""
        from store.passages.table import Passages

        # one copy a process: that of each collection would multiply it
        memory = self.settings.search_memory_mb * 2**20 if self.collection.is_default else 0
        return self._open_passages(Passages, memory_bytes=memory)

    @cached
    def passages_writer(self) -> "PassagesWriter":
        """The knowledge base, to write; only one process may."""
        from store.passages.writer import PassagesWriter

        return self._open_passages(PassagesWriter)

    @cached
    def model(self) -> "LanguageModel | None":
        """The language model, when there is a server or a key."""
        from workers.services.model_provider import open_model

        return open_model(self.settings, self.redis)

    @cached
    def tools(self) -> "Tools":
        """The tools of the pipeline."""
        from pipeline.ask import Tools
        from store.graph import GraphReader
        from workers.services.rules import with_rules

        tools = Tools(
            search=self.passages,
            embedder=self.embedder,
            pool=self.search_pool,
            clock=time.perf_counter,
            reader=self.reader,
            page_texts=self.page_texts,
            graph=GraphReader(self.database, self.passages),
            memory=self.variants,
        )
        return with_rules(tools, self.settings)

    @cached
    def search_pool(self) -> ThreadPoolExecutor:
        """The threads that search."""
        return ThreadPoolExecutor(SEARCH_THREADS, thread_name_prefix="search")

    @cached
    def learned(self) -> "RecalibrationsInUse":
        """What feedback makes of the judge's confidence."""
        from store.learned import RecalibrationsInUse

        return RecalibrationsInUse(self.database)

    @cached
    def variants(self) -> "VariantsCache":
        """Stored variants, and counts of which kinds helped."""
        from store.learned import VariantsCache

        return VariantsCache(self.database, now=self.now)

    def page_texts(self, page_ids: Sequence[int]) -> dict[int, str]:
        """Return the stored text of pages, by id."""
        from store.pages import pages

        with self.database.read() as session:
            return pages.texts(session, page_ids)

    def close(self) -> None:
        """Close all opened services."""
        opened = self.__dict__
        with self.lock:
            while self.opened_collections:
                self.opened_collections.popitem()[1].close()
        self.close_web_access()
        self.close_redis()
        if "database" in opened:
            self.database.close()

    @staticmethod
    def now() -> datetime:
        """Return the current time, UTC."""
        return datetime.now(UTC)

    def _open_passages(self, kind: type[_Handle], *, memory_bytes: int = 0) -> _Handle:
        os.environ.setdefault("LANCE_LOG", "error")  # it warns of normal events
        from workers.services.completeness import has_indexed_pages

        return kind.open(
            self.passages_uri,
            embedder_id=self.embedder.id,
            dimension=self.embedder.dimension,
            memory_bytes=memory_bytes,
            is_expected=has_indexed_pages(self),
        )


_lock = threading.Lock()


def services(collection: str = DEFAULT) -> Services:
    """Return this process's services of a collection; raises UnknownCollection."""
    with _lock:
        main = _services(os.getpid())
    return main if collection == DEFAULT else main.of(collection)


@lru_cache(maxsize=1)
def _services(_pid: int) -> Services:
    configure_logs()
    return Services(load())
