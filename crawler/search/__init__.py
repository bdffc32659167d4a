"""Search engines: several asked at once, their links fused; one that fails or is slow never fails the rest."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

import structlog

from crawler.fetch import FetchError
from store.errors import WellreadError
from store.types import Link

log = structlog.get_logger()

RRF_K: Final = 60  #: reciprocal rank fusion: Σ 1/(k + rank)


class EngineError(WellreadError):
    """A search engine refused or answered what cannot be understood; the message says which and what to do."""


class Engine(Protocol):
    """Finds pages for a query."""

    @property
    def name(self) -> str:
        """The engine's name, in lower case: where its links come from is written ``engine:NAME``."""
        ...

    async def search(self, query: str, *, limit: int) -> list[Link]:
        """Return at most ``limit`` links, best first.

        Raises:
            EngineError: it refused, or its answer is not understood.
            FetchError: it could not be reached.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Found:
    """What the engines found, and which of them could not be asked."""

    links: tuple[Link, ...] = ()  #: best first, one for each URL
    failures: Mapping[str, str] = field(default_factory=dict)  #: why, by the engine's name


async def search_all(
    engines: Sequence[Engine], queries: Sequence[str], *, limit: int, deadline_s: float = 15.0
) -> Found:
    """Ask every engine every query at once and fuse what comes by the deadline, by rank (RRF).

    ``limit`` bounds each engine's links for one query. An engine that failed on one query and answered another
    has its links kept and its failure told.
    """
    asked = [(engine.name, query) for engine in engines for query in dict.fromkeys(queries)]
    answers = await asyncio.gather(
        *(_ask(engine, query, limit, deadline_s) for engine in engines for query in dict.fromkeys(queries))
    )
    failures: dict[str, str] = {}
    rankings: list[list[Link]] = []
    for (name, _), answer in zip(asked, answers, strict=True):
        if isinstance(answer, str):
            failures.setdefault(name, answer)
        else:
            rankings.append(answer)
    return Found(links=tuple(fuse(rankings)), failures=failures)


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


async def _ask(engine: Engine, query: str, limit: int, deadline_s: float) -> list[Link] | str:
    """The engine's links, or why there are none."""
    try:
        async with asyncio.timeout(deadline_s):
            found = await engine.search(query, limit=limit)
    except TimeoutError:
        return f"{engine.name} did not answer within {deadline_s:g} s"
    except (EngineError, FetchError) as error:
        return str(error)
    except Exception as error:  # a fault in one engine's code must not take the others' links away
        log.exception("engine_failed", engine=engine.name)
        return f"{engine.name} failed: {type(error).__name__}: {error}"
    return [replace(link, origin=f"engine:{engine.name}") for link in found[:limit]]
