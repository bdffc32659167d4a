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


def completion(record: Record | None, model: str, text: str) -> dict[str, Any]:
    """Return the whole completion of an answer; without a record, of a reply that is no answer to a question."""
    annotations = url_citations(record) if record else []
    message = {"role": "assistant", "content": text, "refusal": None, "annotations": annotations}
    choices = [_choice("message", message, _finish_reason(record))]
    body = {**_head(record, model, "chat.completion"), "choices": choices, "usage": _usage(record)}
    return body | (_references(record) if record else {})


def first_chunk(record: Record, model: str) -> dict[str, Any]:
    """Return the chunk that begins a stream, before there is an answer: with how the question is understood so far."""
    choices = [_choice("delta", {"role": "assistant", "content": ""}, None)]
    return {**_head(record, model, "chat.completion.chunk"), "choices": choices, "wellread": _asked(record)}


def chunks(record: Record | None, model: str, text: str, *, include_usage: bool) -> Iterator[dict[str, Any]]:
    """Yield the text piece by piece, then the references, then on request the tokens; of a reply without a record all.

    A record's come after its :func:`first_chunk`.
    """
    head = _head(record, model, "chat.completion.chunk")
    if record:
        deltas = [{"content": piece} for line in text.splitlines(keepends=True) for piece in _pieces(line)]
    else:
        deltas = [{"role": "assistant", "content": text}]
    yield from ({**head, "choices": [_choice("delta", delta, None)]} for delta in deltas)
    end = _choice("delta", {"annotations": url_citations(record)} if record else {}, _finish_reason(record))
    yield {**head, "choices": [end], **(_references(record) if record else {})}
    if include_usage:
        yield {**head, "choices": [], "usage": _usage(record)}


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


def _usage(record: Record | None) -> dict[str, int]:
    """Return the tokens that a language model read and wrote for the question; 0 if none was asked."""
    read, written = (record.cost.input_tokens, record.cost.output_tokens) if record else (0, 0)
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def _finish_reason(record: Record | None) -> str:
    return "stop" if record is None or record.status in (Status.ANSWERED, Status.ABSTAINED) else "length"


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


def _references(record: Record) -> dict[str, Any]:
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


def _head(record: Record | None, model: str, kind: str) -> dict[str, Any]:
    created = int(record.created_at.timestamp() if record else time.time())
    name = record.id if record else uuid.uuid4().hex
    return {"id": f"chatcmpl-{name}", "object": kind, "created": created, "model": model}


def _choice(name: str, content: dict[str, Any], finish_reason: str | None) -> dict[str, Any]:
    return {"index": 0, name: content, "logprobs": None, "finish_reason": finish_reason}


def _pieces(line: str, words: int = 12) -> Iterator[str]:
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
