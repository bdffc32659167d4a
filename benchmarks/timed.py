"""Anything whose calls are timed, by name."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import Any


class Timed:
    """Stands for another object; remembers the seconds spent in each of its methods."""

    def __init__(self, timed: Any) -> None:
        self._timed = timed
        self.spent_s: dict[str, float] = defaultdict(float)

    def __getattr__(self, name: str) -> Any:
        asked = getattr(self._timed, name)

        def call(*args: Any, **named: Any) -> Any:
            started = time.perf_counter()
            try:
                return asked(*args, **named)
            finally:
                self.spent_s[name] += time.perf_counter() - started

        return call if callable(asked) else asked
