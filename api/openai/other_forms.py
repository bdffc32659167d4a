"""OpenAI's Responses API and Anthropic's Messages API: requests read as chat completions, answers in their forms."""

from collections.abc import Iterator
from typing import Any, Final

from pydantic import ConfigDict, Field
from sse_starlette import ServerSentEvent

from api.openai.completions import CompletionForm, pieces, references, url_citations, usage
from api.openai.requests import BadMessages, CompletionRequest, Unsupported
from domain.options import Storable
from domain.record import Record

#: parts of a conversation that are taken and not read
_UNREAD_ITEMS: Final = ("reasoning", "function_call", "function_call_output")
_UNREAD_BLOCKS: Final = ("thinking", "redacted_thinking", "tool_use", "tool_result")
#: where the text of a response is: it has one item with one part
_AT: Final[dict[str, Any]] = {"item_id": "msg_0", "output_index": 0, "content_index": 0}


class _Request(Storable):
    """A conversation. What only steers how a model writes is taken and has no effect."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)

    model: str = Field(description="As in chat completions.", examples=["wellread"])
    stream: bool | None = Field(default=None, description="Whether the answer comes as server-sent events.")
    tools: list[dict[str, Any]] | None = Field(default=None, description="Taken; none is ever called.")
    wellread: dict[str, Any] = Field(default_factory=dict, description="As in chat completions.")

    def _as(self, messages: list[dict[str, Any]], instructions: Any, form: Any, tool_choice: Any) -> CompletionRequest:
        system = [{"role": "system", "content": instructions}] if instructions else []
        is_schema = isinstance(form, dict) and form.get("type") == "json_schema"
        wanted = {"type": "json_schema", "json_schema": form} if is_schema else form
        given = {"model": self.model, "stream": self.stream, "wellread": self.wellread, "tool_choice": tool_choice}
        if not isinstance(wanted, dict | None):
            raise Unsupported("The format of the text must be an object with a `type`.")
        return CompletionRequest.model_validate({**given, "messages": [*system, *messages], "response_format": wanted})


class ResponsesRequest(_Request):
    """What OpenAI's Responses API takes."""

    input: str | list[dict[str, Any]] = Field(description="The question, or messages, of which the last is it.")
    instructions: str | None = Field(default=None, description="Only the documents in it are read.")
    text: dict[str, Any] | None = Field(default=None, description="Its `format`: `text` or `json_schema`.")
    tool_choice: Any = Field(default=None, description="`auto` or `none`.")
    previous_response_id: str | None = Field(default=None, description="Not accepted: send the messages before.")
    conversation: Any = Field(default=None, description="Not accepted: send the messages before.")
    background: bool | None = Field(default=None, description="Not accepted.")

    def as_completion(self) -> CompletionRequest:
        """Return the same as a chat completion's request; raises Unsupported or BadMessages."""
        if self.previous_response_id or self.conversation is not None:
            raise Unsupported("No conversation is kept: leave its id out, and send the messages before in `input`.")
        if self.background:
            raise Unsupported("Leave `background` out: POST /api/questions asks without waiting.")
        items = [{"role": "user", "content": self.input}] if isinstance(self.input, str) else self.input
        messages = []
        for number, item in enumerate(items):
            if (kind := item.get("type", "message")) == "message":
                content = _parts(item.get("content"), texts=("input_text", "output_text"))
                messages.append({"role": str(item.get("role", "")), "content": content})
            elif kind not in _UNREAD_ITEMS:
                raise BadMessages(f"input[{number}] is of the type {str(kind)[:40]!r}: only messages are read.")
        return self._as(messages, self.instructions, (self.text or {}).get("format"), self.tool_choice)


class MessagesRequest(_Request):
    """What Anthropic's Messages API takes."""

    messages: list[dict[str, Any]] = Field(description="The last is the question; earlier ones say what it is about.")
    max_tokens: int = Field(ge=1, description="Taken; an answer is as long as it is.")
    system: str | list[dict[str, Any]] | None = Field(default=None, description="Only the documents in it are read.")
    tool_choice: dict[str, Any] | None = Field(default=None, description="Its `type`: `auto` or `none`.")
    output_config: dict[str, Any] | None = Field(default=None, description="Its `format`: `json_schema`.")

    def as_completion(self) -> CompletionRequest:
        """Return the same as a chat completion's request; raises Unsupported."""
        messages = [
            {"role": str(each.get("role", "")), "content": _parts(each.get("content"))} for each in self.messages
        ]
        choice = (self.tool_choice or {}).get("type")
        return self._as(messages, self.system, (self.output_config or {}).get("format"), choice)


def _parts(content: Any, texts: tuple[str, ...] = ()) -> Any:
    """Return the content of a message as a chat completion's has it; plain documents as text with a mark."""
    if not isinstance(content, list):
        return content
    made = []
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        source = part.get("source") if kind == "document" else None
        if kind in texts:
            made.append({**part, "type": "text"})
        elif isinstance(source, dict) and source.get("type") == "text":
            name = str(part.get("title") or "").replace('"', "'")
            made.append({"type": "text", "text": f'<document name="{name}">\n{source.get("data", "")}\n</document>'})
        elif kind not in _UNREAD_BLOCKS:
            made.append(part)
    return made


class ResponsesForm(CompletionForm):
    """Answers as OpenAI's Responses API gives them."""

    def whole(self, record: Record | None, text: str) -> dict[str, Any]:
        """Return the whole response."""
        cited = url_citations(record) if record else []
        annotations = [{"type": each["type"], **each["url_citation"]} for each in cited]
        part = {"type": "output_text", "text": text, "logprobs": [], "annotations": annotations}
        return self._response(record, [self._item([part])], "completed")

    def begin(self, record: Record | None) -> Iterator[ServerSentEvent]:
        """Yield what comes before the text."""
        self._number = 0
        yield self._event("response.created", response=self._response(record, [], "in_progress"))
        yield self._event("response.output_item.added", output_index=0, item=self._item(None))
        part = {"type": "output_text", "text": "", "logprobs": [], "annotations": []}
        yield self._event("response.content_part.added", **_AT, part=part)

    def end(self, record: Record | None, text: str) -> Iterator[ServerSentEvent]:
        """Yield the text piece by piece, and what comes after it."""
        for piece in pieces(text):
            yield self._event("response.output_text.delta", **_AT, delta=piece, logprobs=[])
        done = self.whole(record, text)
        (item,) = done["output"]
        (part,) = item["content"]
        yield self._event("response.output_text.done", **_AT, text=text, logprobs=[])
        yield self._event("response.content_part.done", **_AT, part=part)
        yield self._event("response.output_item.done", output_index=0, item=item)
        yield self._event(f"response.{done['status']}", response=done)

    def failed(self, error: dict[str, Any]) -> ServerSentEvent:
        """Return the event that ends a stream with an error."""
        return self._event("error", **error["error"], **error)

    def _response(self, record: Record | None, output: list[dict[str, Any]], status: str) -> dict[str, Any]:
        used = usage(record)
        is_cut = status == "completed" and self.is_cut(record)
        return {
            "id": f"resp_{self.name(record)}",
            "object": "response",
            "created_at": self.created(record),
            "model": self.model,
            "status": "incomplete" if is_cut else status,
            "incomplete_details": {"reason": "max_output_tokens"} if is_cut else None,
            "error": None,
            "output": output,
            "parallel_tool_calls": False,
            "tool_choice": "none",
            "tools": [],
            "usage": {
                "input_tokens": used["prompt_tokens"],
                "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
                "output_tokens": used["completion_tokens"],
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": used["total_tokens"],
            },
            **(references(record) if record and output else {}),
        }

    def _item(self, content: list[dict[str, Any]] | None) -> dict[str, Any]:
        status = "in_progress" if content is None else "completed"
        return {"type": "message", "id": "msg_0", "role": "assistant", "status": status, "content": content or []}

    def _event(self, kind: str, **data: Any) -> ServerSentEvent:
        self._number += 1
        return self.event({**data, "type": kind, "sequence_number": self._number - 1}, kind)


class MessagesForm(CompletionForm):
    """Answers as Anthropic's Messages API gives them; a block's citations are web search results."""

    def whole(self, record: Record | None, text: str) -> dict[str, Any]:
        """Return the whole message."""
        block = {"type": "text", "text": text, "citations": self._citations(record) or None}
        reason = "max_tokens" if self.is_cut(record) else "end_turn"
        extra = references(record) if record else {}
        return {**self._message(record), "content": [block], "stop_reason": reason, **extra}

    def begin(self, record: Record | None) -> Iterator[ServerSentEvent]:
        """Yield what comes before the text."""
        yield self._event("message_start", message=self._message(record))
        yield self._event("content_block_start", index=0, content_block={"type": "text", "text": ""})

    def end(self, record: Record | None, text: str) -> Iterator[ServerSentEvent]:
        """Yield the text piece by piece, its citations, and what comes after it."""
        deltas: list[dict[str, Any]] = [{"type": "text_delta", "text": piece} for piece in pieces(text)]
        deltas += [{"type": "citations_delta", "citation": each} for each in self._citations(record)]
        for delta in deltas:
            yield self._event("content_block_delta", index=0, delta=delta)
        yield self._event("content_block_stop", index=0)
        done = self.whole(record, text)
        stopped = {"stop_reason": done["stop_reason"], "stop_sequence": None}
        yield self._event("message_delta", delta=stopped, usage=done["usage"], **(references(record) if record else {}))
        yield self._event("message_stop")

    def failed(self, error: dict[str, Any]) -> ServerSentEvent:
        """Return the event that ends a stream with an error."""
        return self._event("error", **error)

    def _message(self, record: Record | None) -> dict[str, Any]:
        used = usage(record)
        return {
            "id": f"msg_{self.name(record)}",
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": used["prompt_tokens"], "output_tokens": used["completion_tokens"]},
        }

    def _citations(self, record: Record | None) -> list[dict[str, Any]]:
        cited = record.citations if record and record.structured is None else ()
        kind = "web_search_result_location"
        return [
            {"type": kind, "url": each.url, "title": each.name, "cited_text": each.quote, "encrypted_index": ""}
            for each in cited
        ]

    def _event(self, kind: str, **data: Any) -> ServerSentEvent:
        return self.event({"type": kind, **data}, kind)
