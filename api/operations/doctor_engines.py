"""The doctor's look at the search engines: which are on, which are left alone and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import redis

if TYPE_CHECKING:
    from crawler.search.errors import EngineError
    from store.ephemeral.engine_cooldowns import Cooldown
    from workers.services import Services

#: what is asked to see whether an engine answers
PROBE = "encyclopedia"


def check_engines(services: Services, *, redis_is_there: bool) -> tuple[str, str, bool]:
    """Return what is to be said, what to do, and whether something is wrong.

    The operator's own SearXNG is asked a query, which costs nothing; the engines with a key are not.
    """
    from workers.services.engines import switched_on

    on = switched_on(services.settings)
    if not on:
        return "none is on", "Set WELLREAD_SEARXNG_URL, WELLREAD_WIKIPEDIA=true or an engine's key.", False
    rests = _rests(services) if redis_is_there else {}
    said = [", ".join(_shown(name, rests) for name in on)]
    said += [f"{name}: {rest.reason}" for name, rest in rests.items()]
    failed = _probe(services) if "searxng" in on else None
    if failed is not None:
        return "; ".join((*said, str(failed))), "Mend SearXNG as said; the compose file's settings.yml works.", True
    wrong = [name for name, rest in rests.items() if needs_operator(rest.kind)]
    fix = f"Mend {', '.join(wrong)} as said, or leave it out of WELLREAD_ENGINES." if wrong else ""
    return "; ".join(said), fix, bool(wrong)


def needs_operator(kind: str) -> bool:
    """Return whether an error of this name is one that only the operator mends."""
    from crawler.search import errors

    return bool(getattr(getattr(errors, kind, None), "needs_operator", False))


def _shown(name: str, rests: Mapping[str, Cooldown]) -> str:
    rest = rests.get(name)
    return f"{name} (left alone for {_span(rest.left_s)})" if rest else name


def _span(seconds: float) -> str:
    return (
        f"{seconds:.0f} s"
        if seconds < 120
        else f"{seconds / 60:.0f} min"
        if seconds < 7200
        else f"{seconds / 3600:.0f} h"
    )


def _rests(services: Services) -> dict[str, Cooldown]:
    from workers.crawl.search import cooling_engines

    try:
        return cooling_engines(services)
    except redis.RedisError:  # another look tells of it
        return {}


def _probe(services: Services) -> EngineError | None:
    """Why the operator's SearXNG does not answer, None where it does."""
    from crawler.search.engine import Query
    from crawler.search.engines.searxng import SearXNG
    from crawler.search.errors import EngineError

    engine = SearXNG(client=services.engine_client, base_url=services.settings.searxng_url)
    try:
        services.wait_for(engine.search(Query(text=PROBE), limit=1))
    except EngineError as error:
        return error
    return None
