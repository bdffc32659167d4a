"""Marks on the values that the API publishes, and on their fields; pydantic reads them, nothing of it is imported here.

The docstrings and descriptions of such values are part of the OpenAPI document.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

Value = TypeVar("Value")

#: a field that the API does not give
UNPUBLISHED: Final[Mapping[str, Any]] = {"exclude": True}


@dataclass(frozen=True, kw_only=True)
class Received:
    """A value that the client gives as a whole."""

    #: with the client: as the server sent it, unknown fields included
    json: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False, metadata=UNPUBLISHED)


def described(text: str) -> Mapping[str, str]:
    """Return the metadata of a field with this description."""
    return {"description": text}


def always_sent(*names: str) -> Callable[[type[Value]], type[Value]]:
    """Mark a class of values whose fields of these names (or all) have a default and are always sent."""

    def require(schema: dict[str, Any]) -> None:
        fields = schema["properties"]
        for name in names or fields:
            fields[name].pop("default", None)
        required = {*schema.get("required", ()), *(names or fields)}
        schema["required"] = [name for name in fields if name in required]

    def marked(kind: type[Value]) -> type[Value]:
        kind.__pydantic_config__ = {"json_schema_extra": require}  # type: ignore[attr-defined]
        return kind

    return marked
