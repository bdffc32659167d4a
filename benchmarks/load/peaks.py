"""Watches a running stack: the most questions that were open, and the most memory that it used."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from benchmarks.faults.ledger import count_open
from benchmarks.usage import memory
from store.sql.database import Database

_EVERY_S = 1.0


@dataclass
class Peaks:
    """The most that was seen so far."""

    open: int = 0
    memory_bytes: float = 0.0


@contextmanager
def watching(database: Database, parent: int) -> Iterator[Peaks]:
    """Look every second while the block runs."""
    peaks, over = Peaks(), threading.Event()

    def look() -> None:
        while not over.wait(_EVERY_S):
            peaks.open = max(peaks.open, count_open(database) or 0)
            peaks.memory_bytes = max(peaks.memory_bytes, memory(parent)[0])

    looking = threading.Thread(target=look, name="peaks")
    looking.start()
    try:
        yield peaks
    finally:
        over.set()
        looking.join()
