"""Every option that a question may set for itself takes every way: HTTP, task, client, flag, argument, row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
import pytest

from api.cli.ask import ask
from api.cli.flags import given
from api.mcp.tools import McpTools, options_given
from api.schemas.requests import ChatRequest
from domain import Budget
from domain.options import Asked, Option, Overrides, QuestionRequest, options_of
from store.questions import new_questions, state
from store.sql.tables import QuestionRow
from wellread import Options, endpoints
from workers.questions.submit import Payload, to_new
from workers.services import Services

EVERY = [option for option in options_of(Asked) if option.name in Overrides.model_fields]


def _value(schema: Mapping[str, Any]) -> Any:
    """A value that is not the usual one."""
    if "enum" in schema:
        return schema["enum"][-1]
    match schema["type"]:
        case "array":
            return [_value(schema["items"])]
        case "integer" | "number":
            return schema.get("minimum", 0) + 1
        case "boolean":
            return not schema.get("default")
    return "2020-01-31" if "format" in schema else "de" if "pattern" in schema else "https://example.org/"


def _as_flag(option: Option) -> list[str]:
    assert option.flag is not None
    value = ["team=support"] if option.name == "filters" else _value(option.schema)
    if option.schema["type"] == "boolean":
        return [option.flag.flag]
    return [part for each in (value if isinstance(value, list) else [value]) for part in (option.flag.flag, str(each))]


@pytest.mark.parametrize("option", EVERY, ids=lambda option: option.name)
def test_option_takes_every_way(services: Services, option: Option) -> None:
    sent = {option.name: ["team=support"] if option.name == "filters" else _value(option.schema)}
    expected = Overrides.model_validate(sent)
    assert expected != Overrides()
    assert option.name in Options.__annotations__
    assert endpoints.Endpoints.submit.call(endpoints.Endpoints(), "Who?", **sent).json == {"question": "Who?", **sent}
    if option.flag:
        context = click.Context(ask, help_option_names=["-h", "--help"])  # as in every command: click keeps the first
        ask.parse_args(context, ["Who?", *_as_flag(option)])
        set_ = {name: value for name, value in given(context.params).items() if name in Asked.model_fields}
        assert set_ == {"question": "Who?", **sent}
    if option.argument:
        argument = option.argument.name or option.name
        assert argument in McpTools.ask.__signature__.parameters  # type: ignore[attr-defined]
        assert options_given({argument: sent[option.name]}) == sent
    for number, body in enumerate((ChatRequest, QuestionRequest, Payload)):
        new = to_new(body.model_validate({"question": f"Who is {number}?", **sent}), Budget())
        with services.database.write() as session:
            question, _ = new_questions.ask(session, new, services.now())
        with services.database.read() as session:
            assert session.get_one(QuestionRow, question.id).overrides.keys() == sent.keys()
            assert state.find(session, question.id).overrides == expected
