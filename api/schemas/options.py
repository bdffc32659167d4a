"""Reads a question's options from :class:`domain.options.Asked` for what is made from them: flags, arguments, types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from domain.options import Argument, Flag


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option."""

    name: str
    field: FieldInfo
    schema: Mapping[str, Any]  #: of its value in JSON, with null left out and references filled in

    flag: Flag | None
    argument: Argument | None

    @property
    def description(self) -> str:
        """Return what the API says of it."""
        return self.field.description or ""


def options_of(body: type[BaseModel]) -> list[Option]:
    """Return a body's options, in their order; the question is none."""
    schema = body.model_json_schema()
    options = []
    for name, field in body.model_fields.items():
        plain = without_null(schema["properties"][name], schema.get("$defs", {}))
        marks: dict[type, Any] = {type(mark): mark for mark in field.metadata}
        flag, argument = marks.get(Flag), marks.get(Argument)
        options.append(Option(name=name, field=field, schema=plain, flag=flag, argument=argument))
    return [option for option in options if option.name != "question"]


def without_null(schema: Mapping[str, Any], objects: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of what is not null, with its reference filled in."""
    if "$ref" in schema:
        return without_null(objects[schema["$ref"].rpartition("/")[2]], objects)
    if "anyOf" in schema:
        return without_null(next(choice for choice in schema["anyOf"] if choice.get("type") != "null"), objects)
    return schema
