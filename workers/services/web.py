"""Web access of a process: the guarded clients, their event loop, the browser, the search engines.

An engine is on when its key or address is set. An engine that costs money where others are free, or that offers no
API to programs, is on only when ``WELLREAD_ENGINES`` names it.
"""

import asyncio
import hashlib
import math
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import SecretStr

from crawler.extract.bounded_process import PAGE_S
from crawler.fetch.guard import Guard, allowlist_entry
from crawler.search.engine import ENGINES, engine_class, plain_value
from workers.egress import configured_engines, guard
from workers.settings import CLAUDE_URL, Settings

if TYPE_CHECKING:
    from crawler.browser.render import Browser
    from crawler.fetch.access import SiteAccess
    from crawler.fetch.client import Fetcher
    from crawler.paid_fetcher import PaidFetcher
    from crawler.search.engine import Engine
    from domain.site import Source

Value = TypeVar("Value")

#: largest answer of a search engine
ENGINE_BYTES = 2_000_000
#: a receiver of webhooks has so long to answer
WEBHOOK_S = 10.0
#: one request to a repository or bucket may take so long; a task has 100 s
FOLDER_S = 60.0
#: how long other threads may still read with a client that was replaced
_STILL_READS_S = 2 * PAGE_S


class cached(cached_property[Value]):  # noqa: N801  (written as a decorator, as `property` is)
    """``functools.cached_property`` under the instance's own ``lock``: Python's has no lock from 3.12 on."""

    if not TYPE_CHECKING:  # the types are those of ``cached_property``

        def __get__(self, instance: Any, owner: type[Any] | None = None) -> Self | Value:
            """Compute the value, or wait for the thread that does."""
            if instance is None:
                return self
            with instance.lock:  # reentrant: computing a value may use another one
                return super().__get__(instance, owner)


class WebAccess:
    """The web access of a process, each part opened on first use."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.lock = threading.RLock()
        #: the client that reads pages, and the guard and accesses that it was opened for
        self._reader: tuple[tuple[Guard, tuple[SiteAccess, ...]], Fetcher] | None = None
        self._callers: dict[tuple[str, ...], Fetcher] = {}

    @cached
    def loop(self) -> "LoopThread":
        """The event loop that fetches; kept, so that connections stay open."""
        return LoopThread()

    def wait_for(self, work: Coroutine[Any, Any, Value]) -> Value:
        """Run asynchronous work to its end; several threads may at once."""
        return self.loop.run(work)

    def client(
        self, sources: "Sequence[Source]", secrets: Mapping[int, Mapping[str, Any]] = MappingProxyType({})
    ) -> "Fetcher":
        """Return the client that reads pages; the guard allows the operator's own sites.

        ``secrets`` say how some of them are reached, by the sources' ids.
        """
        from crawler.fetch.access import SiteAccess

        may_read = guard(self.settings, sources)
        known = {source.id: source for source in sources}
        accesses = tuple(SiteAccess.of(known[id].own_scope, kept) for id, kept in secrets.items() if id in known)
        with self.lock:
            if self._reader is None or self._reader[0] != (may_read, accesses):
                if self._reader is not None:
                    self.loop.later(_STILL_READS_S, self._reader[1].aclose)
                self._reader = (may_read, accesses), _open_client(self.settings, may_read, accesses=accesses)
            return self._reader[1]

    def callback_client(self, hosts: tuple[str, ...] = ()) -> "Fetcher":
        """Return the client that posts webhooks; of private addresses it reaches only the operator's allowed hosts.

        ``hosts`` are those allowed to one key, which has a client, and connections, of its own. Permission to read one
        of the operator's own sites is no permission to post to it.
        """
        with self.lock:
            if hosts not in self._callers:
                may_call = guard(self.settings, allowed=hosts)
                self._callers[hosts] = _open_client(self.settings, may_call, most_s=WEBHOOK_S)
            return self._callers[hosts]

    def folder_client(self, url: str, max_bytes: int) -> "Fetcher":
        """Return the client that reads a folder elsewhere, at this URL."""
        with self.lock:
            if (known := ("folder", url, str(max_bytes))) not in self._callers:
                may_read = guard(self.settings, folders=[url])
                self._callers[known] = _open_client(self.settings, may_read, max_bytes=max_bytes, least_s=FOLDER_S)
            return self._callers[known]

    @cached
    def browser(self) -> "Browser | None":
        """The browser that runs pages' scripts, if there is one."""
        from crawler.browser.chromium import find_chromium
        from crawler.browser.render import Browser

        executable = find_chromium(self.settings.chromium)
        return Browser(executable) if executable else None

    @cached
    def engine_client(self) -> "Fetcher":
        """The client that asks search engines; of private addresses it reaches only the operator's own engines.

        Pages are read with another client: a result must not lead to the engine's own private address.
        """
        own = frozenset(map(allowlist_entry, own_addresses(self.settings)))
        may_ask = Guard(own_sites=own, egress=self.settings.egress)
        return _open_client(self.settings, may_ask, max_bytes=ENGINE_BYTES)

    @cached
    def engines(self) -> "tuple[Account, ...]":
        """The search engines that are on, in their order."""
        named, client = account_ids(self.settings), self.engine_client
        return tuple(Account(engine=_open_engine(name, self.settings, client), id=id_) for name, id_ in named.items())

    @cached
    def paid_fetcher(self) -> "PaidFetcher | None":
        """The paid service that fetches what sites refuse, if one is chosen, has a key and may be asked."""
        from crawler.paid_fetcher import SERVICES, PaidFetcher

        settings = self.settings
        key = getattr(settings, f"{settings.fetcher}_key").get_secret_value() if settings.fetcher else ""
        if not key or settings.egress != "all":
            return None
        usd = SERVICES[settings.fetcher][2] if settings.fetcher_usd is None else settings.fetcher_usd
        return PaidFetcher(name=settings.fetcher, client=self.engine_client, key=key, usd=usd)

    def close_web_access(self) -> None:
        """Close all opened clients and the loop."""
        opened = self.__dict__
        if self._reader is not None:
            self.wait_for(self._reader[1].aclose())
        while self._callers:
            self.wait_for(self._callers.popitem()[1].aclose())
        if "engine_client" in opened:
            self.wait_for(opened["engine_client"].aclose())
        if "loop" in opened:
            self.loop.close()


class LoopThread:
    """An event loop in a thread of its own, which any thread may have work done in."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._loop = self._runner.get_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="event-loop", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, Value]) -> Value:
        """Run work to its end; cancel it where the thread that waits is interrupted."""
        done = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return done.result()
        except BaseException:
            done.cancel()
            raise

    def later(self, in_s: float, work: Callable[[], Coroutine[Any, Any, object]]) -> None:
        """Have work done some seconds from now, or when the loop is closed."""

        async def wait() -> None:
            try:
                await asyncio.sleep(in_s)
            finally:
                await work()

        asyncio.run_coroutine_threadsafe(wait(), self._loop)

    def close(self) -> None:
        """Cancel what is still under way, and close the loop."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._runner.close()


def _open_client(
    settings: Settings,
    guard: Guard,
    *,
    max_bytes: int = 0,
    most_s: float = math.inf,
    least_s: float = 0.0,
    accesses: "Sequence[SiteAccess]" = (),
) -> "Fetcher":
    from crawler.fetch.client import Fetcher
    from crawler.fetch.response import Limits

    most = max_bytes or settings.fetch_max_bytes
    deadline_s = max(least_s, min(most_s, settings.fetch_deadline_s))
    limits = Limits(deadline_s=deadline_s, max_body=most, max_wire=most)
    return Fetcher(
        guard=guard,
        limits=limits,
        user_agent=f"{settings.user_agent}/0.1 (+{settings.contact or 'no contact configured'})",
        accesses=accesses,
    )


@dataclass(frozen=True, kw_only=True)
class Account:
    """An engine with one key or address; its failures count for this account only."""

    engine: "Engine"
    id: str


def switched_on(settings: Settings) -> tuple[str, ...]:
    """Return the engines that are on: those configured, unless WELLREAD_EGRESS forbids all."""
    return configured_engines(settings) if settings.egress == "all" else ()


def own_addresses(settings: Settings) -> frozenset[str]:
    """Return the operator's own servers among the engines: the only private addresses engines may be asked at."""
    on = switched_on(settings)
    own = {"searxng": settings.searxng_url, "claude": settings.anthropic_base_url}
    return frozenset(url for name, url in own.items() if name in on and url)


def account_ids(settings: Settings) -> dict[str, str]:
    """Return the accounts' ids by the engines' names, in their order.

    An id is the name with eight digits that change with the key or address, but reveal neither.
    """
    values = {name: plain_value(_value(name, settings)).encode() for name in switched_on(settings)}
    digest = partial(hashlib.blake2b, digest_size=4, person=b"engine")
    return {name: f"{name}:{digest(value).hexdigest()}" for name, value in values.items()}


def _open_engine(name: str, settings: Settings, client: "Fetcher") -> "Engine":
    value = _value(name, settings)
    options: dict[str, Any] = {}
    if name == "claude":
        options = _claude_options(settings)
    elif isinstance(value, SecretStr):
        options = {"key": value.get_secret_value()}
    elif isinstance(value, str):
        options = {"base_url": value}
    return engine_class(name)(client=client, **options)


def _value(name: str, settings: Settings) -> object:
    """Return the value of the setting that an engine needs; None where it needs none."""
    needed = ENGINES[name].setting
    return getattr(settings, needed) if needed else None


def _claude_options(settings: Settings) -> dict[str, Any]:
    from pipeline.models.prices import Usage, cost_of

    model = settings.claude_small_model
    return {
        "key": settings.anthropic_api_key.get_secret_value(),
        "base_url": settings.anthropic_base_url or CLAUDE_URL,
        "model": model,
        "price": lambda read, written: cost_of(model, Usage(input_tokens=read, output_tokens=written)),
        "max_usd": settings.max_usd_per_question,
    }
