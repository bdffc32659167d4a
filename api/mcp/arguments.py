"""The arguments that several tools take, and those of the tool ``ask``, made from the options of a question."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from pydantic import BaseModel, Field, ValidationError

from api.schemas.options import Option, options_of
from api.schemas.wrong_field import wrong_field
from domain.options import Asked

Function = TypeVar("Function", bound=Callable[..., Any])

Collection = Annotated[str, Field(max_length=100, description="The collection; empty: the default one.")]
Url = Annotated[str, Field(min_length=1, max_length=2048)]
Sites = Annotated[list[Url] | None, Field(max_length=20, description="URLs: only pages below these.")]
Excluded = Annotated[list[Url] | None, Field(max_length=100, description="URLs: no pages below these.")]
Langs = Annotated[list[str] | None, Field(max_length=20, description="ISO 639-1: only pages in these languages.")]
#: the API takes more forms, and says what it does not take
Date = Annotated[str, Field(max_length=40)]

_ARGUMENTS = {option.argument.name or option.name: option for option in options_of(Asked) if option.argument}


def with_options(function: Function) -> Function:
    """Give a tool an argument for each option of a question that assistants may set, in place of its ``**options``."""
    signature = inspect.signature(function, eval_str=True)
    own = [each for each in signature.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
    options = [_parameter(name, option) for name, option in _ARGUMENTS.items()]
    function.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
    return function


def options_given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that an assistant gave, as the client takes them."""
    plain = {
        _ARGUMENTS[name].name: value.model_dump(exclude_none=True) if isinstance(value, BaseModel) else value
        for name, value in arguments.items()
    }
    return {name: value for name, value in plain.items() if value not in (None, "", [])}


def _parameter(name: str, option: Option) -> inspect.Parameter:
    """Return the argument: a text is empty where it is left out, and the API checks its form; a list or object null."""
    assert option.argument is not None
    kind: Any = option.field.annotation
    default = option.field.get_default()
    marks = [Field(description=option.argument.help or option.description)]
    if option.schema["type"] == "string" and "enum" not in option.schema:
        kind, default = str, ""
    else:
        marks += option.field.metadata
        if option.field.default_factory is not None:
            kind, default = kind | None, None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, *marks])


class StrictTool(Tool):
    """A tool with exactly the arguments of its function."""

    def model_post_init(self, context: Any, /) -> None:
        """Tell assistants that there are no other arguments."""
        super().model_post_init(context)
        self.parameters["additionalProperties"] = False

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        """Run the tool; raise ToolError where an argument is unknown or wrong."""
        known = self.parameters["properties"]
        if unknown := [name for name in arguments if name not in known]:
            has = ", ".join(known) or "none"
            raise ToolError(f"{unknown[0][:100]}: there is no such argument of {self.name}; it has {has}.")
        try:
            self.fn_metadata.validate_arguments(arguments)
        except ValidationError as error:
            wrong = (wrong_field(".".join(map(str, entry["loc"])), entry) for entry in error.errors()[:8])
            raise ToolError("; ".join(wrong)) from error
        return await super().run(arguments, context, convert_result)
