"""List the search engines by name, with the setting that each needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

#: links of equal score come in this order
NAMES: Final = (
    *("searxng", "brave", "kagi", "tavily", "exa", "serper", "mojeek", "marginalia", "wikipedia"),
    *("ddgs", "claude"),
)
OPT_IN: Final = frozenset({"ddgs", "claude"})
#: the setting that each engine needs; "" for none
NEEDS: Final[Mapping[str, str]] = {
    "searxng": "searxng_url",
    "wikipedia": "wikipedia",
    "ddgs": "",
    "claude": "anthropic_api_key",
    **{name: f"{name}_key" for name in ("brave", "kagi", "tavily", "exa", "serper", "mojeek", "marginalia")},
}


def missing(name: str, values: Mapping[str, Any]) -> str:
    """Return the environment variable that an engine lacks, "" when it has what it needs."""
    needed = NEEDS[name]
    return "" if not needed or plain_value(values.get(needed)) else f"WELLREAD_{needed.upper()}"


def plain_value(value: Any) -> str:
    """Return a setting's text, also of a secret; "" where it is not set."""
    if hasattr(value, "get_secret_value"):
        return str(value.get_secret_value())
    return str(value) if value else ""
