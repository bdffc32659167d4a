"""Configures the log: one line an event with its fields, the question's id if there is one, no local variables."""

from __future__ import annotations

import sys

import structlog


def configure() -> None:
    """Write events as JSON lines to standard error; tracebacks have no variables."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
