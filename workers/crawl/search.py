"""Asks the search engines that are not cooling down, and shares with every worker which of them failed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import redis
import structlog

from crawler.search.engine import EngineError, Query, Recency, meaning_of, requested_recency
from crawler.search.search_all import SearchResults, search_all
from domain import Cost, Link
from store.ephemeral.slots import Cooldown
from workers.services import Services

log = structlog.get_logger()

#: results per engine and query
LIMIT = 10


@dataclass(frozen=True, kw_only=True)
class Searched:
    """The links that engines found; ``cooling`` names the engines that were not asked."""

    found: SearchResults = field(default_factory=SearchResults)
    cooling: Mapping[str, Cooldown] = field(default_factory=dict)

    @property
    def links(self) -> tuple[Link, ...]:
        """The links, best first."""
        return self.found.links

    @property
    def failures(self) -> Mapping[str, str]:
        """Why engines gave nothing or less than they could, by name; what another question asked is not repeated."""
        cooling = {
            name: f"not asked for {cooldown.left_s:.0f} s, since it failed before ({meaning_of(cooldown.kind)})"
            for name, cooldown in self.cooling.items()
        }
        return {**self.found.failures, **cooling}

    @property
    def cost(self) -> Cost:
        """The money paid to a model's API."""
        return sum((asked.cost for asked in self.found.outcomes), Cost())

    def details(self) -> dict[str, dict[str, Any]]:
        """Return what the question's trace stores of each engine."""
        asked = {
            reply.engine: {
                "queries": reply.queries,
                "links": reply.links,
                "seconds": round(reply.elapsed_s, 3),
                "error": str(reply.error) if reply.error else None,
            }
            for reply in self.found.outcomes
        }
        cooling = {
            name: {
                "resting_s": round(cooldown.left_s),
                "error": self.failures[name],
                "kind": cooldown.kind,
                "failures": cooldown.failures,
            }
            for name, cooldown in self.cooling.items()
        }
        return {**asked, **cooling}


def queries_for(
    texts: Sequence[str], *, lang: str, question: str, today: date, recency: Recency | None = None
) -> tuple[Query, ...]:
    """Return a query for each text; if the question's words want recent pages, also the first text of any age.

    With ``recency``, only pages of that age are asked for.
    """
    if recency is not None:
        return tuple(Query(text=text, lang=lang, recency=recency, today=today) for text in texts)
    recency = requested_recency(question)
    queries = [Query(text=text, lang=lang, recency=recency, today=today) for text in texts]
    any_age = [Query(text=text, lang=lang, today=today) for text in texts[:1]] if recency else []
    return (*any_age, *queries)


def search_engines(services: Services, queries: Sequence[Query]) -> Searched:
    """Ask every engine that is on and not cooling down."""
    accounts = {account.engine.name: account for account in services.engines}
    try:
        cooling = _cooling(services, {name: account.id for name, account in accounts.items()})
    except redis.RedisError as error:  # cooldowns are advice: without them all engines are asked
        log.warning("engine_cooldowns_not_read", error=str(error))
        cooling = {}
    engines = [account.engine for name, account in accounts.items() if name not in cooling]
    found = services.wait_for(search_all(engines, queries, limit=LIMIT)) if engines else SearchResults()
    for asked in found.outcomes:
        _remember(services, asked.engine, accounts[asked.engine].id, asked.error)
    return Searched(found=found, cooling=cooling)


def cooling_engines(services: Services) -> dict[str, Cooldown]:
    """Return the engines that are on and cooling down, by name; raises redis.RedisError."""
    from workers.services.engines import account_ids

    return _cooling(services, account_ids(services.settings))


def _cooling(services: Services, ids: Mapping[str, str]) -> dict[str, Cooldown]:
    cooldowns = services.engine_cooldowns.cooling(list(ids.values()), now=services.now().timestamp())
    return {name: cooldowns[id_] for name, id_ in ids.items() if id_ in cooldowns}


def _remember(services: Services, name: str, account: str, error: EngineError | None) -> None:
    """Start an engine's cooldown after a failure, and end it when the engine answers."""
    try:
        if error is None:
            if services.engine_cooldowns.answered([account]):
                log.info("engine_back", engine=name)
            return
        # the message is for operators, in the trace and from `doctor`: it may repeat a query, so no log holds it
        kind = type(error).__name__
        cooldown_s = 0.0
        if error.cooldown_s:
            cooldown_s = services.engine_cooldowns.failed(
                account,
                reason=str(error),
                kind=kind,
                first_s=error.cooldown_s,
                longest_s=error.max_cooldown_s,
                asked_s=error.retry_after_s or 0.0,
                now=services.now().timestamp(),
            )
        log.warning("engine_failed", engine=name, kind=kind, cooldown_s=round(cooldown_s))
    except redis.RedisError as failure:
        log.warning("engine_cooldown_not_saved", engine=name, error=str(failure))
