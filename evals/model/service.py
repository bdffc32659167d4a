"""A real HTTP server on loopback that records requests and follows a script: what doubles of model services share."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

Received = TypeVar("Received")
Reply = TypeVar("Reply")


class ModelServer(Generic[Received, Reply]):
    """The server, as a context manager; ``received`` has every request so far."""

    def __init__(self, handler: type[ModelHandler]) -> None:
        self.received: list[Received] = []
        self.connections = 0  #: that were opened
        self.stopping = threading.Event()
        self._script: deque[Reply] = deque()
        self._lock = threading.Lock()
        self._server = _Server(self, handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Its base URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def script(self, *replies: Reply) -> None:
        """Reply with these next, in order; afterwards it replies by itself again."""
        with self._lock:
            self._script.extend(replies)

    def forget(self) -> None:
        """Drop what was received and what was scripted."""
        with self._lock:
            self.connections = 0
            self.received.clear()
            self._script.clear()

    def take(self, received: Received) -> Reply | None:
        """Record a request and give the next scripted reply."""
        with self._lock:
            self.received.append(received)
            return self._script.popleft() if self._script else None


class ModelHandler(BaseHTTPRequestHandler):
    """Reads a request's JSON and sends whole replies and streams."""

    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Answer a GET."""
        self.answer_get()

    def do_POST(self) -> None:
        """Answer a POST."""
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.answer_post(headers, json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or "{}"))

    def answer_get(self) -> None:
        """Answer a GET; unless a double does, there is nothing."""
        self.whole(404, b"{}", "application/json", {})

    def answer_post(self, headers: dict[str, str], body: dict[str, Any]) -> None:
        """Answer a POST of JSON; the headers' names are in lower case."""
        raise NotImplementedError

    @contextmanager
    def one_by_one(self, quick: int, every_s: float) -> Iterator[None]:
        """Send what is written meanwhile: so many bytes at once, the others one after another."""
        wire, self.wfile = self.wfile, BytesIO()
        yield
        written, self.wfile = self.wfile.getvalue(), wire
        wire.write(written[:quick])
        for at in range(quick, len(written)):
            if self.server.double.stopping.wait(every_s):
                return
            wire.write(written[at : at + 1])

    def whole(self, status: int, payload: bytes, content_type: str, headers: Mapping[str, str]) -> None:
        """Send a whole reply."""
        self.send_response(status)
        for name, value in {"content-type": content_type, "content-length": str(len(payload)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(payload)

    def stream(self, frames: Iterator[str], *, breaks: bool = False) -> None:
        """Send a stream of events; one that ``breaks`` never ends, its connection does."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for frame in frames:
            data = f"{frame}\n\n".encode()
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
            self.wfile.flush()
        if breaks:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, double: Any, handler: type[ModelHandler]) -> None:
        self.double = double
        super().__init__(("127.0.0.1", 0), handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Count a connection."""
        self.double.connections += 1
        super().process_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that hang up are part of the tests."""
