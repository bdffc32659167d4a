"""Says what is wrong with a field of a request, without its value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def wrong_field(field: str, entry: Mapping[str, Any]) -> str:
    """Return an error of pydantic's as "field: what is wrong"."""
    return f"{field}: {'there is no such field' if entry['type'] == 'extra_forbidden' else entry['msg']}"
