"""How a process writes its log."""

import logging
import sys
from typing import Any

import structlog

from domain.flow import TASKS


def quiet_ticks() -> None:
    """Log nothing of beat's wake-up calls that came and went well: they would be all that an idle log has."""
    for name in ("celery.worker.strategy", "celery.app.trace"):
        logging.getLogger(name).addFilter(_is_no_tick)
    logging.getLogger("celery.beat").setLevel(logging.WARNING)


def _is_no_tick(record: logging.LogRecord) -> bool:
    named = record.args.get("name") if isinstance(record.args, dict) else None
    task = TASKS.get(str(named))
    return record.levelno > logging.INFO or task is None or not task.every_s


#: of every line: its level, its time, and a traceback without variables
_COMMON: list[Any] = [
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
]


def configure_logs() -> None:
    """Write events as JSON lines to standard error; tracebacks have no variables."""
    logging.getLogger("httpx2").setLevel(logging.WARNING)  # of each request it logs the URL, with what is secret there
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            *_COMMON,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


def log_libraries_as_json(**_: object) -> None:
    """Write what libraries log, as Celery and the web server do, as such lines too."""
    configure_logs()
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(ensure_ascii=False),
            ],
            foreign_pre_chain=[structlog.stdlib.add_logger_name, *_COMMON],
        )
    )
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.captureWarnings(capture=True)
