"""Opens the search engines that are on.

An engine is on when its key or address is set. An engine that costs money where others are free, or that offers no
API to programs, is on only when ``WELLREAD_ENGINES`` names it.
"""

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from crawler.search.engine import ENGINES, engine_class, missing, plain_value

if TYPE_CHECKING:
    from crawler.fetch.client import Fetcher
    from crawler.search.claude import Price
    from crawler.search.engine import Engine
    from workers.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Account:
    """An engine with one key or address; its failures count for this account only."""

    engine: "Engine"
    id: str


def switched_on(settings: "Settings") -> tuple[str, ...]:
    """Return the engines that are on: those named in the settings, or all whose key or address is set."""
    if settings.engines:
        return tuple(dict.fromkeys(settings.engines))
    values = dict(settings)
    return tuple(name for name, entry in ENGINES.items() if not entry.opt_in and not missing(name, values))


def own_addresses(settings: "Settings") -> frozenset[str]:
    """Return the operator's own servers among the engines: the only private addresses engines may be asked at."""
    on = switched_on(settings)
    own = {"searxng": settings.searxng_url, "claude": settings.anthropic_base_url}
    return frozenset(url for name, url in own.items() if name in on and url)


def open_engines(settings: "Settings", client: "Fetcher") -> tuple[Account, ...]:
    """Open the engines that are on, in their order."""
    return tuple(Account(engine=_open(name, settings, client), id=id_) for name, id_ in account_ids(settings).items())


def account_ids(settings: "Settings") -> dict[str, str]:
    """Return the accounts' ids by the engines' names, in their order."""
    return {name: _account_id(name, settings) for name in switched_on(settings)}


def _account_id(name: str, settings: "Settings") -> str:
    """Return the name with eight digits that change with the key or address, but reveal neither."""
    value = plain_value(_value(name, settings))
    return f"{name}:{hashlib.blake2b(value.encode(), digest_size=4, person=b'engine').hexdigest()}"


def _open(name: str, settings: "Settings", client: "Fetcher") -> "Engine":
    """Open an engine with its key or address."""
    value = _value(name, settings)
    options: dict[str, Any] = {}
    if name == "claude":
        options = _claude_options(settings)
    elif isinstance(value, SecretStr):
        options = {"key": value.get_secret_value()}
    elif isinstance(value, str):
        options = {"base_url": value}
    return engine_class(name)(client=client, **options)


def _value(name: str, settings: "Settings") -> object:
    """Return the value of the setting that an engine needs; None where it needs none."""
    needed = ENGINES[name].setting
    return getattr(settings, needed) if needed else None


def _claude_options(settings: "Settings") -> dict[str, Any]:
    model = settings.claude_small_model
    return {
        "key": settings.anthropic_api_key.get_secret_value(),
        "base_url": settings.anthropic_base_url or "https://api.anthropic.com",
        "model": model,
        "price": _price(model),
        "max_usd": settings.max_usd_per_question,
    }


def _price(model: str) -> "Price":
    from pipeline.models.prices import Usage, cost_of

    return lambda read, written: cost_of(model, Usage(input_tokens=read, output_tokens=written))
