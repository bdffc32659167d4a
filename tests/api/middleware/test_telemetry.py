"""Which requests are recorded as spans where a collector is named."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from tests.api.conftest import LOCAL
from tests.collector import Collector, collecting_from_here
from workers import monitoring
from workers.services import Services

CALLERS = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    with collecting_from_here(monkeypatch) as server:
        yield server


def test_who_asks_is_recorded_and_who_looks_is_not(collector: Collector, services: Services) -> None:
    with TestClient(create_app(services), base_url=LOCAL) as http:
        body = {"question": "Who keeps the lamp at Gull Point?", "reuse": False}
        asked = http.post("/api/questions", json=body, headers={"traceparent": CALLERS}).json()["id"]
        http.get(f"/api/questions/{asked}")
        http.get("/api/threads", params={"q": "Gull"})
    monitoring.provider().force_flush()
    request, sent = sorted(collector.spans(), key=lambda span: span.name)
    assert (request.name, sent.name) == ("POST /api/questions", "send wellread.retrieve")
    assert request.attributes["wellread.question.id"] == asked
    assert request.attributes["http.response.status_code"] == 202
    assert f"00-{request.trace_id}-{request.parent_id}-01" == CALLERS
    assert sent.parent_id == request.span_id
    assert b"Gull" not in b"".join(collector.bodies)


def test_without_a_collector_requests_are_not_recorded(services: Services) -> None:
    app = create_app(services)
    assert not app._native_telemetry.enabled()
