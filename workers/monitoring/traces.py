"""Traces: each question as one, sent by OTLP over HTTP to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names.

Where none is named, nothing that makes or sends spans is imported. The other variables of the standard are read by its
own library. A span holds ids, names, outcomes, times and costs, and of a page its host: no word of a
question, no text, no path.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import urlsplit

import structlog

from domain.answer import Cost
from domain.flow import TASKS

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

log = structlog.get_logger()

Kind = Literal["internal", "producer", "consumer"]
Headers = Mapping[str, str]
Value = str | int | float

#: the outcome of a message whose row waits for something else
NOT_DUE = "not due"
#: that of a page whose host is busy, or failed for now
LATER = "later"
#: the headers of W3C's Trace Context, as a message carries them
_CARRIED = ("traceparent", "tracestate", "baggage")


class _Own(NamedTuple):
    """What one process of ours sends its spans with."""

    provider: "TracerProvider"
    tracer: Any


def is_on() -> bool:
    """Return whether a collector is named and the extra is installed."""
    named = os.environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") or os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT")
    if not named or os.environ.get("OTEL_TRACES_EXPORTER", "otlp") == "none":
        return False
    return os.environ.get("OTEL_SDK_DISABLED", "").lower() != "true" and _is_installed()


def provider() -> "TracerProvider":
    """Return what makes this process's spans; only where :func:`is_on`."""
    return _own(os.getpid()).provider


def close() -> None:
    """Send what has not been sent, before the process ends."""
    if is_on() and _own.cache_info().currsize:
        provider().shutdown()


@contextmanager
def span(name: str, kind: Kind = "internal", *, parent: Headers | None = None, **attributes: Value) -> Iterator[None]:
    """Record the block as a span of the current trace, or of the one whose headers are given; empty ones begin one.

    In the names of attributes ``__`` stands for a dot.
    """
    if not is_on():
        yield
        return
    from opentelemetry import propagate
    from opentelemetry.trace import SpanKind

    with _own(os.getpid()).tracer.start_as_current_span(
        name,
        context=None if parent is None else propagate.extract(parent),
        kind=SpanKind[kind.upper()],
        attributes=_dotted(attributes),
        record_exception=False,  # its message may hold words
        set_status_on_exception=False,
    ):
        try:
            yield
        except BaseException as error:
            fail(error)
            raise


def note(**attributes: Value) -> None:
    """Add to the current span; in names ``__`` stands for a dot."""
    if is_on():
        from opentelemetry import trace

        trace.get_current_span().set_attributes(_dotted(attributes))


def note_page(url: str, question_id: str) -> None:
    """Add which host a page is read from, and for which question."""
    host = urlsplit(url).hostname
    note(
        **({"server__address": host} if host else {}),
        **({"wellread__question__id": question_id} if question_id else {}),
    )


def note_cost(cost: Cost) -> None:
    """Add what a step's model calls cost, where there were any."""
    if cost.model:
        note(
            gen_ai__request__model=cost.model,
            gen_ai__usage__input_tokens=cost.input_tokens,
            gen_ai__usage__output_tokens=cost.output_tokens,
            wellread__cost__usd=cost.usd,
        )


def fail(error: BaseException) -> None:
    """Mark the current span as failed, by the error's name alone."""
    if is_on():
        from opentelemetry import trace

        current = trace.get_current_span()
        current.set_attribute("error.type", type(error).__name__)
        current.set_status(trace.StatusCode.ERROR)


def headers() -> dict[str, str]:
    """Return what carries the current span to another process; nothing where there is none."""
    carrier: dict[str, str] = {}
    if is_on():
        from opentelemetry import propagate

        propagate.inject(carrier)
    return carrier


def headers_of(request: Any) -> dict[str, str]:
    """Return what a Celery message carried."""
    carried = {name: getattr(request, name, None) or (request.headers or {}).get(name) for name in _CARRIED}
    return {name: str(value) for name, value in carried.items() if value}


def continues(known: Headers) -> bool:
    """Return whether the current span is of the trace with these headers."""
    return (
        bool(known) and known.get("traceparent", "").split("-")[1:2] == headers().get("traceparent", "").split("-")[1:2]
    )


def question_of(task: str, row_id: object) -> str:
    """Return the question that a task is about; "" where its row is another."""
    return str(row_id) if task in TASKS and TASKS[task].row == "question" else ""


def attributes_of(task: str, row_id: object) -> dict[str, Value]:
    """Return what every span about a message says."""
    said: dict[str, Value] = {"messaging__destination__name": TASKS[task].queue, "wellread__task": task}
    question = question_of(task, row_id)
    if question:
        said["wellread__question__id"] = question
    elif isinstance(row_id, int):
        said["wellread__row"] = row_id
    return said


def _dotted(attributes: Mapping[str, Value]) -> dict[str, Value]:
    return {name.replace("__", "."): value for name, value in attributes.items()}


@lru_cache(maxsize=1)
def _own(_pid: int) -> _Own:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    name = f"wellread-{os.environ.get('WELLREAD_QUEUE') or 'api'}"
    is_named = "OTEL_SERVICE_NAME" in os.environ or "service.name" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    made = TracerProvider(resource=Resource.create({} if is_named else {"service.name": name}))
    made.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return _Own(provider=made, tracer=made.get_tracer("wellread"))


@cache
def _is_installed() -> bool:
    try:
        found = find_spec("opentelemetry.exporter.otlp.proto.http") and find_spec("opentelemetry.sdk.trace")
    except ModuleNotFoundError:
        found = None
    if not found:
        log.warning("traces_off", reason="OTEL_EXPORTER_OTLP_ENDPOINT is set: pip install '.[otel]' in a checkout")
    return bool(found)
