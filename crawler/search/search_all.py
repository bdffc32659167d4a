"""Ask several engines at once and fuse their links; an engine that fails or is slow never fails the rest."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import structlog

from crawler.search.engine import Engine, EngineReply, Query
from crawler.search.errors import EngineDown, EngineError
from domain import Cost, Link

log = structlog.get_logger()

MAX_CONCURRENT: Final = 8  #: requests under way, over all engines
DEADLINE_S: Final = 15.0  #: for all queries of one engine
RRF_K: Final = 60  #: Σ 1/(k + rank)


@dataclass(frozen=True, kw_only=True)
class EngineOutcome:
    """What became of asking one engine."""

    engine: str
    queries: int = 0  #: that it answered
    links: int = 0
    elapsed_s: float = 0.0
    cost: Cost = field(default_factory=Cost)
    error: EngineError | None = None  #: the first one


@dataclass(frozen=True, kw_only=True)
class SearchResults:
    """What the engines found, and what became of each."""

    links: tuple[Link, ...] = ()  #: best first, one for each URL
    asked: tuple[EngineOutcome, ...] = ()

    @property
    def failures(self) -> Mapping[str, str]:
        """Why engines failed, by name; one that answered some of its queries has its links kept all the same."""
        return {asked.engine: str(asked.error) for asked in self.asked if asked.error is not None}


async def search_all(
    engines: Sequence[Engine], queries: Sequence[Query], *, limit: int, deadline_s: float = DEADLINE_S
) -> SearchResults:
    """Ask every engine its share of the queries, and fuse what comes by the deadline, by rank (RRF).

    ``limit`` bounds each engine's links for one query. After a failure that is not the query's own, an engine is
    not asked any further.
    """
    places = asyncio.Semaphore(MAX_CONCURRENT)
    rounds = [_EngineSearch(engine=engine, limit=limit, deadline_s=deadline_s, places=places) for engine in engines]
    asked = await asyncio.gather(*(round_.run(tuple(dict.fromkeys(queries))) for round_ in rounds))
    rankings = [ranking for round_ in rounds for ranking in round_.rankings()]
    return SearchResults(links=tuple(fuse(rankings)), asked=tuple(asked))


def fuse(rankings: Sequence[Sequence[Link]]) -> list[Link]:
    """Merge rankings by rank, equals in the order they came; one found again keeps its first words."""
    scores: defaultdict[str, float] = defaultdict(float)
    links: dict[str, Link] = {}
    for ranking in rankings:
        once = {link.url: link for link in reversed(ranking)}
        for rank, url in enumerate(dict.fromkeys(link.url for link in ranking), start=1):
            scores[url] += 1 / (RRF_K + rank)
            links.setdefault(url, once[url])
    return [links[url] for url in sorted(scores, key=lambda url: -scores[url])]


def select_queries(queries: Sequence[Query], most: int) -> tuple[Query, ...]:
    """The queries an engine gets that takes no more than ``most``: the first ones, and the last, which asks for what
    is missing.
    """
    if len(queries) <= most or most == 1:
        return tuple(queries[:most])
    return (*queries[: most - 1], queries[-1])


@dataclass(kw_only=True)
class _EngineSearch:
    """One engine's turn in one search."""

    engine: Engine
    limit: int
    deadline_s: float
    places: asyncio.Semaphore
    replies: dict[int, EngineReply] = field(default_factory=dict)
    error: EngineError | None = None

    async def run(self, queries: Sequence[Query]) -> EngineOutcome:
        started = time.monotonic()
        until = asyncio.get_running_loop().time() + self.deadline_s
        turns = asyncio.Semaphore(self.engine.rate_limit.max_concurrent)
        mine = select_queries(queries, self.engine.rate_limit.max_queries)
        await asyncio.gather(*(self._ask(at, query, turns, until, len(mine)) for at, query in enumerate(mine)))
        return EngineOutcome(
            engine=self.engine.name,
            queries=len(self.replies),
            links=sum(len(reply.links) for reply in self.replies.values()),
            elapsed_s=time.monotonic() - started,
            cost=sum((reply.cost for reply in self.replies.values()), Cost()),
            error=self.error,
        )

    def rankings(self) -> list[list[Link]]:
        """What was found, a ranking for each query in its order."""
        origin = f"engine:{self.engine.name}"
        return [
            [replace(link, origin=origin) for link in self.replies[at].links[: self.limit]]
            for at in sorted(self.replies)
        ]

    async def _ask(self, at: int, query: Query, turns: asyncio.Semaphore, until: float, queries: int) -> None:
        try:
            async with asyncio.timeout_at(until), turns:
                if self.error is not None and self.error.cooldown_s:
                    return
                async with self.places:
                    self.replies[at] = await self.engine.search(query, limit=self.limit)
                if at + 1 < queries:
                    await asyncio.sleep(self.engine.rate_limit.delay_s)
        except TimeoutError:
            if at not in self.replies:
                self._fail(EngineDown(f"{self.engine.name} did not answer within {self.deadline_s:g} s"))
        except EngineError as error:
            self._fail(error)
        except Exception as error:  # a fault in one engine's code must not take the others' links away
            log.exception("engine_failed", engine=self.engine.name)
            self._fail(EngineError(f"{self.engine.name} failed: {type(error).__name__}"))

    def _fail(self, error: EngineError) -> None:
        self.error = self.error or error
