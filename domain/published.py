"""Marks on the fields of values that the API publishes; pydantic reads them, and nothing of it is imported here.

The docstrings and descriptions of such values are part of the OpenAPI document.
"""

from collections.abc import Mapping
from typing import Any, Final

#: a field that the API does not give
UNPUBLISHED: Final[Mapping[str, Any]] = {"exclude": True}


def described(text: str) -> Mapping[str, str]:
    """Return the metadata of a field with this description."""
    return {"description": text}


def always_sent(*names: str) -> dict[str, Any]:
    """Return the configuration of a value whose fields of these names (or all) have a default and are always sent."""

    def require(schema: dict[str, Any]) -> None:
        fields = schema["properties"]
        for name in names or fields:
            fields[name].pop("default", None)
        required = {*schema.get("required", ()), *(names or fields)}
        schema["required"] = [name for name in fields if name in required]

    return {"json_schema_extra": require}
