"""A double of a server that speaks OpenAI's chat completions API: a real HTTP server on loopback.

It checks requests as such servers do, records them, and replies with what was scripted, else by itself: an answer that
quotes the sentence nearest to the question, a verdict by the same measure, variants by rule. ``lacks`` are parameters
that it refuses, as older servers and some models do.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from evals.model.service import ModelHandler, ModelServer
from pipeline.models.model import LanguageModel
from pipeline.models.openai import OpenAIProvider
from pipeline.models.pace import Pace, Times
from tests.fakes import Unpaced
from text.sentences import sentence_spans
from text.terms import words

Json = dict[str, Any]
MODEL = "qwen3:8b"


@dataclass(frozen=True)
class Chat:
    """A whole reply."""

    text: str
    finish: str | None = "stop"
    refusal: str = ""
    thoughts: str = ""
    usage: Json | None = field(default_factory=lambda: {"prompt_tokens": 1_000, "completion_tokens": 100})
    done: bool = True  #: the stream ends with [DONE]


@dataclass(frozen=True)
class Status:
    """An error reply."""

    code: int
    message: str = "told to"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Bytes:
    """Any body at all."""

    body: bytes
    content_type: str = "text/event-stream"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Endless:
    """A stream that never ends."""

    piece: str = "and so on "
    every_s: float = 0.0


@dataclass(frozen=True)
class Silence:
    """Nothing, for so long."""

    seconds: float


@dataclass(frozen=True)
class ErrorInside:
    """A stream that begins well and then reports an error."""

    message: str = "model runner has unexpectedly stopped"


Reply = Chat | Status | Bytes | Endless | Silence | ErrorInside


def quoting(*sentences: tuple[str, int, str]) -> Chat:
    """A reply of sentences, each with the passage and the quote it cites."""
    listed = [{"text": text, "citations": [{"passage": passage, "quote": quote}]} for text, passage, quote in sentences]
    return Chat(json.dumps({"sentences": listed}, ensure_ascii=False))


def chat_json(value: object) -> Chat:
    """A reply that is this JSON."""
    return Chat(json.dumps(value, ensure_ascii=False))


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request as it came in."""

    path: str
    headers: Mapping[str, str]  #: names in lower case
    body: Json

    @property
    def system(self) -> str:
        """Its system prompt."""
        return str(self.body["messages"][0]["content"])

    @property
    def user(self) -> str:
        """What it says in the user's turn."""
        return str(self.body["messages"][1]["content"])


class OpenAIDouble(ModelServer[Request, Reply]):
    """The server; ``lacks`` are parameters that it refuses."""

    def __init__(self, *, key: str = "", models: Collection[str] = (MODEL,)) -> None:
        super().__init__(_Handler)
        self.key = key
        self.models = models
        self.lacks: frozenset[str] = frozenset()
        self.refused = 0  #: requests that it would not take

    @property
    def url(self) -> str:
        """Its base URL."""
        return f"{super().url}/v1"

    def forget(self) -> None:
        """Drop what was received and scripted, and lack nothing."""
        super().forget()
        self.lacks, self.refused = frozenset(), 0


def model_at(
    url: str,
    *,
    model: str = MODEL,
    api_key: str = "",
    max_tokens: int = 4096,
    timeout_s: float = 10.0,
    first_token_s: float = 10.0,
    pace: Pace | None = None,
) -> LanguageModel:
    """Make a language model that talks to a double."""
    return LanguageModel(
        provider=OpenAIProvider(base_url=url, api_key=api_key),
        times=Times(first_token_s=first_token_s, whole_s=timeout_s),
        pace=pace or Unpaced(),
        max_tokens=max_tokens,
        small_model=model,
        large_model=model,
    )


class _Handler(ModelHandler):
    def answer_get(self) -> None:
        listed = {"object": "list", "data": [{"id": name, "object": "model"} for name in self.server.double.models]}
        found = self.path == "/v1/models"
        self.whole(200 if found else 404, json.dumps(listed if found else {}).encode(), "application/json", {})

    def answer_post(self, headers: dict[str, str], body: Json) -> None:
        received = Request(path=self.path, headers=headers, body=body)
        wrong = _complaint(received, self.server.double)
        self.server.double.refused += bool(wrong)
        self._reply(body, wrong or self.server.double.take(received) or _by_itself(received))

    def _reply(self, body: Json, reply: Reply) -> None:
        stopping = self.server.double.stopping
        if isinstance(reply, Silence):
            stopping.wait(reply.seconds)
        elif isinstance(reply, Status):
            error = {"error": {"message": reply.message, "type": "error"}}
            self.whole(reply.code, json.dumps(error).encode(), "application/json", reply.headers)
        elif isinstance(reply, Bytes):
            self.whole(reply.status, reply.body, reply.content_type, reply.headers)
        else:
            self.stream(f"data: {frame}" for frame in _frames(body, reply, stopping))


def _complaint(received: Request, double: OpenAIDouble) -> Status | None:
    """Say what such a server would refuse the request for."""
    body = received.body
    if received.path != "/v1/chat/completions":
        return Status(404, f"no such path {received.path}")
    if double.key and received.headers.get("authorization") != f"Bearer {double.key}":
        return Status(401, f"Incorrect API key provided: {received.headers.get('authorization')}")
    if body["model"] not in double.models:
        return Status(404, f"model '{body['model']}' not found, try pulling it first")
    if [message["role"] for message in body["messages"]] != ["system", "user"]:
        return Status(400, "a system prompt and one turn of the user's are expected here")
    form = body.get("response_format", {}).get("type", "")
    sent = [*(name for name in ("temperature", "stream_options") if name in body), form]
    if lacking := next((name for name in sent if name in double.lacks), ""):
        return Status(400, f"Unsupported value: {lacking!r}")
    if "max_tokens" in body and "max_tokens" in double.lacks:
        return Status(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
    return None


def _frames(body: Json, reply: Chat | Endless | ErrorInside, stopping: threading.Event) -> Iterator[str]:
    def event(delta: Json, finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return json.dumps({"object": "chat.completion.chunk", "model": body["model"], "choices": [choice]})

    yield event({"role": "assistant", "content": ""})
    if isinstance(reply, Endless):
        while not stopping.wait(reply.every_s):
            yield event({"content": reply.piece})
        return
    if isinstance(reply, ErrorInside):
        yield event({"content": '{"sen'})
        yield json.dumps({"error": {"message": reply.message}})
        return
    if reply.thoughts:
        yield event({"reasoning": reply.thoughts})
    if reply.refusal:
        yield event({"refusal": reply.refusal})
    for at in range(0, len(reply.text), 7):
        yield event({"content": reply.text[at : at + 7]})
    if reply.finish:
        yield event({}, reply.finish)
    if reply.usage is not None:
        yield json.dumps({"choices": [], "usage": reply.usage})
    if reply.done:
        yield "[DONE]"


def _by_itself(received: Request) -> Chat:
    question = received.user.rpartition("Question: ")[2].split("\n\nGive ")[0]
    share, number, quote = _nearest(received.user, question)
    if "variants" in received.system:
        kinds = ("paraphrase", "perspective_shift", "keyword_focus")
        return chat_json({"variants": [{"kind": kind, "text": f"{kind} of {question[:200]}"} for kind in kinds]})
    if '"values"' in received.system:
        return chat_json({"values": []})
    if '"sufficient"' in received.system:
        reason = f"{share:.0%} of the question's words stand in one sentence."
        verdict: Json = {"sufficient": share >= 0.5, "reason": reason}
        return chat_json({**verdict, "missing": [] if share >= 0.5 else words(question)[-2:]})
    return chat_json({"sentences": []}) if share < 0.3 else quoting((quote, number, quote))


def _nearest(user: str, question: str) -> tuple[float, int, str]:
    """Give the sentence that holds most of the question's words of four letters and more: share, passage, sentence."""
    wanted = {word for word in words(question) if len(word) > 3} or set(words(question))
    best = (0.0, 0, "")
    for found in re.finditer(
        r'<search_result number="(\d+)">\n[^\n]*\n[^\n]*\n\n(.*?)\n</search_result>', user, re.DOTALL
    ):
        for start, end in sentence_spans(found[2]):
            sentence = found[2][start:end]
            share = len(wanted & set(words(sentence))) / max(1, len(wanted))
            best = max(best, (share, int(found[1]), sentence), key=lambda each: each[0])
    return best
