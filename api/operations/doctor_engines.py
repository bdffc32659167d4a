"""Checks the search engines for the doctor: which are enabled, which are in a cooldown and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import redis

if TYPE_CHECKING:
    from crawler.search.errors import EngineError
    from store.ephemeral.engine_cooldowns import Cooldown
    from workers.services import Services

#: the query that tests whether an engine answers
PROBE = "encyclopedia"


def check_engines(services: Services, *, redis_is_there: bool) -> tuple[str, str, bool]:
    """Return the finding, what to do, and whether something is wrong.

    The operator's own SearXNG gets a query, which costs nothing; engines with a key do not.
    """
    from workers.services.engines import switched_on

    on = switched_on(services.settings)
    if not on:
        return "none is on", "Set WELLREAD_SEARXNG_URL, WELLREAD_WIKIPEDIA=true or an engine's key.", False
    cooldowns = _cooldowns(services) if redis_is_there else {}
    findings = [", ".join(_shown(name, cooldowns) for name in on)]
    findings += [f"{name}: {cooldown.reason}" for name, cooldown in cooldowns.items()]
    failed = _probe(services) if "searxng" in on else None
    if failed is not None:
        return (
            "; ".join((*findings, str(failed))),
            "Correct SearXNG's settings; those in the compose file's settings.yml work.",
            True,
        )
    wrong = [name for name, cooldown in cooldowns.items() if needs_operator(cooldown.kind)]
    fix = f"Correct the settings of {', '.join(wrong)}, or leave it out of WELLREAD_ENGINES." if wrong else ""
    return "; ".join(findings), fix, bool(wrong)


def needs_operator(kind: str) -> bool:
    """Return whether an error of this name is one that only the operator mends."""
    from crawler.search import errors

    return bool(getattr(getattr(errors, kind, None), "needs_operator", False))


def _shown(name: str, cooldowns: Mapping[str, Cooldown]) -> str:
    cooldown = cooldowns.get(name)
    return f"{name} (paused for {_span(cooldown.left_s)})" if cooldown else name


def _span(seconds: float) -> str:
    return (
        f"{seconds:.0f} s"
        if seconds < 120
        else f"{seconds / 60:.0f} min"
        if seconds < 7200
        else f"{seconds / 3600:.0f} h"
    )


def _cooldowns(services: Services) -> dict[str, Cooldown]:
    from workers.crawl.search import cooling_engines

    try:
        return cooling_engines(services)
    except redis.RedisError:  # the check of Redis reports it
        return {}


def _probe(services: Services) -> EngineError | None:
    """Return why the operator's SearXNG does not answer; None where it does."""
    from crawler.search.engine import Query
    from crawler.search.engines.searxng import SearXNG
    from crawler.search.errors import EngineError

    engine = SearXNG(client=services.engine_client, base_url=services.settings.searxng_url)
    try:
        services.wait_for(engine.search(Query(text=PROBE), limit=1))
    except EngineError as error:
        return error
    return None
