"""The body of a chat completion's request, and the question it asks."""

from __future__ import annotations

from typing import Any, Final, Literal

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from api.openai.messages import Message, question_of
from api.schemas.requests import MAX_WAIT_S, ChatRequest
from domain.errors import WellreadError
from domain.question import Turn

#: each model's name, and what it does
MODELS: Final = {
    "wellread": "answers from what was read, and reads the web when that is not enough",
    "wellread-known": "answers from what was read, and reads nothing",
}


class UnknownModel(WellreadError):
    """There is no such model."""


class Unsupported(WellreadError):
    """The request asks for what Wellread does not do, so that its sender would miss it."""


class StreamOptions(BaseModel):
    """What a stream holds beside the text."""

    model_config = ConfigDict(extra="ignore")

    include_usage: bool = Field(default=False, description="Whether a last chunk counts the tokens.")


class CompletionRequest(BaseModel):
    """A conversation whose last message is the question.

    What only steers how a model writes (`temperature`, `max_tokens`, `seed` …) is taken and has no effect.
    """

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)

    model: str = Field(
        description="`wellread`, or `wellread-known`, which reads nothing new; `wellread@NAME` asks a collection.",
        examples=["wellread"],
    )
    messages: list[Message] = Field(description="The last is the question; earlier ones say what it is about.")
    stream: bool | None = Field(default=None, description="Whether the answer comes as server-sent events.")
    stream_options: StreamOptions | None = None
    n: Literal[1] | None = Field(default=None, description="There is one answer.")
    tools: list[dict[str, Any]] | None = Field(default=None, description="Taken; none is ever called.")
    tool_choice: Any = Field(default=None, description="`auto` or `none`.")
    response_format: dict[str, Any] | None = Field(
        default=None, description="`text`, or `json_schema`: the text is JSON then."
    )
    modalities: list[str] | None = Field(default=None, description='`["text"]`.')
    logprobs: bool | None = Field(default=None, description="There are none.")
    wellread: dict[str, Any] = Field(
        default_factory=dict,
        description="The fields of POST /api/chat, but for `question` and `queued`; and `list_sources`: whether the "
        "text ends with a list of its sources.",
    )


def to_chat_request(body: CompletionRequest) -> tuple[ChatRequest, tuple[Turn, ...]]:
    """Return what is asked as POST /api/chat takes it, and what was said before.

    Raises UnknownModel, Unsupported, BadMessages, QuestionError, and RequestValidationError for wrong options.
    """
    check_model(body.model)
    _check_supported(body)
    options: dict[str, Any] = {"wait": MAX_WAIT_S, **body.wellread}
    options.pop("list_sources", None)
    for name in ("question", "queued"):
        if name in options:
            raise Unsupported(
                f"wellread.{name} is not accepted here: the last message is the question, and its answer is awaited."
            )
    name, _, collection = body.model.partition("@")
    if name == "wellread-known":
        options["crawl_enabled"] = False
    if (schema := schema_of(body)) is not None:
        options["answer_schema"] = schema
    question, turns = question_of(body.messages)
    if collection:
        options.setdefault("collection", collection)
    try:
        return ChatRequest.model_validate({"question": question, **options}), tuple(turns)
    except ValidationError as error:
        wrong = [{**each, "loc": ("body", "wellread", *each["loc"])} for each in error.errors()]
        raise RequestValidationError(wrong) from error


def schema_of(body: CompletionRequest) -> dict[str, Any] | None:
    """Return the schema that the answer's text is to have; raises Unsupported for a format without one."""
    asked = body.response_format or {}
    if asked.get("type") != "json_schema":
        return None
    form = asked.get("json_schema")
    schema = form.get("schema") if isinstance(form, dict) else None
    if not isinstance(schema, dict):
        raise Unsupported("response_format.json_schema.schema must be a JSON Schema.")
    return schema


def check_model(name: str) -> None:
    """Raise UnknownModel unless there is a model of this name; behind an @ may stand a collection's."""
    if name.partition("@")[0] not in MODELS:
        raise UnknownModel(f"There is no model {name[:60]!r}: it is one of {', '.join(MODELS)}.")


def lists_sources(body: CompletionRequest) -> bool:
    """Return whether the text ends with a list of its sources."""
    wanted = body.wellread.get("list_sources", False)
    if not isinstance(wanted, bool):
        raise Unsupported("wellread.list_sources is true or false.")
    return wanted


def _check_supported(body: CompletionRequest) -> None:
    for number, tool in enumerate(body.tools or ()):
        function = tool.get("function")
        if tool.get("type") == "function" and not (
            isinstance(function, dict) and isinstance(function.get("name"), str)
        ):
            raise Unsupported(f"tools[{number}].function must be an object with a `name`.")
    if body.tool_choice not in (None, "auto", "none"):
        raise Unsupported("Wellread calls no tool: leave tool_choice out, or make it auto or none.")
    if body.response_format and body.response_format.get("type") not in ("text", "json_schema"):
        raise Unsupported('Leave response_format out, or give one of the type "text" or "json_schema".')
    if body.modalities and body.modalities != ["text"]:
        raise Unsupported('Wellread answers in text: leave modalities out, or make it ["text"].')
    if body.logprobs:
        raise Unsupported("There are no logprobs: leave them out.")
