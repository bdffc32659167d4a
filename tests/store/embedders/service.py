"""A service on loopback that embeds as OpenAI does, and reranks, for what asks one over HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.servers import running


@dataclass
class Service:
    """An OpenAI-compatible service on loopback; ``answer`` decides what one request gets."""

    answer: Callable[[int, dict[str, Any]], tuple[int, dict[str, str], Any]]
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)


def vector(text: str, dimension: int = 3) -> list[float]:
    return [float(len(text) + 1)] + [2.0] * (dimension - 1)


def embeddings(body: dict[str, Any], dimension: int = 3) -> dict[str, Any]:
    data = [{"index": i, "embedding": vector(text, dimension)} for i, text in enumerate(body["input"])]
    return {"data": data[::-1]}  # the order is in the index, not in the list


@contextmanager
def serving() -> Iterator[Service]:
    """Serve on loopback until the block ends."""
    state = Service(answer=lambda number, body: (200, {}, embeddings(body)))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            state.requests.append(body)
            state.keys.append(self.headers["authorization"])
            status, headers, reply = state.answer(len(state.requests), body)
            if self.path not in ("/v1/embeddings", "/v1/rerank"):
                status, headers, reply = 404, {}, {"error": "no such path"}
            content = reply.encode() if isinstance(reply, str) else json.dumps(reply).encode()
            self.send_response(status)
            for name, value in {**headers, "content-length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with running(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as origin:
        state.url = f"{origin}/v1"
        yield state
