"""Message Batches, as Anthropic's API has them: made, listed, ended by the test, read, cancelled and deleted."""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal
from urllib.parse import urlsplit

from evals.model.wire import Fail, Json, Say, message_of

PATH = "/v1/messages/batches"
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
#: what becomes of a request; a Fail is an error of its own
Result = Say | Fail | Literal["expired", "canceled"]


@dataclass(kw_only=True)
class HeldBatch:
    """A batch at the service."""

    id: str
    requests: dict[str, Json]
    created_at: datetime
    results: dict[str, Json] | None = None  #: None: it is in progress

    def told(self, url: str) -> Json:
        """The message_batch object."""
        kinds = [result["type"] for result in (self.results or {}).values()]
        names = ("succeeded", "errored", "canceled", "expired")
        counts = {name: kinds.count(name) for name in names}
        return {
            "id": self.id,
            "type": "message_batch",
            "processing_status": "in_progress" if self.results is None else "ended",
            "request_counts": {"processing": len(self.requests) - len(kinds), **counts},
            "created_at": self.created_at.isoformat(),
            "expires_at": (self.created_at + timedelta(days=1)).isoformat(),
            "ended_at": None if self.results is None else self.created_at.isoformat(),
            "archived_at": None,
            "cancel_initiated_at": None,
            "results_url": None if self.results is None else f"{url}{PATH}/{self.id}/results",
        }

    def end(self, *results: Result) -> None:
        """End with these results of its requests, in order."""
        each = zip(self.requests.items(), results, strict=True)
        self.results = {name: _result(params, result) for (name, params), result in each}


@dataclass
class Batches:
    """Those of the account."""

    held: dict[str, HeldBatch] = field(default_factory=dict)
    read: list[HeldBatch] = field(default_factory=list)  #: and deleted
    made: int = 0
    refuses: Fail | Json | None = None  #: each batch that is sent; JSON: it answers so, and makes none
    refuses_cancel: Fail | None = None
    goes_silent: bool = False  #: a batch is made, and whoever sent it does not learn of it
    let_go: threading.Event | None = None  #: a batch is made at once, and its sender learns of it when this is set
    page: int = 100  #: batches that a list has at most

    @property
    def deleted(self) -> list[str]:
        """The ids of those that were deleted."""
        return [batch.id for batch in self.read]

    @property
    def last(self) -> HeldBatch:
        """The newest one."""
        return list(self.held.values())[-1]

    def post(self, path: str, body: Json, url: str) -> tuple[int, Json] | None:
        """Answer a POST; None: by losing the connection."""
        if path.endswith("/cancel") and self.refuses_cancel:
            return self.refuses_cancel.status, _error(self.refuses_cancel)
        if path.endswith("/cancel"):
            batch = self.held[path.split("/")[-2]]
            batch.results = {name: {"type": "canceled"} for name in batch.requests}
            return 200, batch.told(url)
        if isinstance(self.refuses, dict):
            return 200, self.refuses
        if self.refuses:
            return self.refuses.status, _error(self.refuses)
        named = [request["custom_id"] for request in body["requests"]]
        if not named or len(set(named)) < len(named) or not all(map(_NAME.fullmatch, named)):
            return 400, _error(Fail(400, "invalid_request_error", "requests: custom_id must be unique and match"))
        self.made += 1
        requests = {request["custom_id"]: request["params"] for request in body["requests"]}
        batch = HeldBatch(id=f"msgbatch_{self.made}", requests=requests, created_at=datetime.now(UTC))
        self.held[batch.id] = batch
        if self.let_go:
            self.let_go.wait(60)
        return None if self.goes_silent else (200, batch.told(url))

    def get(self, path: str, url: str) -> tuple[int, bytes]:
        """Answer a GET."""
        parts = urlsplit(path)
        if parts.path == PATH:
            newest = list(reversed(self.held.values()))
            after = re.search(r"after_id=(\w+)", parts.query)
            at = [batch.id for batch in newest].index(after[1]) + 1 if after else 0
            shown = newest[at : at + self.page]
            ends = {"first_id": shown[0].id, "last_id": shown[-1].id} if shown else {"first_id": None, "last_id": None}
            listed = {"data": [batch.told(url) for batch in shown], "has_more": at + self.page < len(newest), **ends}
            return 200, json.dumps(listed).encode()
        batch = self.held.get(parts.path.removeprefix(f"{PATH}/").removesuffix("/results"))
        if batch is None:
            return 404, json.dumps(_error(Fail(404, "not_found_error", "no such batch"))).encode()
        if not parts.path.endswith("/results"):
            return 200, json.dumps(batch.told(url)).encode()
        lines = [{"custom_id": name, "result": result} for name, result in reversed((batch.results or {}).items())]
        return 200, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()

    def delete(self, path: str) -> Json:
        """Answer a DELETE."""
        batch_id = path.removeprefix(f"{PATH}/")
        self.read.append(self.held.pop(batch_id))
        return {"id": batch_id, "type": "message_batch_deleted"}


def _result(params: Json, result: Result) -> Json:
    if isinstance(result, Say):
        return {"type": "succeeded", "message": message_of(params, result)}
    return {"type": "errored", "error": _error(result)} if isinstance(result, Fail) else {"type": result}


def _error(fail: Fail) -> Json:
    return {"type": "error", "error": {"type": fail.type, "message": fail.message}, "request_id": None}
