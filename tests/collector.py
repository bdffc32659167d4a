"""A collector of traces on loopback: it takes OTLP over HTTP as OpenTelemetry's does, and keeps the spans."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from tests.servers import running
from workers import monitoring


@dataclass(frozen=True, kw_only=True)
class Collected:
    """A span as it came."""

    name: str
    service: str
    trace_id: str
    span_id: str
    parent_id: str
    kind: int
    seconds: float
    failed: bool
    attributes: dict[str, Any]


class Collector(ThreadingHTTPServer):
    """The server, and what it received."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Receives)
        self.lock = threading.Lock()
        self.bodies: list[bytes] = []
        self.paths: set[str] = set()

    def spans(self) -> list[Collected]:
        """Every span, in the order they came."""
        with self.lock:
            bodies = list(self.bodies)
        return [span for body in bodies for span in _spans(body)]


@contextmanager
def collecting() -> Iterator[tuple[Collector, str]]:
    """Take spans; yields the collector and its origin."""
    collector = Collector()
    with running(collector) as origin:
        yield collector, origin


class _Receives(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        with self.server.lock:
            self.server.bodies.append(body)
            self.server.paths.add(f"{self.path} {self.headers['content-type']}")
        answer = ExportTraceServiceResponse().SerializeToString()
        self.send_response(200)
        self.send_header("content-type", "application/x-protobuf")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


def _spans(body: bytes) -> Iterator[Collected]:
    for of_resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        service = _plain(of_resource.resource.attributes)["service.name"]
        for scope in of_resource.scope_spans:
            for span in scope.spans:
                yield Collected(
                    name=span.name,
                    service=service,
                    trace_id=span.trace_id.hex(),
                    span_id=span.span_id.hex(),
                    parent_id=span.parent_span_id.hex(),
                    kind=span.kind,
                    seconds=(span.end_time_unix_nano - span.start_time_unix_nano) / 1e9,
                    failed=span.status.code == 2,
                    attributes=_plain(span.attributes),
                )


def _plain(attributes: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in attributes}


@contextmanager
def collecting_from_here(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    """A collector that this process sends its spans to, and those of the block alone."""
    with collecting() as (server, origin):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", origin)
        monitoring._provider.cache_clear()
        yield server
        monitoring.close()
        monitoring._provider.cache_clear()
