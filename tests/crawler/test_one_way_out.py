"""Pages, robots.txt, sitemaps, feeds, webhooks and engines: none of them reaches an address that the guard refuses."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import pytest

from crawler.fetch.client import Fetcher
from crawler.fetch.guard import Blocked, Guard
from crawler.fetch.response import Limits
from crawler.read import read
from crawler.robots import RobotsFile
from crawler.search.engine import EngineError, Query
from domain import Candidate, CandidateKind
from tests.crawler.hostile import Site, answer, serving
from tests.crawler.recorder import connections
from tests.crawler.search.every_engine import ALL
from tests.tables import each_row

NOW = datetime(2026, 11, 21, tzinfo=UTC)
Use = Callable[[Fetcher, Site], Awaitable[None]]


class Robots(dict[str, RobotsFile]):
    """robots.txt files in memory."""

    def put(self, origin: str, file: RobotsFile) -> None:
        self[origin] = file


def reached(use: Use) -> list[object]:
    """Use a client that knows no own site beside a server on loopback, and give what was connected to."""

    async def scenario() -> list[object]:
        # its port is one of the web's here: the address alone is what must not be reached
        async with serving(answer()) as canary:
            guard = Guard(ports=frozenset({canary.port}))
            async with Fetcher(guard=guard, limits=Limits(deadline_s=5.0), user_agent="wellread-test/1.0") as client:
                with connections() as made:
                    await use(client, canary)
                assert canary.connections == 0
                return list(made)

    return asyncio.run(scenario())


@pytest.mark.parametrize("knows_robots", [False, True])
@pytest.mark.parametrize("kind", ["page", "sitemap", "feed"])
def test_no_candidate_reaches_a_private_address(kind: CandidateKind, knows_robots: bool) -> None:
    async def use(client: Fetcher, canary: Site) -> None:
        robots = Robots()
        if knows_robots:
            robots.put(canary.url("").rstrip("/"), RobotsFile(status=404, body=b"", fetched_at=NOW))
        candidate = Candidate(url=canary.url("/x"), kind=kind)
        reading = await read(candidate, client=client, robots=robots, agent="wellread", now=NOW)
        assert reading.outcome == "blocked"

    assert reached(use) == []


def test_no_webhook_reaches_a_private_address() -> None:
    async def use(client: Fetcher, canary: Site) -> None:
        with pytest.raises(Blocked):
            await client.post(canary.url("/hook"), body=b"{}")

    assert reached(use) == []


@each_row("name", ALL)
def test_no_engine_reaches_a_private_address(name: str) -> None:
    async def use(client: Fetcher, canary: Site) -> None:
        with pytest.raises(EngineError):
            await ALL[name](client, canary.url("")).search(Query(text="tea"), limit=3)

    assert reached(use) == []
