"""Marks on the values that the API publishes, and on their fields; pydantic reads them, nothing of it is imported here.

The docstrings and descriptions of such values are part of the OpenAPI document.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, dataclass_transform

Value = TypeVar("Value")

#: a field that the API does not give
UNPUBLISHED: Final[Mapping[str, Any]] = {"exclude": True}


@dataclass(frozen=True, kw_only=True)
class Received:
    """A value that the client gives as a whole."""

    #: with the client: as the server sent it, unknown fields included
    json: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False, metadata=UNPUBLISHED)


def described(text: str, **others: Any) -> Any:
    """Return a field with this description; ``others`` are what :func:`dataclasses.field` takes."""
    return field(metadata={"description": text}, **others)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field, described))
def published(kind: type[Value]) -> type[Value]:
    """Make a class one of plain values, as ``dataclass`` does, some of whose fields are described."""
    return dataclass(frozen=True, kw_only=True)(kind)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field, described))
def always_sent(*names: str) -> Callable[[type[Value]], type[Value]]:
    """Do as :func:`published` to a class of values whose fields of these names (or all) are always sent."""

    def require(schema: dict[str, Any]) -> None:
        fields = schema["properties"]
        for name in names or fields:
            fields[name].pop("default", None)
        required = {*schema.get("required", ()), *(names or fields)}
        schema["required"] = [name for name in fields if name in required]

    def marked(kind: type[Value]) -> type[Value]:
        kind.__pydantic_config__ = {"json_schema_extra": require}  # type: ignore[attr-defined]
        return published(kind)

    return marked
