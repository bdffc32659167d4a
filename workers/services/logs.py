"""How a process writes its log."""

from __future__ import annotations

import logging
import sys

import structlog


def configure_logs() -> None:
    """Write events as JSON lines to standard error; tracebacks have no variables."""
    logging.getLogger("httpx2").setLevel(logging.WARNING)  # of each request it logs the URL, with what is secret there
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
