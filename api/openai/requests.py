"""The body of a chat completion's request, and the question it asks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from api.openai import client_prompts
from api.schemas.requests import MAX_WAIT_S, ChatRequest
from domain.errors import WellreadError
from domain.options import MAX_CHARACTERS, Storable
from domain.question import Attached, Turn
from pipeline.phrases import greeted_in
from pipeline.question.analysis import clean_question

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
#: each model's name, and what it does
MODELS: Final = {
    "wellread": "answers from what was read, and reads the web when that is not enough",
    "wellread-known": "answers from what was read, and reads nothing",
}

#: the local models, which answer no question
EMBEDDER, RERANKER = "wellread-embed", "wellread-rerank"
LOCAL_MODELS: Final = {
    EMBEDDER: "the embedder of the knowledge base, for POST /v1/embeddings",
    RERANKER: "the reader that judges passages, for POST /v1/rerank",
}


class BadMessages(WellreadError):
    """The conversation cannot be answered; the message says which part of it and why."""


class Message(BaseModel):
    """One message of a conversation. Names, refusals and the like are taken and not used."""

    model_config = ConfigDict(extra="ignore")

    role: str
    content: Any = None
    tool_calls: Any = None


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """What a conversation asks: its last user messages, and the messages before them."""

    prompt: str  #: the last message as it was sent
    text: str  #: of the last user messages, without documents and greetings
    turns: tuple[tuple[str, str], ...]  #: the earlier questions, each with what was said to it
    instructions: str  #: the system's messages
    attached: tuple[Attached, ...]  #: the documents in any message

    def short_reply(self, schema: Mapping[str, Any] | None) -> str | None:
        """Return the reply to a last message that is no question; None for a question."""
        return client_prompts.short_reply(self.prompt, self.text, self.turns, self.instructions, schema)

    def question(self) -> tuple[str, list[Turn]]:
        """Return the question, and the turns before it; raises QuestionError."""
        return clean_question(self.text), client_prompts.understood(self.turns)


def conversation_of(messages: Sequence[Message]) -> Conversation:
    """Return what the messages say; raises BadMessages."""
    texts = [_text(message, f"messages[{place}]") for place, message in enumerate(messages)]
    if not messages or messages[-1].role != "user":
        raise BadMessages("The last message must be a user's: it is the question that is answered.")
    turns: list[tuple[list[str], str]] = []
    instructions: list[str] = []
    attached: dict[Attached, None] = {}
    for message, text in zip(messages, texts, strict=True):
        own, documents = ("", []) if message.role == "assistant" else client_prompts.unwrapped(text)
        attached |= dict.fromkeys(documents)
        if message.role == "user":
            if not turns or turns[-1][1]:
                turns.append(([], ""))
            turns[-1][0].append(own)
        elif message.role == "assistant" and turns:
            turns[-1] = (turns[-1][0], _plain(text) or " ")
        elif message.role in ("system", "developer"):
            instructions.append(own)
    if sum(len(each.text) for each in attached) > client_prompts.MAX_ATTACHED:
        raise BadMessages(
            f"The documents have over {client_prompts.MAX_ATTACHED:,} characters: add them as files or pages."
        )
    # of user messages in a row, a greeting before a question says nothing
    joined = ["\n".join([text for text in asked if not greeted_in(text)] or asked[-1:]) for asked, _ in turns]
    return Conversation(
        prompt=texts[-1].strip(),
        text=joined[-1],
        turns=tuple((_plain(asked), answer.strip()) for asked, (_, answer) in zip(joined[:-1], turns, strict=False)),
        instructions="\n".join(instructions),
        attached=tuple(attached),
    )


def _plain(text: str) -> str:
    return " ".join(text.split())[:MAX_CHARACTERS]


def _text(message: Message, place: str) -> str:
    if message.role not in _ROLES:
        raise BadMessages(f"{place}.role is {message.role[:40]!r}: it is one of {', '.join(_ROLES)}.")
    if message.tool_calls is not None:
        _check_tool_calls(message, place)
    content = message.content
    if content is None and message.role == "assistant":
        return ""  # it called a tool, or refused
    if isinstance(content, str):
        text = content
    elif isinstance(content, list):
        text = "\n".join(_part(part, f"{place}.content[{number}]") for number, part in enumerate(content))
    else:
        raise BadMessages(f"{place}.content must be text, or a list of parts of text.")
    if not text.strip() and message.role == "user":
        raise BadMessages(f"{place}.content is empty: write what you want to know.")
    return text


def _part(part: Any, place: str) -> str:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "refusal":
        return ""
    if kind != "text":
        known = {"image_url": "an image", "input_audio": "a recording", "file": "a file"}
        named = known.get(kind, f"of the type {kind[:40]!r}") if isinstance(kind, str) else "no part with a type"
        raise BadMessages(f"{place} is {named}: Wellread reads only text.")
    if not isinstance(part.get("text"), str):
        raise BadMessages(f"{place}.text must be text.")
    return str(part["text"])


def _check_tool_calls(message: Message, place: str) -> None:
    calls = message.tool_calls
    if message.role != "assistant" or not isinstance(calls, list):
        raise BadMessages(f"{place}.tool_calls must be a list, in a message of the assistant.")
    for number, call in enumerate(calls):
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            raise BadMessages(f"{place}.tool_calls[{number}] must be an object whose `function` has a `name`.")


class UnknownModel(WellreadError):
    """There is no such model."""


class Unsupported(WellreadError):
    """The request asks for what Wellread does not do, so that its sender would miss it."""


class StreamOptions(BaseModel):
    """What a stream holds beside the text."""

    model_config = ConfigDict(extra="ignore")

    include_usage: bool = Field(default=False, description="Whether a last chunk counts the tokens.")


class CompletionRequest(Storable):
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


def to_chat_request(body: CompletionRequest, conversation: Conversation) -> tuple[ChatRequest, tuple[Turn, ...]]:
    """Return what is asked as POST /api/chat takes it, and what was said before.

    Raises Unsupported, QuestionError, and RequestValidationError for wrong options.
    """
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
    question, turns = conversation.question()
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


def check_model(name: str, known: Iterable[str] = MODELS) -> None:
    """Raise UnknownModel unless this is one of the models; the name of a collection may follow after an @."""
    if name.partition("@")[0] not in known:
        raise UnknownModel(f"There is no model {name[:60]!r} here: it is one of {', '.join(known)}.")


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
