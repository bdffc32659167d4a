"""What FastAPI records of requests: a span of each that asks or changes something, where a collector is named."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from fastapi.telemetry import TelemetryConfig

from workers.monitoring import traces

#: they poll, and their addresses may hold words that are searched for
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_NOTHING = TelemetryConfig(tracing=False, metrics=False, logs=False, auto_configure=False)


def telemetry() -> TelemetryConfig:
    """Return the configuration; without a collector nothing is recorded."""
    if not traces.is_on():
        return _NOTHING
    return TelemetryConfig(
        tracer_provider=traces.provider(),
        metrics=False,
        logs=False,  # they hold the messages of errors
        operation_spans=False,
        auto_configure=False,
        exclude=_is_left_out,
    )


def _is_left_out(scope: MutableMapping[str, Any]) -> bool:
    return scope["type"] != "http" or scope["method"] in _READING
