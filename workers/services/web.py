"""Web access of a process: the guarded clients, their event loop, the browser, the search engines."""

import asyncio
import math
import threading
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from workers.services.cached import cached
from workers.services.redis_access import WEBHOOK_S
from workers.settings import Settings

if TYPE_CHECKING:
    from crawler.browser.render import Browser
    from crawler.fetch.access import SiteAccess
    from crawler.fetch.client import Fetcher
    from domain.site import Source
    from workers.services.engines import Account

Value = TypeVar("Value")

#: largest answer of a search engine
ENGINE_BYTES = 2_000_000


class WebAccess:
    """The web access of a process, each part opened on first use."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.lock = threading.RLock()
        self._reader: _ReaderClient | None = None

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

        own_sources = (source.url for source in sources if source.own)
        own = frozenset((*self.settings.own_hosts, *own_sources))
        known = {source.id: source for source in sources}
        accesses = tuple(SiteAccess.of(known[id].own_scope, kept) for id, kept in secrets.items() if id in known)
        if self._reader is None or (self._reader.own, self._reader.accesses) != (own, accesses):
            if self._reader is not None:
                self.wait_for(self._reader.client.aclose())
            client = _open_client(self.settings, own, accesses=accesses)
            self._reader = _ReaderClient(own=own, accesses=accesses, client=client)
        return self._reader.client

    @cached
    def callback_client(self) -> "Fetcher":
        """The client that posts webhooks; of private addresses it reaches only the operator's allowed hosts.

        Permission to read one of the operator's own sites is no permission to post to it.
        """
        return _open_client(self.settings, frozenset(self.settings.own_hosts), most_s=WEBHOOK_S)

    @cached
    def browser(self) -> "Browser | None":
        """The browser that runs pages' scripts, if there is one."""
        from crawler.browser.process import find_chromium
        from crawler.browser.render import Browser

        executable = find_chromium(self.settings.chromium)
        return Browser(executable) if executable else None

    @cached
    def engine_client(self) -> "Fetcher":
        """The client that asks search engines; of private addresses it reaches only the operator's own engines.

        Pages are read with another client: a result must not lead to the engine's own private address.
        """
        from workers.services.engines import own_addresses

        return _open_client(self.settings, own_addresses(self.settings), max_bytes=ENGINE_BYTES)

    @cached
    def engines(self) -> "tuple[Account, ...]":
        """The search engines that are on."""
        from workers.services.engines import open_engines

        return open_engines(self.settings, self.engine_client)

    def close_web_access(self) -> None:
        """Close all opened clients and the loop."""
        opened = self.__dict__
        if self._reader is not None:
            self.wait_for(self._reader.client.aclose())
        for name in ("engine_client", "callback_client"):
            if name in opened:
                self.wait_for(opened[name].aclose())
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

    def close(self) -> None:
        """Cancel what is still under way, and close the loop."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._runner.close()


@dataclass(frozen=True, kw_only=True)
class _ReaderClient:
    own: frozenset[str]
    accesses: "tuple[SiteAccess, ...]"
    client: "Fetcher"


def _open_client(
    settings: Settings,
    own: frozenset[str],
    *,
    max_bytes: int = 0,
    most_s: float = math.inf,
    accesses: "Sequence[SiteAccess]" = (),
) -> "Fetcher":
    from crawler.fetch.client import Fetcher
    from crawler.fetch.guard import Guard, allowlist_entry
    from crawler.fetch.response import Limits

    most = max_bytes or settings.fetch_max_bytes
    limits = Limits(deadline_s=min(most_s, settings.fetch_deadline_s), max_body=most, max_wire=most)
    return Fetcher(
        guard=Guard(own_sites=frozenset(allowlist_entry(site) for site in own)),
        limits=limits,
        user_agent=agent(settings),
        accesses=accesses,
    )


def agent(settings: Settings) -> str:
    """Return the user agent: our name in robots.txt, the version, and the operator's contact."""
    contact = settings.contact or "no contact configured"
    return f"{settings.user_agent}/0.1 (+{contact})"
