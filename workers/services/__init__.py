"""The composition root: reads the settings once a process, and opens each service on first use."""

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from redis import Redis
from redis.exceptions import LockError
from sqlalchemy.orm import Session

from crawler.fetch.guard import EgressForbidden
from domain.access import DEFAULT, MAIN, Collection
from store import keys, usage
from store.activity import Recent
from store.embedders import Embedder, EmbeddingRefused, open_embedder
from store.ephemeral.events import Events, RedisMemory
from store.ephemeral.marks import Erasures, TraceParents
from store.ephemeral.shares import Shares
from store.ephemeral.slots import EngineCooldowns, Receivers, Slots
from store.ephemeral.turns import Turns
from store.learned import RecalibrationsInUse, VariantsCache
from store.pages import pages
from store.sql.database import Database
from text import mapped
from workers.egress import require
from workers.services.logs import configure_logs
from workers.services.web import WEBHOOK_S, WebAccess, cached
from workers.settings import load

if TYPE_CHECKING:
    from pipeline.ask import Tools
    from pipeline.models.model import LanguageModel
    from pipeline.reader import PassageReader
    from store.passages.table import Passages
    from store.passages.writer import PassagesWriter
    from workers.services.dispatch import Dispatcher
    from workers.services.interruptions import LeaseRenewer
    from workers.services.pipeline import LinkVectors

#: threads for the parallel searches of one question
SEARCH_THREADS = 8
#: of a host slot, for work that is no fetch
TURN_SLACK_S = 5.0
#: seconds that work is locked for which is done by one process at a time: longer than any task
_LOCKED_S = 150

Args = ParamSpec("Args")
Value = TypeVar("Value")
_Handle = TypeVar("_Handle", bound="Passages")


class Services(WebAccess):
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

    def read(self, query: Callable[Concatenate[Session, Args], Value], *args: Args.args, **named: Args.kwargs) -> Value:
        """Return what a function that takes a session gives in a reading one of its own."""
        with self.database.read() as session:
            return query(session, *args, **named)

    def write(
        self, change: Callable[Concatenate[Session, Args], Value], *args: Args.args, **named: Args.kwargs
    ) -> Value:
        """Return what a function that takes a session gives in a transaction of its own."""
        with self.database.write() as session:
            return change(session, *args, **named)

    @contextmanager
    def alone(self, work: str) -> Iterator[bool]:
        """Yield whether no other process does this work of the collection now; a dead one's ends with a task's time."""
        lock = self.redis.lock(f"wellread:{work}:{self.collection.id}", timeout=_LOCKED_S)
        is_alone = bool(lock.acquire(blocking=False))
        try:
            yield is_alone
        finally:
            if is_alone:
                with suppress(LockError):  # it has run out
                    lock.release()

    def closed_owners(self, owners: Iterable[str | None]) -> set[str]:
        """Return those of these owners of questions whose key was revoked or has expired."""
        return self.read(keys.closed, owners, self.now())

    def limits_of(self, owner: str | None) -> Mapping[str, float]:
        """Return what the key of an owner of questions may use, as far as that is limited."""
        return self.read(keys.limits_of, owner) if owner else {}

    def callback_hosts_of(self, owner: str | None) -> tuple[str, ...]:
        """Return the hosts that webhooks of an owner's questions may go to besides those that all may."""
        return self.read(keys.callback_hosts_of, owner) if owner else ()

    def spend(self, owner: str | None, **amounts: float) -> None:
        """Add to what an owner of questions has used; nothing of nobody's."""
        if owner and any(amounts.values()):
            with self.database.claim() as session:
                usage.add(session, owner, self.now(), **amounts)

    def take(self, owner: str, limits: Mapping[str, float], name: str = "questions") -> None:
        """Count one more question, or one of the ``pages``, of an owner's. Raises QuotaSpent."""
        with self.database.claim() as session:
            usage.take(session, owner, limits, self.now(), name)

    def left_of(self, owner: str | None) -> dict[str, float]:
        """Return how many pages, tokens and dollars an owner's key has left, of those that are limited."""
        limits = self.limits_of(owner)
        return self.read(usage.left, owner, limits, self.now()) if owner and limits else {}

    def owner_of(self, name: str) -> str:
        """Return what the questions of the key with this name are marked with; raises UnknownKey."""
        return self.read(keys.named, name).owner

    def rate_limit(self, owner: str) -> dict[str, str]:
        """Return the headers that say how many questions an owner has left; none where that is not limited."""
        now = self.now()
        return usage.headers(self.read(usage.report, now, owner)[0], now)

    def key_name(self, owner: str | None) -> str:
        """Return the name of the key that an owner of questions is; "" for none."""
        return next((key.name for key in self.read(keys.list_all) if key.owner == owner), "")

    @cached
    def dispatcher(self) -> "Dispatcher":
        """Sends tasks."""
        from workers.app import app
        from workers.services.dispatch import Dispatcher

        shown = self.database if self.settings.flower_words else None
        return Dispatcher(app, shown=shown, parents=self.trace_parents, shares=self.shares)

    @cached
    def shares(self) -> Shares:
        """Whose turn it is."""
        return Shares(self.redis)

    @cached
    def leases(self) -> "LeaseRenewer":
        """Renews the leases that this process holds."""
        from workers.services.interruptions import LeaseRenewer

        return LeaseRenewer(self.database, now=self.now)

    @cached
    def redis(self) -> Redis:
        """The broker, as a plain client."""
        return Redis.from_url(self.settings.redis, socket_connect_timeout=5, socket_timeout=10)

    @cached
    def events_redis(self) -> Redis:
        """The Redis of events: the broker, unless there is another one."""
        if not self.settings.events_redis_url:
            return self.redis
        return Redis.from_url(self.settings.events_redis, socket_connect_timeout=5, socket_timeout=10)

    @cached
    def broker_memory(self) -> RedisMemory:
        """How full the broker is."""
        return RedisMemory(self.redis)

    @cached
    def events(self) -> Events:
        """The events of each question's progress."""
        return Events(self.events_redis, self._prefix)

    @cached
    def turns(self) -> Turns:
        """When those who were refused may come again."""
        return Turns(self.redis, self._prefix)

    @cached
    def erasures(self) -> Erasures:
        """What is to be erased from the disk."""
        return Erasures(self.redis, self._prefix)

    @cached
    def host_slots(self) -> Slots:
        """Slots at hosts; a slot lasts as long as reading one page may take."""
        from crawler.browser.render import RenderBounds

        # robots.txt, then the page, then its scripts
        longest_s = 2 * self.settings.fetch_deadline_s + RenderBounds().deadline_s + TURN_SLACK_S
        return Slots(self.redis, longest_s=longest_s)

    @cached
    def receivers(self) -> Receivers:
        """Deliveries of webhooks that are under way."""
        return Receivers(self.redis, longest_s=WEBHOOK_S + TURN_SLACK_S)

    @cached
    def trace_parents(self) -> TraceParents:
        """Where the traces of questions began."""
        return TraceParents(self.redis)

    @cached
    def engine_cooldowns(self) -> EngineCooldowns:
        """The engines that are cooling down."""
        return EngineCooldowns(self.redis)

    @cached
    def embedder(self) -> Embedder:
        """The embedding model."""
        s = self.settings
        if s.embedder_url:
            try:
                require(s, s.embedder_url, "the embedder")
            except EgressForbidden as error:
                raise EmbeddingRefused(str(error)) from error
        return open_embedder(
            s.embedder,
            models_dir=s.models_dir,
            threads=s.embedder_threads,
            base_url=s.embedder_base_url,
            api_key=s.embedder_api_key.get_secret_value(),
            offline=s.egress != "all",
        )

    @cached
    def link_vectors(self) -> "LinkVectors":
        """Compares links with a question in meaning."""
        from workers.services.pipeline import LinkVectors

        return LinkVectors(threads=self.settings.embedder_threads)

    @cached
    def reader(self) -> "PassageReader":
        """Reads the best hits."""
        from pipeline.reader import PassageReader

        return PassageReader(threads=self.settings.embedder_threads)

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
        from workers.services.pipeline import open_model

        return open_model(self.settings, self.redis)

    @cached
    def tools(self) -> "Tools":
        """The tools of the pipeline."""
        from pipeline.ask import Tools
        from store.graph import GraphReader
        from workers.services.pipeline import with_rules

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
    def learned(self) -> RecalibrationsInUse:
        """What feedback makes of the judge's confidence."""
        return RecalibrationsInUse(self.database)

    @cached
    def recent(self) -> Recent:
        """What the last hours and days brought."""
        return Recent()

    @cached
    def variants(self) -> VariantsCache:
        """Stored variants, and counts of which kinds helped."""
        return VariantsCache(self.database, now=self.now)

    def page_texts(self, page_ids: Sequence[int]) -> dict[int, str]:
        """Return the stored text of pages, by id."""
        return self.read(pages.texts, page_ids)

    def close(self) -> None:
        """Close all opened services."""
        with self.lock:
            while self.opened_collections:
                self.opened_collections.popitem()[1].close()
        self.close_web_access()
        for name in ("redis", "events_redis", "database"):
            if name in vars(self):
                vars(self)[name].close()

    @staticmethod
    def now() -> datetime:
        """Return the current time, UTC."""
        return datetime.now(UTC)

    @property
    def _prefix(self) -> str:
        """What the keys of a collection begin with."""
        return "" if self.collection.is_default else self.collection.id

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
    settings = load()
    mapped.folder = settings.models_dir
    return Services(settings)
