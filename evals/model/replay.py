"""A double of Anthropic's Messages API that replies with what was written to the same request before.

A request without a stored reply is written to a folder, so that somebody can reply to it, and refused: the product then
answers as it does when a model fails.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

from evals.model.api_rules import complaint
from evals.model.replies import Replies, Reply
from evals.model.requests import Json, Kind, Request, Result, request_of, tokens_of
from evals.model.service import ModelServer
from evals.model.wire import Fail, MessagesHandler

KEY = "sk-ant-replayed"


@dataclass(frozen=True, kw_only=True)
class Call:
    """A request that came in, and the reply to it."""

    question: str  #: the id of the question that it was made for
    kind: Kind
    hash: str
    model: str
    tokens_in: int
    tokens_out: int = 0
    reply: Reply | None = None  #: None: there was none


class ReplayedModel(ModelServer[Json, Fail]):
    """The server, as a context manager; ``question`` is the id of the question that is asked now."""

    def __init__(self, replies: Replies, addresses: Mapping[str, str], today: date, missing: Path) -> None:
        super().__init__(_Handler)
        self.replies = replies
        self.question = ""
        self.calls: list[Call] = []
        self._addresses, self._today, self._missing = addresses, today, missing
        self._recording = threading.Lock()

    def begin(self, question: str) -> None:
        """Count what is asked from now on as for this question."""
        self.question = question

    def reply_to(self, body: Json) -> tuple[Reply | None, Request]:
        """Return the stored reply to a request; without one, write the request to the folder of missing ones."""
        request = request_of(body, self._addresses, self._today)
        reply = self.replies.get(request)
        with self._recording:
            self.calls.append(
                Call(
                    question=self.question,
                    kind=request.kind,
                    hash=request.hash,
                    model=body["model"],
                    tokens_in=request.tokens,
                    tokens_out=tokens_of(reply.text) if reply else 0,
                    reply=reply,
                )
            )
            if reply is None:
                save_missing(request, self.question, self._missing)
        return reply, request


class _Handler(MessagesHandler):
    def answer_post(self, headers: dict[str, str], body: Json) -> None:
        double = self.server.double
        if wrong := complaint(self.path, headers, body, KEY):
            self.reply_with(body, wrong)
            return
        reply, request = double.reply_to(body)
        none = Fail(400, "invalid_request_error", f"no reply is stored for {request.hash}")
        self.reply_with(body, reply.say(request) if reply else none)


def save_missing(request: Request, question: str, folder: Path) -> None:
    """Write a request to which there is no reply."""
    folder.mkdir(parents=True, exist_ok=True)
    content = {"hash": request.hash, "kind": request.kind, "question": question, "request": asdict(request)}
    text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    (folder / f"{request.hash}.json").write_text(text, "utf-8")


def read_missing(file: Path) -> tuple[Request, str]:
    """Return a request to which there was no reply, and the id of its question."""
    content: dict[str, Any] = json.loads(file.read_text("utf-8"))
    request = content["request"]
    results = tuple(Result(**{**one, "blocks": tuple(one["blocks"])}) for one in request["results"])
    fixed = {"system": tuple(request["system"]), "results": results, "texts": tuple(request["texts"])}
    return Request(**{**request, **fixed}), content["question"]
