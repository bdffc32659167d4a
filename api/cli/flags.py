"""Makes the flags of ``wellread ask`` from the options of a question, and those of sources from their settings."""

import json
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import click
from pydantic import BaseModel

from domain.options import Asked, Option, options_of

if TYPE_CHECKING:
    from wellread import Terms


class _JsonObject(click.File):
    """A file that holds a JSON object."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the object."""
        try:
            with super().convert(value, param, ctx) as file:
                read = json.load(file)
        except ValueError as error:
            self.fail(f"the file is not JSON ({error}).", param, ctx)
        if not isinstance(read, dict):
            self.fail("the file holds no JSON object.", param, ctx)
        return read


class _QueueAndTask(click.ParamType[Any]):
    """A queue and a task of it."""

    name = "queue/task"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return them by their names."""
        queue, _, task = str(value).partition("/")
        if not (queue and task):
            self.fail(f"{value!r} is not QUEUE/TASK, such as orders.answers/orders.answered.", param, ctx)
        return {"queue": queue, "task": task}


@cache
def flags(body: type[BaseModel] = Asked) -> tuple[click.Option, ...]:
    """Return a flag for each option that has one; its parameter has the option's name."""
    return tuple(_flag(option) for option in options_of(body) if option.flag)


def flag_of(name: str) -> str:
    """Return the flag that sets an option; "" if there is none."""
    return next((flag.opts[0] for flag in flags() if flag.name == name), "")


def given(parameters: Mapping[str, Any]) -> "Terms":
    """Return the options that were set, as the client takes them."""
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in parameters.items()}
    return cast("Terms", {name: value for name, value in plain.items() if value not in (None, "", [])})


def _flag(option: Option) -> click.Option:
    assert option.flag is not None
    flag, schema = option.flag, option.schema
    described: dict[str, Any] = {"help": flag.help or option.description, "metavar": flag.metavar}
    if "/" in flag.flag:
        described["default"] = None
    elif schema["type"] == "boolean":
        described |= {"is_flag": True, "flag_value": not flag.flag.startswith("--no-"), "default": None}
    elif schema["type"] == "array":
        described |= {"multiple": True, "type": _type(schema["items"])}
        described["help"] = f"{described['help'].rstrip('.')}; may be repeated."
    else:
        described["type"] = _type(schema)
    return click.Option([flag.flag, option.name], **described)


def _type(schema: Mapping[str, Any]) -> click.ParamType[Any]:
    if "enum" in schema:
        return click.Choice(schema["enum"])
    if schema["type"] == "integer":
        return click.IntRange(schema.get("minimum"), schema.get("maximum"))
    if schema["type"] == "number":
        return click.FloatRange(schema.get("minimum"), schema.get("maximum"))
    if {"queue", "task"} <= schema.get("properties", {}).keys():
        return _QueueAndTask()
    return _JsonObject("rb") if schema["type"] == "object" else click.STRING
