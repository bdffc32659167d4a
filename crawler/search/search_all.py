"""Ask several engines at once and fuse their links; an engine that fails or is slow never fails the rest."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
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
    ask = partial(_search, queries=tuple(dict.fromkeys(queries)), limit=limit, deadline_s=deadline_s, requests=requests)
    found = await asyncio.gather(*map(ask, engines))
    rankings = [ranking for _, own in found for ranking in own]
    return SearchResults(links=tuple(fuse(rankings)), outcomes=tuple(outcome for outcome, _ in found))


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


async def _search(
    engine: Engine, queries: Sequence[Query], *, limit: int, deadline_s: float, requests: asyncio.Semaphore
) -> tuple[EngineOutcome, list[list[Link]]]:
    """Return an engine's outcome and its links: a ranking for each query, in the order of the queries."""
    started = time.monotonic()
    until = asyncio.get_running_loop().time() + deadline_s
    own_requests = asyncio.Semaphore(engine.rate_limit.max_concurrent)
    selected = select_queries(queries, engine.rate_limit.max_queries)
    replies: dict[int, EngineReply] = {}
    first_error: EngineError | None = None

    async def ask(at: int, query: Query) -> None:
        nonlocal first_error
        try:
            async with asyncio.timeout_at(until), own_requests:
                if first_error is not None and first_error.cooldown_s:
                    return
                async with requests:
                    replies[at] = await engine.search(query, limit=limit)
                if at + 1 < len(selected):
                    await asyncio.sleep(engine.rate_limit.delay_s)
        except TimeoutError:
            if at not in replies:
                first_error = first_error or EngineDown(f"{engine.name} did not answer within {deadline_s:g} s")
        except EngineError as error:
            first_error = first_error or error
        except Exception as error:  # an error in one engine's code must not lose the others' links
            log.exception("engine_failed", engine=engine.name)
            first_error = first_error or EngineError(f"{engine.name} failed: {type(error).__name__}")

    await asyncio.gather(*(ask(at, query) for at, query in enumerate(selected)))
    outcome = EngineOutcome(
        engine=engine.name,
        queries=len(replies),
        links=sum(len(reply.links) for reply in replies.values()),
        elapsed_s=time.monotonic() - started,
        cost=sum((reply.cost for reply in replies.values()), Cost()),
        error=first_error,
    )
    ordered = (reply.links[:limit] for _, reply in sorted(replies.items()))
    return outcome, [[replace(link, origin=f"engine:{engine.name}") for link in links] for links in ordered]
