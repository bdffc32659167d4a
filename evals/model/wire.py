"""Replies as they are scripted, and the messages and event streams that Anthropic's Messages API makes of such."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evals.model.service import ModelHandler

Json = dict[str, Any]


def content_of(body: Json) -> list[Json]:
    """The content blocks of a request's turn."""
    return list(body["messages"][-1]["content"])


@dataclass(frozen=True, kw_only=True)
class Cite:
    """Blocks ``start`` to ``end`` of search result number ``result``; ``text`` overrides the true quote."""

    result: int
    start: int
    end: int
    text: str | None = None


@dataclass(frozen=True)
class Say:
    """A whole reply: stretches of text, each with its citations."""

    stretches: Sequence[str | tuple[str, Sequence[Cite]]]
    stop_reason: str | None = "end_turn"
    refusal: str = ""  #: the category in stop_details
    thinks: bool = False  #: a thinking block comes first
    usage: Json = field(default_factory=dict)


@dataclass(frozen=True)
class Fail:
    """An error reply of the API."""

    status: int
    type: str
    message: str = "told to"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class FailInside:
    """A stream that begins well and then reports an error."""

    type: str


@dataclass(frozen=True)
class BreakOff:
    """A stream whose connection is lost after so many events; ``cleanly`` ends it as if it were whole."""

    events: int = 4
    cleanly: bool = False


@dataclass(frozen=True)
class Held:
    """A reply whose last block comes when ``go_on`` is set, and not before."""

    say: Say
    go_on: threading.Event
    at_most_s: float = 10.0


@dataclass(frozen=True)
class Wait:
    """Silence before the reply."""

    seconds: float


@dataclass(frozen=True)
class Ping:
    """A stream that begins and then only ever pings."""

    every_s: float = 0.05


@dataclass(frozen=True)
class Slow:
    """A stream whose bytes, those of its headers included, come one by one after the ``quick`` ones."""

    say: Say
    quick: int
    every_s: float


@dataclass(frozen=True)
class Raw:
    """Any body at all."""

    body: bytes
    content_type: str = "text/event-stream"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


Reply = Say | Held | Fail | FailInside | BreakOff | Wait | Ping | Slow | Raw


class MessagesHandler(ModelHandler):
    """Sends replies as the API does: whole, or as a stream of events."""

    def reply_with(self, body: Json, reply: Reply, whole: Say | None = None) -> None:
        """Send a reply to a request; one that breaks off or fails inside begins as ``whole``."""
        if isinstance(reply, Fail):
            error = {"type": "error", "error": {"type": reply.type, "message": reply.message}}
            self.whole(reply.status, json.dumps(error).encode(), "application/json", reply.headers)
        elif isinstance(reply, Raw):
            self.whole(reply.status, reply.body, reply.content_type, reply.headers)
        elif isinstance(reply, Say) and not body.get("stream"):
            self.whole(200, json.dumps(message_of(body, reply), ensure_ascii=False).encode(), "application/json", {})
        else:
            frames = frames_of(body, reply, whole or Say([]), self.server.double.stopping)
            told = (f"event: {event}\ndata: {json.dumps(data, ensure_ascii=False)}" for event, data in frames)
            self.stream(told, breaks=breaks_off(reply))


def say_json(value: object, **kwargs: Any) -> Say:
    """A reply that is this JSON."""
    return Say([json.dumps(value, ensure_ascii=False)], **kwargs)


def breaks_off(reply: Reply) -> bool:
    """Return whether the connection is lost within the reply."""
    return isinstance(reply, BreakOff) and not reply.cleanly


def frames_of(body: Json, reply: Reply, whole: Say, stopping: threading.Event) -> Iterator[tuple[str, Json]]:
    """Yield the events of a stream; ``whole`` is the reply that one which fails begins with."""
    if isinstance(reply, Say):
        yield from _events(message_of(body, reply))
        return
    if isinstance(reply, Held):
        yield from _held(list(_events(message_of(body, reply.say))), reply)
        return
    events = list(_events(message_of(body, whole)))
    if isinstance(reply, BreakOff):
        yield from events[: reply.events]
    elif isinstance(reply, FailInside):
        yield from events[:3]
        yield "error", {"type": "error", "error": {"type": reply.type, "message": "told to", "details": None}}
    elif isinstance(reply, Ping):
        yield events[0]
        while not stopping.wait(reply.every_s):
            yield "ping", {"type": "ping"}


def _held(events: Sequence[tuple[str, Json]], reply: Held) -> Iterator[tuple[str, Json]]:
    last = max(at for at, (kind, _) in enumerate(events) if kind == "content_block_start")
    yield from events[:last]
    reply.go_on.wait(reply.at_most_s)
    yield from events[last:]


def message_of(body: Json, reply: Say) -> Json:
    """Return the message of the API that says this; quotes, sources and titles are the request's."""
    blocks = [_text_block(body, stretch) for stretch in reply.stretches]
    thinking = [{"type": "thinking", "thinking": "", "signature": "c2ln"}] if reply.thinks else []
    details = {"type": "refusal", "category": reply.refusal, "explanation": None} if reply.refusal else None
    return {
        "id": "msg_double",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": thinking + blocks,
        "stop_reason": reply.stop_reason,
        "stop_sequence": None,
        "stop_details": details,
        "usage": {
            "input_tokens": len(json.dumps(body)) // 4,
            "output_tokens": sum(len(block["text"]) for block in blocks) // 4 + 1,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            **reply.usage,
        },
    }


def _text_block(body: Json, stretch: str | tuple[str, Sequence[Cite]]) -> Json:
    text, cites = (stretch, ()) if isinstance(stretch, str) else stretch
    return {"type": "text", "text": text, "citations": [_location(body, cite) for cite in cites] or None}


def _location(body: Json, cite: Cite) -> Json:
    results = [block for block in content_of(body) if block["type"] == "search_result"]
    nowhere: Json = {"content": [], "source": "", "title": ""}
    result = results[cite.result] if 0 <= cite.result < len(results) else nowhere
    quoted = "".join(block["text"] for block in result["content"][max(0, cite.start) : cite.end])
    return {
        "type": "search_result_location",
        "cited_text": quoted if cite.text is None else cite.text,
        "search_result_index": cite.result,
        "start_block_index": cite.start,
        "end_block_index": cite.end,
        "source": result["source"],
        "title": result["title"],
    }


def _events(message: Json) -> Iterator[tuple[str, Json]]:
    """Cut a message into the events of a stream, its text into pieces of a few characters."""
    usage = message["usage"]
    begun = {
        **message,
        "content": [],
        "stop_reason": None,
        "stop_details": None,
        "usage": {**usage, "output_tokens": 1},
    }
    yield "message_start", {"type": "message_start", "message": begun}
    for index, block in enumerate(message["content"]):
        yield from _block_events(index, block)
    ended = {key: message[key] for key in ("stop_reason", "stop_sequence", "stop_details")}
    yield "message_delta", {"type": "message_delta", "delta": ended, "usage": {"output_tokens": usage["output_tokens"]}}
    yield "message_stop", {"type": "message_stop"}


def _block_events(index: int, block: Json) -> Iterator[tuple[str, Json]]:
    empty = {**block, "text": "", "citations": None} if block["type"] == "text" else {**block, "signature": ""}
    yield "content_block_start", {"type": "content_block_start", "index": index, "content_block": empty}
    yield "ping", {"type": "ping"}
    for delta in _deltas(block):
        yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
    yield "content_block_stop", {"type": "content_block_stop", "index": index}


def _deltas(block: Json) -> Iterator[Json]:
    if block["type"] == "thinking":
        yield {"type": "signature_delta", "signature": block["signature"]}
        return
    for citation in block["citations"] or ():
        yield {"type": "citations_delta", "citation": citation}
    for at in range(0, len(block["text"]), 7):
        yield {"type": "text_delta", "text": block["text"][at : at + 7]}
