"""Measure the seconds that calls take."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any


class Stopwatch:
    """Wraps an object and adds up the seconds spent in each of its methods."""

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped
        self.spent_s: defaultdict[str, float] = defaultdict(float)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._wrapped, name)

        def call(*args: Any, **named: Any) -> Any:
            started = time.perf_counter()
            try:
                return value(*args, **named)
            finally:
                self.spent_s[name] += time.perf_counter() - started

        return call if callable(value) else value


def seconds_of(work: Callable[[], object]) -> float:
    """Call ``work`` and return how long it took."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
