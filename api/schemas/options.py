"""Reads a question's options from :class:`domain.options.Asked` for what is made from them: flags, arguments, types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from domain.options import Argument, Flag

Mark = TypeVar("Mark", Flag, Argument)


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option."""

    name: str
    field: FieldInfo
    schema: Mapping[str, Any]  #: of its value in JSON, with null left out and references filled in

    @property
    def description(self) -> str:
        """Return what the API says of it."""
        return self.field.description or ""

    @property
    def flag(self) -> Flag | None:
        """Return the flag that sets it."""
        return self._mark(Flag)

    @property
    def argument(self) -> Argument | None:
        """Return the argument that sets it."""
        return self._mark(Argument)

    def _mark(self, kind: type[Mark]) -> Mark | None:
        return next((mark for mark in self.field.metadata if isinstance(mark, kind)), None)


def options_of(body: type[BaseModel]) -> list[Option]:
    """Return a body's options, in their order; the question is none."""
    schema = body.model_json_schema()
    objects = schema.get("$defs", {})
    return [
        Option(name=name, field=field, schema=_plain(schema["properties"][name], objects))
        for name, field in body.model_fields.items()
        if name != "question"
    ]


def _plain(schema: Mapping[str, Any], objects: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" in schema:
        return _plain(objects[schema["$ref"].rpartition("/")[2]], objects)
    if "anyOf" in schema:
        return _plain(next(choice for choice in schema["anyOf"] if choice.get("type") != "null"), objects)
    return schema
