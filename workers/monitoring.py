"""What came of each task: in words, which Flower shows as its result, and in traces, each question as one.

Traces are sent by OTLP over HTTP to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names. Where none is named, nothing
that makes or sends spans is imported. The other variables of the standard are read by its own library. A span holds
ids, names, outcomes, times and costs, and of a page its host: no word of a question, no text, no path.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

import structlog

from crawler.fetch.guard import EgressForbidden
from domain import ReadOutcome, Status
from domain.answer import Cost
from domain.flow import TASKS
from domain.outcome import outcome_at_end
from store.crawl.candidates import CandidateOutcome
from store.questions.state import Move
from store.questions.trace import LookupDetail, WriteDetail
from workers.egress import TRACES, require

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

log = structlog.get_logger()

Kind = Literal["internal", "producer", "consumer"]
Headers = Mapping[str, str]
Value = str | int | float

#: the headers of W3C's Trace Context, as a message carries them
_CARRIED = ("traceparent", "tracestate", "baggage")
#: of one outcome in words
MOST_CHARS = 200
#: the row waits for something else, or another process works on it
NOT_DUE = "nothing to do"

_reported: ContextVar[list[str] | None] = ContextVar("reported", default=None)


def is_on() -> bool:
    """Return whether a collector is named and the extra is installed."""
    named = next(filter(None, map(os.environ.get, TRACES)), None)
    if not named or os.environ.get("OTEL_TRACES_EXPORTER", "otlp") == "none":
        return False
    return os.environ.get("OTEL_SDK_DISABLED", "").lower() != "true" and _is_installed() and _may_be_reached(named)


def provider() -> "TracerProvider":
    """Return what makes this process's spans; only where :func:`is_on`."""
    return _provider(os.getpid())


def close() -> None:
    """Send what has not been sent, before the process ends."""
    if is_on() and _provider.cache_info().currsize:
        provider().shutdown()


@contextmanager
def span(name: str, kind: Kind = "internal", *, parent: Headers | None = None, **attributes: Value) -> Iterator[None]:
    """Record the block as a span of the current trace, or of the one whose headers are given; empty ones begin one.

    In the names of attributes ``__`` means a dot.
    """
    if not is_on():
        yield
        return
    from opentelemetry import propagate
    from opentelemetry.trace import SpanKind

    with (
        provider()
        .get_tracer("wellread")
        .start_as_current_span(
            name,
            context=None if parent is None else propagate.extract(parent),
            kind=SpanKind[kind.upper()],
            attributes=_dotted(attributes),
            record_exception=False,  # its message may hold words
            set_status_on_exception=False,
        )
    ):
        try:
            yield
        except BaseException as error:
            fail(error)
            raise


def note(**attributes: Value) -> None:
    """Add to the current span; in names ``__`` means a dot."""
    if is_on():
        from opentelemetry import trace

        trace.get_current_span().set_attributes(_dotted(attributes))


def note_page(url: str, question_id: str) -> None:
    """Add which host a page is read from, and for which question."""
    note(server__address=urlsplit(url).hostname or "", wellread__question__id=question_id)


def _note_cost(cost: Cost) -> None:
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
    ours, theirs = (each.get("traceparent", "").split("-")[1:2] for each in (headers(), known))
    return bool(known) and ours == theirs


def question_of(task: str, row_id: object) -> str:
    """Return the question that a task is about; "" where its row is another."""
    return str(row_id) if task in TASKS and TASKS[task].row == "question" else ""


def attributes_of(task: str, row_id: object) -> dict[str, Value]:
    """Return what every span about a message says."""
    return {
        "messaging__destination__name": TASKS[task].queue,
        "wellread__task": task,
        "wellread__question__id": question_of(task, row_id),
        "wellread__row": row_id if isinstance(row_id, int) else "",
    }


def _dotted(attributes: Mapping[str, Value]) -> dict[str, Value]:
    return {name.replace("__", "."): value for name, value in attributes.items() if value != ""}


@lru_cache(maxsize=1)
def _provider(_pid: int) -> "TracerProvider":
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    name = f"wellread-{os.environ.get('WELLREAD_QUEUE', '').partition(',')[0] or 'api'}"
    is_named = "OTEL_SERVICE_NAME" in os.environ or "service.name" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    made = TracerProvider(resource=Resource.create({} if is_named else {"service.name": name}))
    made.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return made


@cache
def _is_installed() -> bool:
    try:
        found = find_spec("opentelemetry.exporter.otlp.proto.http") and find_spec("opentelemetry.sdk.trace")
    except ModuleNotFoundError:
        found = None
    if not found:
        log.warning("traces_off", reason="OTEL_EXPORTER_OTLP_ENDPOINT is set: pip install '.[otel]' in a checkout")
    return bool(found)


@cache
def _may_be_reached(collector: str) -> bool:
    from workers.settings import load  # once a process: what a worker or the API loads has been read before

    try:
        require(load(), collector, "the collector of traces")
    except EgressForbidden as error:
        log.warning("traces_off", reason=str(error))
        return False
    return True


@contextmanager
def listening() -> Iterator[Callable[[], str]]:
    """Yield what returns the last words that were reported in the block; "" where there were none."""
    words: list[str] = []
    token = _reported.set(words)
    try:
        yield lambda: words[-1] if words else ""
    finally:
        _reported.reset(token)


def report(words: str, **noted: Value) -> None:
    """Say what came of the running task; what is noted is added to its span (:func:`note`)."""
    reported = _reported.get()
    if reported is not None:
        reported.append(words[:MOST_CHARS])
    note(**noted)


def report_not_due() -> None:
    """Say that the row waits for something else, or that another process works on it."""
    report(NOT_DUE, wellread__outcome="not due")


def report_later(words: str) -> None:
    """Say that a page is read later, since its host is busy or failed for now."""
    report(words, wellread__outcome="later")


def report_move(move: Move, words: str = "") -> None:
    """Say what a step of a question came to, and what it cost."""
    report(words or _of_move(move), wellread__outcome=move.outcome, wellread__status=move.to.value)
    if isinstance(move.detail, WriteDetail):
        _note_cost(move.detail.cost)


def report_page(outcome: CandidateOutcome) -> None:
    """Say what the reading of a page came to: "read 5 kB", "failed: it did not answer"."""
    words = f"{outcome.outcome.lower()}: {outcome.reason}" if outcome.reason else outcome.outcome.lower()
    if outcome.outcome is ReadOutcome.READ:
        words = f"read {outcome.bytes / 1000:.0f} kB" if outcome.bytes >= 1000 else f"read {outcome.bytes} bytes"
    report(words, wellread__outcome=outcome.outcome.value, wellread__bytes=outcome.bytes)


def _of_move(move: Move) -> str:
    """Return what a step of a question came to: "answered .91", "not enough: …"."""
    if isinstance(move.detail, WriteDetail) and move.outcome == "model failed":
        return f"{move.to.lower()}, the model failed: {move.detail.error}"
    if move.to is Status.ANSWERED and move.verdict is not None:
        sure = f"{move.verdict.confidence:.2f}".removeprefix("0")
        return f"{outcome_at_end(move.to, sufficient=move.verdict.sufficient)} {sure}"
    if move.to is Status.FAILED:
        return f"failed: {move.changes.error}"
    if move.to is Status.TIMED_OUT:
        return "timed out"
    verdict = move.detail.verdict if isinstance(move.detail, LookupDetail) else move.verdict
    if move.to is Status.WRITING:
        return (
            f"enough for the model to write: {verdict.reason}" if verdict and verdict.sufficient else "asks the model"
        )
    if verdict is not None:
        return f"{'unknown' if move.to is Status.ABSTAINED else 'not enough'}: {verdict.reason}"
    return move.changes.stop_reason or move.outcome
