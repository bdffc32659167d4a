"""A double of Anthropic's Messages API: a real HTTP server on loopback that the real SDK talks to.

It checks requests as the API does (key, version, shapes, what a model does not take), records them, and replies with
what was scripted, else by itself: an answer that cites the block nearest to the question, a verdict by the same
measure, variants by rule.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evals.model.api_rules import complaint, wrong_headers
from evals.model.service import ModelServer
from evals.model.wire import (
    Cite,
    Json,
    MessagesHandler,
    Reply,
    Say,
    Slow,
    Wait,
    content_of,
    say_json,
)
from pipeline.models.claude import ClaudeProvider
from pipeline.models.model import LanguageModel
from pipeline.models.pace import Pace, Times
from tests.claude_batches import PATH as BATCHES
from tests.claude_batches import Batches
from tests.fakes import Unpaced
from text.sentences import sentence_spans
from text.terms import words
from workers.settings import CLAUDE_LARGE_MODEL, CLAUDE_SMALL_MODEL

KEY = "sk-ant-double-0123456789"


def claude_at(
    *,
    api_key: str = KEY,
    small_model: str = CLAUDE_SMALL_MODEL,
    large_model: str = CLAUDE_LARGE_MODEL,
    max_tokens: int = 4096,
    max_usd: float = 0.5,
    timeout_s: float = 10.0,
    first_token_s: float = 10.0,
    pace: Pace | None = None,
    **provider: Any,
) -> LanguageModel:
    """Make a Claude that talks to a double."""
    return LanguageModel(
        provider=ClaudeProvider(api_key=api_key, **provider),
        times=Times(first_token_s=first_token_s, whole_s=timeout_s),
        pace=pace or Unpaced(),
        max_tokens=max_tokens,
        max_usd=max_usd,
        small_model=small_model,
        large_model=large_model,
    )


@dataclass(frozen=True, kw_only=True)
class Received:
    """A request as it came in."""

    path: str
    headers: Mapping[str, str]  #: names in lower case
    body: Json

    def search_results(self) -> list[Json]:
        """Its search_result blocks in order."""
        return [block for block in content_of(self.body) if block["type"] == "search_result"]

    def text_outside_search_results(self) -> str:
        """Everything of the request that is not in a search_result block."""
        rest = [block for block in content_of(self.body) if block["type"] != "search_result"]
        return json.dumps([{**self.body, "messages": rest}, dict(self.headers), self.path], ensure_ascii=False)


class ClaudeDouble(ModelServer[Received, Reply]):
    """The server."""

    def __init__(self, *, key: str = KEY) -> None:
        super().__init__(_Handler)
        self.key = key
        self.batches = Batches()

    def forget(self) -> None:
        """Drop what was received, what was scripted, and all batches."""
        super().forget()
        self.batches = Batches()


class _Handler(MessagesHandler):
    def answer_get(self) -> None:
        if self.path.startswith("/v1/models"):
            if self._has_key():
                named = [{"id": name, "type": "model"} for name in (CLAUDE_LARGE_MODEL, CLAUDE_SMALL_MODEL)]
                self._tell(200, {"data": named, "has_more": False, "first_id": None, "last_id": None})
            return
        if not self.path.startswith(BATCHES):
            super().answer_get()
            return
        if not self._has_key():
            return
        status, payload = self.server.double.batches.get(self.path, self.server.double.url)
        self.whole(status, payload, "application/x-jsonl" if self.path.endswith("results") else "application/json", {})

    def do_DELETE(self) -> None:  # noqa: N802 (http.server's name)
        if self._has_key():
            self._tell(200, self.server.double.batches.delete(self.path))

    def _has_key(self) -> bool:
        headers = {name.lower(): value for name, value in self.headers.items()}
        if wrong := wrong_headers(headers, self.server.double.key):
            self.reply_with({}, wrong)
        return wrong is None

    def _tell(self, status: int, value: Json) -> None:
        self.whole(status, json.dumps(value).encode(), "application/json", {})

    def answer_post(self, headers: dict[str, str], body: Json) -> None:
        if self.path.startswith(BATCHES):
            if self._has_key():
                made = self.server.double.batches.post(self.path, body, self.server.double.url)
                self.close_connection = made is None
                if made:
                    self._tell(*made)
            return
        reply = self.server.double.take(Received(path=self.path, headers=headers, body=body))
        reply = complaint(self.path, headers, body, self.server.double.key) or reply or _by_itself(body)
        if isinstance(reply, Wait):
            self.server.double.stopping.wait(reply.seconds)
            reply = _by_itself(body)
        if isinstance(reply, Slow):
            with self.one_by_one(reply.quick, reply.every_s):
                self.reply_with(body, reply.say, reply.say)
        else:
            self.reply_with(body, reply, _by_itself(body))


def _by_itself(body: Json) -> Say:
    schema = body.get("output_config", {}).get("format", {}).get("schema", {}).get("properties", {})
    question = _question(body)
    nearest = _nearest(body, question)
    if "variants" in schema:
        kinds = ("paraphrase", "perspective_shift", "keyword_focus")
        return say_json({"variants": [{"kind": kind, "text": f"{kind} of {question[:200]}"} for kind in kinds]})
    if "values" in schema:
        return say_json({"values": []})
    if "sufficient" in schema:
        share = nearest[0] if nearest else 0.0
        reason = f"{share:.0%} of the question's words stand in one sentence."
        missing = [] if share >= 0.5 else words(question)[-2:]
        return say_json(
            {
                "sufficient": share >= 0.5,
                "reason": reason,
                "missing": missing,
            }
        )
    if nearest is None or nearest[0] < 0.3:
        return Say(["The search results do not say."])
    _, result, block, text = nearest
    return Say([(text.strip(), [Cite(result=result, start=block, end=block + 1)])], thinks=True)


def _question(body: Json) -> str:
    text = str(content_of(body)[-1]["text"])
    return text.removeprefix("Question: ").split("\n\nGive ")[0]


def _nearest(body: Json, question: str) -> tuple[float, int, int, str] | None:
    """Give the sentence with most of the question's words of four letters and more: share, result, block, text."""
    wanted = {word for word in words(question) if len(word) > 3} or set(words(question))
    scored = [
        (len(wanted & set(words(text))) / max(1, len(wanted)), -at_result, -at_block, -at, text)
        for at_result, result in enumerate(block for block in content_of(body) if block["type"] == "search_result")
        for at_block, block in enumerate(result["content"])
        for at, (start, end) in enumerate(sentence_spans(block["text"]))
        if (text := block["text"][start:end])
    ]
    if not scored:
        return None
    share, result, block, _, text = max(scored)
    return share, -result, -block, text
