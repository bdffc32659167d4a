"""A client that may reach the test's servers, and resolvers that lie to it."""

import asyncio
import ssl
from collections.abc import Coroutine, Sequence
from typing import Any

from crawler.fetch.client import Fetcher
from crawler.fetch.guard import Guard
from crawler.fetch.response import Fetched, Limits
from tests.crawler.hostile import (
    Behaviour,
    Site,
    serving,
)

LIMITS = Limits(deadline_s=0.4, connect_s=0.3, dns_s=0.2, max_wire=2_000_000, max_body=4_000_000)


GENEROUS = Limits(deadline_s=10.0)


SYSTEM_TRUST = ssl.create_default_context()


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(coroutine)


def client(*sites: Site, limits: Limits = GENEROUS, **more: Any) -> Fetcher:
    more.setdefault("ssl_context", SYSTEM_TRUST)
    more.setdefault("guard", Guard(own_sites=frozenset(site.hole for site in sites)))
    return Fetcher(limits=limits, user_agent="wellread-test/1.0", **more)


async def got(behaviour: Behaviour, path: str = "/", *, limits: Limits = GENEROUS, **asked: Any) -> Fetched:
    async with serving(behaviour) as site, client(site, limits=limits) as web:
        return await web.get(site.url(path), **asked)


class Rebinding:
    """A resolver whose every answer is another: public when it is asked first, loopback afterwards."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked = 0

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked += 1
        return self.answers[min(self.asked, len(self.answers)) - 1]


class LoopbackIsPublic(Guard):
    def is_public(self, address: str) -> bool:
        return address == "127.0.0.1" or super().is_public(address)
