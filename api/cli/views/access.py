"""Collections and API keys as lines of text."""

from __future__ import annotations

from collections.abc import Sequence

from domain.access.collection import Collection
from domain.access.key import ApiKey


def collection_lines(found: Sequence[Collection]) -> list[str]:
    """Return a line for each collection."""
    width = max((len(each.name) for each in found), default=0)
    return [f"{each.name:<{width}}  {_since(each)}{_without(each)}" for each in found]


def key_lines(found: Sequence[ApiKey]) -> list[str]:
    """Return a line for each key."""
    if not found:
        return ["No keys yet: `wellread keys add NAME` makes one."]
    width = max(len(each.name) for each in found)
    return [f"{each.name:<{width}}  {each.role:<7}  {_opens(each)}{_until(each)}" for each in found]


def _since(collection: Collection) -> str:
    return f"since {collection.created_at:%Y-%m-%d}" if collection.created_at else "always there"


def _without(collection: Collection) -> str:
    return f", without {', '.join(collection.exclude_sites)}" if collection.exclude_sites else ""


def _opens(key: ApiKey) -> str:
    return "all collections" if key.collections is None else ", ".join(key.collections) or "no collection any more"


def _until(key: ApiKey) -> str:
    return f", until {key.expires_at:%Y-%m-%d %H:%M} UTC" if key.expires_at else ""
