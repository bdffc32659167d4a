"""Which search engines are on, what each needs, and how it is opened.

An engine is on when it has what it needs. Those that cost money for what others give for nothing, or that have no
contract for programs, are on only when ``WELLREAD_ENGINES`` names them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final

from crawler.search.catalog import NAMES, NEEDS, OPT_IN, missing, plain_value

if TYPE_CHECKING:
    from crawler.fetch.client import Fetcher
    from crawler.search.engine import Engine
    from crawler.search.engines.claude import Price
    from workers.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Account:
    """An engine as one operator uses it: failures are remembered for it, not for another key or address."""

    engine: Engine
    id: str


def switched_on(settings: Settings) -> tuple[str, ...]:
    """Return the engines that are on: those that are named, or all that have what they need."""
    if settings.engines:
        return tuple(dict.fromkeys(settings.engines))
    values = {needed: getattr(settings, needed) for needed in NEEDS.values() if needed}
    return tuple(name for name in NAMES if name not in OPT_IN and not missing(name, values))


def own_addresses(settings: Settings) -> frozenset[str]:
    """Return the operator's own servers among the engines: these the guard lets engines ask, and nothing else."""
    on = switched_on(settings)
    own = {"searxng": settings.searxng_url, "claude": settings.anthropic_base_url}
    return frozenset(url for name, url in own.items() if name in on and url)


def open_engines(settings: Settings, client: Fetcher) -> tuple[Account, ...]:
    """Open the engines that are on, in their order."""
    return tuple(Account(engine=_OPEN[name](settings, client), id=id_) for name, id_ in account_ids(settings).items())


def account_ids(settings: Settings) -> dict[str, str]:
    """Return the accounts' ids by the engines' names, in their order."""
    return {name: _account_id(name, settings) for name in switched_on(settings)}


def _account_id(name: str, settings: Settings) -> str:
    """The name with eight digits that change with the key or the address, and tell neither."""
    needed = NEEDS[name]
    value = plain_value(getattr(settings, needed)) if needed else ""
    return f"{name}:{hashlib.blake2b(value.encode(), digest_size=4, person=b'engine').hexdigest()}"


def _keyed(settings: Settings, client: Fetcher, name: str) -> Engine:
    module, _, engine = _KEYED[name].partition(":")
    opened: Engine = getattr(import_module(f"crawler.search.engines.{module}"), engine)(
        client=client, key=getattr(settings, NEEDS[name]).get_secret_value()
    )
    return opened


def _searxng(settings: Settings, client: Fetcher) -> Engine:
    from crawler.search.engines.searxng import SearXNG

    return SearXNG(client=client, base_url=settings.searxng_url)


def _wikipedia(_: Settings, client: Fetcher) -> Engine:
    from crawler.search.engines.wikipedia import Wikipedia

    return Wikipedia(client=client)


def _ddgs(_: Settings, client: Fetcher) -> Engine:
    from crawler.search.engines.ddgs import Ddgs

    return Ddgs(client=client)


def _claude(settings: Settings, client: Fetcher) -> Engine:
    from crawler.search.engines.claude import ClaudeSearch
    from pipeline.claude.model import SMALL_MODEL

    model = settings.small_model or SMALL_MODEL
    return ClaudeSearch(
        client=client,
        key=settings.anthropic_api_key.get_secret_value(),
        base_url=settings.anthropic_base_url or "https://api.anthropic.com",
        model=model,
        price=_price(model),
        max_usd=settings.max_usd_per_question,
    )


def _price(model: str) -> Price:
    from pipeline.claude.prices import Usage, cost_of

    return lambda read, written: cost_of(model, Usage(input_tokens=read, output_tokens=written))


#: those that need a key and nothing else: their module and class, imported when they are on
_KEYED: Final[Mapping[str, str]] = {
    "brave": "brave:Brave",
    "tavily": "tavily:Tavily",
    "serper": "serper:Serper",
    "kagi": "kagi:Kagi",
    "exa": "exa:Exa",
    "mojeek": "mojeek:Mojeek",
    "marginalia": "marginalia:Marginalia",
}
_OPEN: Final[Mapping[str, Callable[[Settings, Fetcher], Engine]]] = {
    "searxng": _searxng,
    "wikipedia": _wikipedia,
    "ddgs": _ddgs,
    "claude": _claude,
    **{name: partial(_keyed, name=name) for name in _KEYED},
}
