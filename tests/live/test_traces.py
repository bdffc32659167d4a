"""Where a collector is named, each question is one trace, from its request to its last step."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.collector import Collected, Collector, collecting
from tests.live.test_faults import FINAL, QUESTIONS, _stack, _status
from workers.processes.supervise import wait_until

pytestmark = [pytest.mark.live, pytest.mark.nightly, pytest.mark.timeout(600)]

CALLERS = "4bf92f3577b34da6a3ce929d0e0e4736"
CALLERS_SPAN = "00f067aa0ba902b7"
SERVER, PRODUCER, CONSUMER = 2, 4, 5


def _of(collector: Collector, trace_id: str) -> list[Collected]:
    return [span for span in collector.spans() if span.trace_id == trace_id]


def _named(spans: list[Collected], name: str) -> list[Collected]:
    return [span for span in spans if span.name == name]


def test_a_question_is_one_trace_from_its_request_to_its_last_step(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "200")
    with collecting() as (collector, origin):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", origin)
        with _stack(monkeypatch, tmp_path) as (_, client):
            traced = {"traceparent": f"00-{CALLERS}-{CALLERS_SPAN}-01"}
            first = client.post("/api/questions", json={"question": QUESTIONS[0]}, headers=traced).json()["id"]
            others = [client.post("/api/questions", json={"question": text}).json()["id"] for text in QUESTIONS[2:5]]
            assert wait_until(lambda: all(_status(client, each) in FINAL for each in [first, *others]), within_s=240)
        # the stack has stopped: every process has sent what it had
        spans = _of(collector, CALLERS)
        by_id = {span.span_id: span for span in spans}
        (request,) = _named(spans, "POST /api/questions")
        assert (request.parent_id, request.kind, request.service) == (CALLERS_SPAN, SERVER, "wellread-api")
        assert {span.parent_id for span in spans} - by_id.keys() == {CALLERS_SPAN}  # all are linked
        ids = {span.attributes["wellread.question.id"] for span in spans if "wellread.question.id" in span.attributes}
        assert ids == {first}

        # a message may come twice: whoever came second did nothing
        (retrieve,) = [s for s in _named(spans, "wellread.retrieve") if s.attributes["wellread.outcome"] != "not due"]
        assert (retrieve.kind, retrieve.service) == (CONSUMER, "wellread-answer")
        assert retrieve.attributes["wellread.outcome"] == "insufficient"
        sent = by_id[retrieve.parent_id]
        assert (sent.name, sent.kind, sent.parent_id) == ("send wellread.retrieve", PRODUCER, request.span_id)
        (last,) = [s for s in spans if s.attributes.get("wellread.status") in FINAL]
        assert last.name == "wellread.requery"
        assert last.seconds > 0

        reads = [span for span in _named(spans, "wellread.read") if span.attributes["wellread.outcome"] != "not due"]
        assert {"read"} <= {span.attributes["wellread.outcome"] for span in reads}
        assert {(span.service, span.attributes["server.address"]) for span in reads} == {
            ("wellread-crawl", "127.0.0.1")
        }
        assert _named(spans, "wellread.seek")

        for other in others:
            traces = {s.trace_id for s in collector.spans() if s.attributes.get("wellread.question.id") == other}
            assert len(traces) == 1, other
        assert not any(span.name.endswith(("sweep", "refresh")) for span in collector.spans())
        assert collector.paths == {"/v1/traces application/x-protobuf"}
        told = b"".join(collector.bodies)
    for words in (*(text[:20] for text in QUESTIONS), "lighthouse", ".html"):
        assert words.encode() not in told
