"""What spans hold, whose trace a message belongs to, and that without a collector nothing is imported."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress

import pytest
import redis
from celery import Celery

from domain.answer import Cost
from store.ephemeral.marks import TraceParents
from tests.collector import Collected, Collector, collecting_from_here
from workers import monitoring
from workers.services.dispatch import Dispatcher

QUESTION, OTHER = "a" * 32, "b" * 32


class _Sender(Celery):
    """Keeps the headers of what is sent."""

    def __init__(self) -> None:
        super().__init__(broker="memory://")
        self.carried: list[dict[str, str]] = []

    def send_task(self, name: str, **options: object) -> None:  # type: ignore[override]
        headers = options["headers"]
        self.carried.append(dict(headers) if isinstance(headers, dict) else {})


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    with collecting_from_here(monkeypatch) as server:
        yield server


@pytest.fixture
def parents(valkey_url: str) -> TraceParents:
    """The memory of questions' traces, empty."""
    client = redis.Redis.from_url(valkey_url)
    client.flushall()
    return TraceParents(client)


def _sent(collector: Collector) -> dict[str, Collected]:
    monitoring.provider().force_flush()
    return {span.name: span for span in collector.spans()}


def test_a_span_says_what_was_noted_and_how_it_ended(collector: Collector) -> None:
    with suppress(ValueError), monitoring.span("outer"), monitoring.span("inner", wellread__row=7):
        monitoring._note_cost(Cost(model="claude-small", input_tokens=900, output_tokens=80, usd=0.002))
        raise ValueError("a word of the question")
    spans = _sent(collector)
    assert spans["inner"].parent_id == spans["outer"].span_id
    assert spans["inner"].failed
    assert spans["inner"].attributes == {
        "wellread.row": 7,
        "gen_ai.request.model": "claude-small",
        "gen_ai.usage.input_tokens": 900,
        "gen_ai.usage.output_tokens": 80,
        "wellread.cost.usd": 0.002,
        "error.type": "ValueError",
    }
    assert b"a word of" not in b"".join(collector.bodies)


def test_a_page_is_named_by_its_host_alone(collector: Collector) -> None:
    with monitoring.span("read"):
        monitoring.note_page("https://user:word@docs.example:8443/private/path?q=words", QUESTION)
    assert _sent(collector)["read"].attributes == {"server.address": "docs.example", "wellread.question.id": QUESTION}


def test_a_message_carries_the_trace_of_its_sender(collector: Collector, parents: TraceParents) -> None:
    sender = _Sender()
    with monitoring.span("request"):
        Dispatcher(sender, parents=parents).send("wellread.retrieve", QUESTION)
    spans = _sent(collector)
    sent = spans["send wellread.retrieve"]
    assert (sent.trace_id, sent.parent_id) == (spans["request"].trace_id, spans["request"].span_id)
    assert sender.carried[0]["traceparent"].split("-")[1:3] == [sent.trace_id, sent.span_id]
    assert sent.attributes["wellread.question.id"] == QUESTION


def test_a_question_that_another_one_sets_going_stays_in_its_own_trace(
    collector: Collector, parents: TraceParents
) -> None:
    with monitoring.span("request"):
        parents.keep(QUESTION, monitoring.headers())
    with monitoring.span("another request"):
        parents.keep(OTHER, monitoring.headers())
        Dispatcher(_Sender(), parents=parents).send("wellread.requery", QUESTION)
    Dispatcher(_Sender(), parents=parents).send("wellread.seek", QUESTION)  # as the sweep does
    Dispatcher(_Sender(), parents=parents).send("wellread.read", 7, question_id=QUESTION)
    spans = _sent(collector)
    assert spans["send wellread.read"].trace_id == spans["request"].trace_id
    assert spans["send wellread.requery"].parent_id == spans["request"].span_id
    assert spans["send wellread.seek"].trace_id == spans["request"].trace_id


def test_a_step_further_on_is_sent_from_the_step_before(collector: Collector, parents: TraceParents) -> None:
    with monitoring.span("request"):
        parents.keep(QUESTION, monitoring.headers())
        carried = monitoring.headers()
    with monitoring.span("step", "consumer", parent=carried):
        Dispatcher(_Sender(), parents=parents).send("wellread.retry", QUESTION)
    spans = _sent(collector)
    assert spans["send wellread.retry"].parent_id == spans["step"].span_id


def test_a_message_is_sent_where_redis_and_the_collector_are_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    monitoring._provider.cache_clear()
    sender = _Sender()
    parents = TraceParents(redis.Redis(host="127.0.0.1", port=9))
    parents.keep(QUESTION, {"traceparent": "x"})
    assert Dispatcher(sender, parents=parents).send("wellread.retrieve", QUESTION)
    assert sender.carried[0]["traceparent"]
    monitoring.close()
    monitoring._provider.cache_clear()


@pytest.mark.parametrize(
    "env",
    [
        {},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_SDK_DISABLED": "true"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_TRACES_EXPORTER": "none"},
    ],
)
def test_without_a_collector_nothing_is_recorded(monkeypatch: pytest.MonkeyPatch, env: dict[str, str]) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    sender = _Sender()
    with monitoring.span("request"):
        monitoring.note(wellread__row=1)
        Dispatcher(sender).send("wellread.retrieve", QUESTION)
    assert sender.carried == [{}]


def test_without_a_collector_a_worker_imports_nothing_that_makes_or_sends_spans() -> None:
    code = (
        "import sys, workers.tasks.answer, workers.tasks.crawl\n"
        "from workers import monitoring\n"
        "with monitoring.span('x'): monitoring.note(wellread__row=1); monitoring.fail(ValueError())\n"
        "monitoring.headers()\n"
        "parts = ('opentelemetry.sdk.trace', 'opentelemetry.exporter', 'requests')\n"  # redis imports others
        "sys.exit(sorted(name for name in sys.modules if name.startswith(parts)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
