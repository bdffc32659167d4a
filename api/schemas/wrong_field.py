"""Says what is wrong with a field of a request, without its value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

#: by pydantic's type of an error, where its own words are of Python
_SAID: Final = {
    "extra_forbidden": "unknown field",
    "missing": "it is missing",
    "string_too_short": "it is empty",
    "too_short": "it is empty",
    "model_attributes_type": "it is not a JSON object",
    "dict_type": "it is not a JSON object",
}


def wrong_field(field: str, entry: Mapping[str, Any]) -> str:
    """Return an error of pydantic's as "field: what is wrong"."""
    if int(entry.get("ctx", {}).get("min_length", 1)) > 1:  # it says how many
        return f"{field}: {entry['msg']}"
    return f"{field}: {_SAID.get(entry['type'], entry['msg'])}"
