"""List the search engines: the class of each, the setting that it needs, and whether it must be named to be on."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from crawler.search.engine import Engine


class EngineEntry(NamedTuple):
    """An engine in the catalogue."""

    class_name: str  #: in the module of ``crawler.search.engines`` with the engine's name
    setting: str = ""  #: its key or address; the engine is off while it is empty
    opt_in: bool = False  #: on only where WELLREAD_ENGINES names it


#: by name; links of equal score come in this order
ENGINES: Final[Mapping[str, EngineEntry]] = {
    "searxng": EngineEntry("SearXNG", "searxng_url"),
    "brave": EngineEntry("Brave", "brave_key"),
    "kagi": EngineEntry("Kagi", "kagi_key"),
    "tavily": EngineEntry("Tavily", "tavily_key"),
    "exa": EngineEntry("Exa", "exa_key"),
    "serper": EngineEntry("Serper", "serper_key"),
    "mojeek": EngineEntry("Mojeek", "mojeek_key"),
    "marginalia": EngineEntry("Marginalia", "marginalia_key"),
    "wikipedia": EngineEntry("Wikipedia", "wikipedia"),
    "ddgs": EngineEntry("Ddgs", opt_in=True),
    "claude": EngineEntry("ClaudeSearch", "anthropic_api_key", opt_in=True),
}


def engine_class(name: str) -> "Callable[..., Engine]":
    """Import an engine's class."""
    found: Callable[..., Engine] = getattr(import_module(f"crawler.search.engines.{name}"), ENGINES[name].class_name)
    return found


def variable(name: str) -> str:
    """Return the environment variable that an engine needs."""
    return f"WELLREAD_{ENGINES[name].setting.upper()}"


def missing(name: str, values: Mapping[str, Any]) -> str:
    """Return the environment variable that an engine lacks, "" when it has what it needs."""
    needed = ENGINES[name].setting
    return "" if not needed or plain_value(values.get(needed)) else variable(name)


def plain_value(value: Any) -> str:
    """Return a setting's text, also of a secret; "" where it is not set."""
    if hasattr(value, "get_secret_value"):
        return str(value.get_secret_value())
    return str(value) if value else ""
