"""Writes a question's record as a chat completion, whole or in chunks.

References stand in each shape that clients show: [n] markers in the text, an ``url_citation`` at each marker,
``citations`` (the marker n is the n-th URL), and on request a list at the end of the text.
"""

import json
import time
import uuid
from collections.abc import Iterator
from typing import Any, Final

from pydantic import BaseModel, Field
from sse_starlette import ServerSentEvent

from api.schemas.responses import record_json
from domain import Status
from domain.errors import WellreadError
from domain.record import Record

#: added if no final answer came in time
PROVISIONAL: Final = "This answer is provisional: the question is still being worked on. Ask again for the final one."
#: by HTTP status, as OpenAI names them
_TYPES: Final = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
#: the kinds of error for which OpenAI has a name of its own
_CODES: Final = {"wrong-key": "invalid_api_key", "unknown-model": "model_not_found"}
#: begins the path of every route in this form
PREFIX: Final = "/v1/"


class NoAnswer(WellreadError):
    """The time to wait is up, or the question's own, before there was any answer."""


class QuestionFailed(NoAnswer):
    """The question failed or was cancelled."""


def check_answered(record: Record, *, structured: bool = False) -> None:
    """Raise NoAnswer or QuestionFailed unless there is an answer, final or provisional; of the form asked for."""
    if record.status in (Status.FAILED, Status.CANCELLED):
        why = (record.error or "it was cancelled").rstrip(".")
        raise QuestionFailed(f"The question {record.id} was not answered: {why}.")
    if not record.answer or (structured and record.structured is None):
        raise NoAnswer(f"The question {record.id} has no answer yet; GET /api/questions/{record.id} follows it.")


def text_of(record: Record, *, list_sources: bool) -> str:
    """Return the answer, the notes on it, and on request its sources."""
    if record.structured is not None:
        return json.dumps(record.structured.value, ensure_ascii=False)
    parts = [record.answer or "", record.notice, "" if record.status.is_final else PROVISIONAL]
    if list_sources and record.citations:
        parts.append("Sources:\n" + "\n".join(f"[{c.marker}] {c.name}: {c.url}" for c in record.citations))
    return "\n\n".join(part for part in parts if part)


class CompletionForm:
    """Writes one answer as a chat completion; without a record, a reply that is no answer to a question.

    Those of other APIs override what is public.
    """

    def __init__(self, model: str, *, include_usage: bool = False) -> None:
        self.model, self._include_usage = model, include_usage
        self._name, self._created = uuid.uuid4().hex, int(time.time())

    def whole(self, record: Record | None, text: str) -> dict[str, Any]:
        """Return the whole completion."""
        annotations = url_citations(record) if record else []
        message = {"role": "assistant", "content": text, "refusal": None, "annotations": annotations}
        choices = [self._choice("message", message, self._finish_reason(record))]
        body = {**self._head(record, "chat.completion"), "choices": choices, "usage": usage(record)}
        return body | (references(record) if record else {})

    def begin(self, record: Record | None) -> Iterator[ServerSentEvent]:
        """Yield what comes before there is an answer: how the question is understood so far."""
        choices = [self._choice("delta", {"role": "assistant", "content": ""}, None)]
        asked = {"wellread": _asked(record)} if record else {}
        yield self.event({**self._head(record, "chat.completion.chunk"), "choices": choices, **asked})

    def end(self, record: Record | None, text: str) -> Iterator[ServerSentEvent]:
        """Yield the text piece by piece, then the references, then on request the tokens."""
        head = self._head(record, "chat.completion.chunk")
        for piece in pieces(text):
            yield self.event({**head, "choices": [self._choice("delta", {"content": piece}, None)]})
        delta = {"annotations": url_citations(record)} if record else {}
        end = self._choice("delta", delta, self._finish_reason(record))
        yield self.event({**head, "choices": [end], **(references(record) if record else {})})
        if self._include_usage:
            yield self.event({**head, "choices": [], "usage": usage(record)})
        yield ServerSentEvent("[DONE]")

    def failed(self, error: dict[str, Any]) -> ServerSentEvent:
        """Return the event that ends a stream with an error, which is given in OpenAI's form."""
        return self.event(error)

    def name(self, record: Record | None) -> str:
        """Return what the answer's id ends with: the question's id."""
        return record.id if record else self._name

    def created(self, record: Record | None) -> int:
        """Return when it was asked, in seconds since 1970."""
        return int(record.created_at.timestamp()) if record else self._created

    @staticmethod
    def is_cut(record: Record | None) -> bool:
        """Return whether there was no final answer in time."""
        return record is not None and record.status not in (Status.ANSWERED, Status.ABSTAINED)

    @staticmethod
    def event(data: dict[str, Any], kind: str | None = None) -> ServerSentEvent:
        """Return an event with this JSON."""
        return ServerSentEvent(json.dumps(data), event=kind)

    def _head(self, record: Record | None, kind: str) -> dict[str, Any]:
        created = self.created(record)
        return {"id": f"chatcmpl-{self.name(record)}", "object": kind, "created": created, "model": self.model}

    def _finish_reason(self, record: Record | None) -> str:
        return "length" if self.is_cut(record) else "stop"

    @staticmethod
    def _choice(name: str, content: dict[str, Any], finish_reason: str | None) -> dict[str, Any]:
        return {"index": 0, name: content, "logprobs": None, "finish_reason": finish_reason}


def url_citations(record: Record) -> list[dict[str, Any]]:
    """Return a citation for each marker: ``content[start_index:end_index]`` is "[n]"."""
    if record.structured is not None:
        return []  # JSON has no markers: `wellread.structured` has the citation of each value
    cited = {citation.marker: citation for citation in record.citations}
    return [
        {
            "type": "url_citation",
            "url_citation": {
                "start_index": start,
                "end_index": start + len(f"[{marker}]"),
                "url": cited[marker].url,
                "title": cited[marker].name,
            },
        }
        for start, marker in _markers(record)
        if marker in cited
    ]


def usage(record: Record | None) -> dict[str, int]:
    """Return the tokens that a language model read and wrote for the question; 0 if none was asked."""
    read, written = (record.cost.input_tokens, record.cost.output_tokens) if record else (0, 0)
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def _markers(record: Record) -> Iterator[tuple[int, int]]:
    """Yield place and number of each marker; a quoted "a[1]" is none, because a marker ends its sentence."""
    text, begins = record.answer or "", []
    after = 0
    for sentence in record.sentences:
        found = text.find(sentence.text, after)
        if found >= 0:
            begins.append((found, sentence))
            after = found + len(sentence.text)
    for (begin, sentence), end in zip(begins, [place for place, _ in begins[1:]] + [len(text)], strict=True):
        for marker in sentence.markers:
            if (place := text.rfind(f"[{marker}]", begin, end)) >= 0:
                yield place, marker


def references(record: Record) -> dict[str, Any]:
    """Return what every form has beside its own: the URLs of citations, and Wellread's own fields."""
    return {
        "citations": [citation.url for citation in record.citations],
        "wellread": {
            **_asked(record),
            "status": record.status,
            "outcome": record.outcome,
            "confidence": record.confidence,
            "short_answer": record.short_answer,
            **{name: record_json(record)[name] for name in ("structured", "nearest")},
        },
    }


def _asked(record: Record) -> dict[str, Any]:
    return {
        "question_id": record.id,
        "question": record.question,
        "question_as_understood": record.question_as_understood,
    }


def pieces(text: str, words: int = 12) -> Iterator[str]:
    """Yield a text piece by piece, as it is streamed."""
    for line in text.splitlines(keepends=True):
        tokens = line.split(" ")
        for begin in range(0, len(tokens), words):
            piece = " ".join(tokens[begin : begin + words])
            yield piece + (" " if begin + words < len(tokens) else "")


class ErrorDetail(BaseModel):
    """What happened."""

    message: str = Field(description="What happened, to what, and how to go on.")
    type: str = Field(description="The kind of error, as OpenAI names it.")
    param: str | None = Field(description="Always null.")
    code: str = Field(description="A short name of the error: stable, for programs.")


class ErrorAnswer(BaseModel):
    """An error, as OpenAI writes it."""

    error: ErrorDetail


#: the error responses of a route in this form
ERRORS: Final[dict[int | str, dict[str, Any]]] = {"default": {"model": ErrorAnswer, "description": "An error."}}


def status_of(status: int) -> int:
    """Return the HTTP status that OpenAI answers with: 400 for every request that cannot be taken."""
    return 400 if status == 422 else status


def error_json(status: int, kind: str, message: str) -> dict[str, Any]:
    """Return the body of an error."""
    usual = "server_error" if status >= 500 else "invalid_request_error"
    code = _CODES.get(kind, kind.replace("-", "_"))
    return {"error": {"message": message, "type": _TYPES.get(status, usual), "param": None, "code": code}}
