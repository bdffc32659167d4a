"""Turn values into JSON values."""

from __future__ import annotations

from datetime import datetime
from typing import Any


def jsonable(value: Any) -> Any:
    """Return the value with its times, also those inside dicts and lists, as ISO 8601 text."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {key: jsonable(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(entry) for entry in value]
    return value
