"""Asks the engines that are not resting, and remembers for every worker which of them failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

import redis
import structlog

from crawler.search.engine import Query
from crawler.search.recency import requested_recency
from crawler.search.search_all import SearchResults, search_all
from domain import Cost
from store.ephemeral.engine_cooldowns import Cooldown

if TYPE_CHECKING:
    from crawler.search.errors import EngineError
    from domain import Link
    from workers.services import Services

log = structlog.get_logger()

#: results asked of each engine and query
LIMIT = 10


@dataclass(frozen=True, kw_only=True)
class Searched:
    """What asking the engines gave; ``resting`` names those that were not asked."""

    found: SearchResults = field(default_factory=SearchResults)
    resting: Mapping[str, Cooldown] = field(default_factory=dict)

    @property
    def links(self) -> tuple[Link, ...]:
        """Best first."""
        return self.found.links

    @property
    def failures(self) -> Mapping[str, str]:
        """Why engines gave nothing or less than they could, by name."""
        rests = {name: f"left alone for {rest.left_s:.0f} s: {rest.reason}" for name, rest in self.resting.items()}
        return {**self.found.failures, **rests}

    @property
    def cost(self) -> Cost:
        """What was paid to a model's API."""
        return sum((asked.cost for asked in self.found.outcomes), Cost())

    def trace(self) -> dict[str, dict[str, Any]]:
        """What the question's trace keeps of each engine."""
        told: dict[str, dict[str, Any]] = {
            asked.engine: {
                "queries": asked.queries,
                "links": asked.links,
                "seconds": round(asked.elapsed_s, 3),
                "error": str(asked.error) if asked.error else None,
            }
            for asked in self.found.outcomes
        }
        rests = {
            name: {"resting_s": round(rest.left_s), "error": rest.reason, "failures": rest.failures}
            for name, rest in self.resting.items()
        }
        return {**told, **rests}


def queries_for(texts: Sequence[str], *, lang: str, question: str, today: date) -> tuple[Query, ...]:
    """Make texts queries; where the question wants something new, all of them, and the first of any age besides."""
    recency = requested_recency(question)
    queries = [Query(text=text, lang=lang, recency=recency, today=today) for text in texts]
    any_age = [Query(text=text, lang=lang, today=today) for text in texts[:1]] if recency else []
    return (*any_age, *queries)


def search_engines(services: Services, queries: Sequence[Query]) -> Searched:
    """Ask every engine that is on and not resting."""
    accounts = {account.engine.name: account for account in services.engines}
    resting = _resting(services, {name: account.id for name, account in accounts.items()})
    engines = [account.engine for name, account in accounts.items() if name not in resting]
    found = services.wait_for(search_all(engines, queries, limit=LIMIT)) if engines else SearchResults()
    for asked in found.outcomes:
        _remember(services, asked.engine, accounts[asked.engine].id, asked.error)
    return Searched(found=found, resting=resting)


def cooling_engines(services: Services) -> dict[str, Cooldown]:
    """Return the engines that are on and left alone, by name; raises redis.RedisError."""
    from workers.services.engines import account_ids

    ids = account_ids(services.settings)
    rests = services.engine_cooldowns.cooling(list(ids.values()), now=services.now().timestamp())
    return {name: rests[id_] for name, id_ in ids.items() if id_ in rests}


def _resting(services: Services, ids: Mapping[str, str]) -> dict[str, Cooldown]:
    try:
        rests = services.engine_cooldowns.cooling(list(ids.values()), now=services.now().timestamp())
    except redis.RedisError as error:  # rests are advice: without them all are asked
        log.warning("engine_rests_not_read", error=str(error))
        return {}
    return {name: rests[id_] for name, id_ in ids.items() if id_ in rests}


def _remember(services: Services, name: str, account: str, error: EngineError | None) -> None:
    """Let an engine rest after a failure, and forget its failures once it answered."""
    try:
        if error is None:
            if services.engine_cooldowns.answered([account]):
                log.info("engine_back", engine=name)
            return
        # the message is for operators, in the trace and from `doctor`: it may repeat a query, so no log holds it
        kind = type(error).__name__
        rest_s = 0.0
        if error.cooldown_s:
            rest_s = services.engine_cooldowns.failed(
                account,
                reason=str(error),
                kind=kind,
                first_s=error.cooldown_s,
                longest_s=error.max_cooldown_s,
                asked_s=error.retry_after_s or 0.0,
                now=services.now().timestamp(),
            )
        log.warning("engine_failed", engine=name, kind=kind, rests_s=round(rest_s))
    except redis.RedisError as failure:
        log.warning("engine_rest_not_kept", engine=name, error=str(failure))
