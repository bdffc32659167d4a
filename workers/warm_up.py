"""What a worker loads before it takes tasks, so that the first one waits for nothing."""

from __future__ import annotations

import structlog

from domain.errors import WellreadError
from store.passages import connect
from text import language
from workers.services import services

log = structlog.get_logger()


def load_before_fork(queue: str) -> None:
    """Load what each process of a worker would load for itself: they begin a second sooner, and share it."""
    if queue in ("answer", "embed"):
        connect.load_before_fork()
    if queue != "upkeep":
        language.load_before_fork()


def warm_up(queue: str) -> bool:
    """Open the services that a queue's first task would wait for; return whether they can be used."""
    ready = services()
    try:
        if queue == "answer":
            _ = ready.tools, ready.events
            ready.embedder.embed(["warm"])
            ready.reader.read("warm", [("", "warm")])
        elif queue == "embed":
            _ = ready.passages_writer
    except WellreadError as error:  # the first task meets the error again, and stores it in its row
        log.error("not_ready", queue=queue, error=str(error))
        return False
    return True
