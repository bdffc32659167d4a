"""Ask several engines at once and fuse their links; an engine that fails or is slow never fails the rest."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import structlog

from crawler.search.engine import Engine, EngineDown, EngineError, EngineReply, Query
from domain import Cost, Link

log = structlog.get_logger()

MAX_CONCURRENT: Final = 8  #: requests at the same time, over all engines
DEADLINE_S: Final = 15.0  #: for all queries of one engine
RRF_K: Final = 60  #: Σ 1/(k + rank)


@dataclass(frozen=True, kw_only=True)
class EngineOutcome:
    """The result of one engine in one search."""

    engine: str
    queries: int = 0  #: answered
    links: int = 0
    elapsed_s: float = 0.0
    cost: Cost = field(default_factory=Cost)
    error: EngineError | None = None  #: the first


@dataclass(frozen=True, kw_only=True)
class SearchResults:
    """The links of all engines, and the outcome of each."""

    links: tuple[Link, ...] = ()  #: best first, one for each URL
    outcomes: tuple[EngineOutcome, ...] = ()

    @property
    def failures(self) -> Mapping[str, str]:
        """The engines' errors by name; a failed engine's links are in ``links`` all the same."""
        return {outcome.engine: str(outcome.error) for outcome in self.outcomes if outcome.error is not None}


async def search_all(
    engines: Sequence[Engine], queries: Sequence[Query], *, limit: int, deadline_s: float = DEADLINE_S
) -> SearchResults:
    """Ask every engine as many of the queries as it takes; fuse by rank (RRF) what it found by the deadline.

    ``limit`` bounds each engine's links for one query. After a failure that is not due to the query, an engine is
    not asked again.
    """
    requests = asyncio.Semaphore(MAX_CONCURRENT)
    searches = [
        _EngineSearch(engine=engine, limit=limit, deadline_s=deadline_s, requests=requests) for engine in engines
    ]
    outcomes = await asyncio.gather(*(search.run(tuple(dict.fromkeys(queries))) for search in searches))
    rankings = [ranking for search in searches for ranking in search.rankings()]
    return SearchResults(links=tuple(fuse(rankings)), outcomes=tuple(outcomes))


def fuse(rankings: Sequence[Sequence[Link]]) -> list[Link]:
    """Merge rankings by reciprocal rank (scores of different engines do not compare), equals in their order of arrival.

    A link that several rankings have keeps its text from the first.
    """
    scores: defaultdict[str, float] = defaultdict(float)
    links: dict[str, Link] = {}
    for ranking in rankings:
        once = {link.url: link for link in reversed(ranking)}
        for rank, url in enumerate(dict.fromkeys(link.url for link in ranking), start=1):
            scores[url] += 1 / (RRF_K + rank)
            links.setdefault(url, once[url])
    return [links[url] for url in sorted(scores, key=lambda url: -scores[url])]


def select_queries(queries: Sequence[Query], most: int) -> tuple[Query, ...]:
    """Return at most ``most`` queries: the first ones, and the last, which asks for what is missing."""
    if len(queries) <= most or most == 1:
        return tuple(queries[:most])
    return (*queries[: most - 1], queries[-1])


@dataclass(kw_only=True)
class _EngineSearch:
    engine: Engine
    limit: int
    deadline_s: float
    requests: asyncio.Semaphore
    replies: dict[int, EngineReply] = field(default_factory=dict)
    error: EngineError | None = None

    async def run(self, queries: Sequence[Query]) -> EngineOutcome:
        started = time.monotonic()
        until = asyncio.get_running_loop().time() + self.deadline_s
        own_requests = asyncio.Semaphore(self.engine.rate_limit.max_concurrent)
        selected = select_queries(queries, self.engine.rate_limit.max_queries)
        await asyncio.gather(
            *(self._ask(at, query, own_requests, until, len(selected)) for at, query in enumerate(selected))
        )
        return EngineOutcome(
            engine=self.engine.name,
            queries=len(self.replies),
            links=sum(len(reply.links) for reply in self.replies.values()),
            elapsed_s=time.monotonic() - started,
            cost=sum((reply.cost for reply in self.replies.values()), Cost()),
            error=self.error,
        )

    def rankings(self) -> list[list[Link]]:
        """Return the links found: a ranking for each query, in the order of the queries."""
        ordered = (reply.links[: self.limit] for _, reply in sorted(self.replies.items()))
        return [[replace(link, origin=f"engine:{self.engine.name}") for link in links] for links in ordered]

    async def _ask(self, at: int, query: Query, own_requests: asyncio.Semaphore, until: float, queries: int) -> None:
        try:
            async with asyncio.timeout_at(until), own_requests:
                if self.error is not None and self.error.cooldown_s:
                    return
                async with self.requests:
                    self.replies[at] = await self.engine.search(query, limit=self.limit)
                if at + 1 < queries:
                    await asyncio.sleep(self.engine.rate_limit.delay_s)
        except TimeoutError:
            if at not in self.replies:
                why = f"{self.engine.name} did not answer within {self.deadline_s:g} s"
                self.error = self.error or EngineDown(why)
        except EngineError as error:
            self.error = self.error or error
        except Exception as error:  # an error in one engine's code must not lose the others' links
            log.exception("engine_failed", engine=self.engine.name)
            self.error = self.error or EngineError(f"{self.engine.name} failed: {type(error).__name__}")
