"""Checks the search engines for the doctor: which are enabled, which are in a cooldown and why."""

from collections.abc import Mapping

import redis

from crawler.search.engine import EngineError
from store.ephemeral.slots import Cooldown
from workers.services import Services

#: the query that tests whether an engine answers
PROBE = "encyclopedia"
#: the engines that answer a query for nothing
FREE = ("searxng", "wikipedia")


def check_engines(services: Services, *, redis_is_there: bool) -> tuple[str, str, bool]:
    """Return the finding, what to do, and whether something is wrong.

    Those that cost nothing, the operator's own SearXNG and Wikipedia, get a query; engines with a key do not.
    """
    from workers.services.engines import switched_on

    on = switched_on(services.settings)
    if not on:
        return "none is on", "Set WELLREAD_SEARXNG_URL, WELLREAD_WIKIPEDIA=true or an engine's key.", False
    cooldowns = _cooldowns(services) if redis_is_there else {}
    findings = [", ".join(_shown(name, cooldowns) for name in on)]
    failed = {name: error for name in FREE if name in on and (error := _probe(services, name))}
    findings += [f"{name}: {cooldown.reason}" for name, cooldown in cooldowns.items() if name not in failed]
    if failed:
        fixes = dict.fromkeys(_fix(name, error) for name, error in failed.items())
        return "; ".join((*findings, *map(str, failed.values()))), " ".join(fixes), "searxng" in failed
    wrong = [name for name, cooldown in cooldowns.items() if needs_operator(cooldown.kind)]
    fix = f"Correct the settings of {', '.join(wrong)}, or leave it out of WELLREAD_ENGINES." if wrong else ""
    return "; ".join(findings), fix, bool(wrong)


def needs_operator(kind: str) -> bool:
    """Return whether an error of this name is one that only the operator mends."""
    from crawler.search.engine import error_named

    return error_named(kind).needs_operator


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


def _fix(name: str, error: EngineError) -> str:
    from crawler.search.engine import EngineDown

    if isinstance(error, EngineDown):
        return f"Check this machine's network, and that {name} is there; without it only known pages and sites answer."
    if name == "searxng":
        return "Correct SearXNG's settings; those in the compose file's settings.yml work."
    return f"Set WELLREAD_{name.upper()}=false to do without it."


def _probe(services: Services, name: str) -> EngineError | None:
    """Return why an engine does not answer; None where it does."""
    from crawler.search.engine import EngineError, Query

    (engine,) = (account.engine for account in services.engines if account.engine.name == name)
    try:
        services.wait_for(engine.search(Query(text=PROBE), limit=1))
    except EngineError as error:
        return error
    return None
