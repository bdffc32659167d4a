"""Says what a start waits for, once it has taken longer than one waits without a word."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType

#: a start that is quicker than this is not talked about
QUIET_S = 2.0


class SlowStart:
    """Names the step of a start that is slow, and each step after it: "Starting: the API …"."""

    def __init__(self, notify: Callable[[str], None], *, quiet_s: float = QUIET_S) -> None:
        self._notify = notify
        self._step, self._is_slow, self._is_over = "loading the program", False, False
        self._changing = threading.Lock()
        self._timer = threading.Timer(quiet_s, self._become_slow)
        self._timer.daemon = True

    def __enter__(self) -> SlowStart:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def step(self, name: str) -> None:
        """Name what is waited for from now on; "" ends the start."""
        if not name:
            self.end()
            return
        with self._changing:
            self._step = name
            self._say()

    def end(self) -> None:
        """Say nothing more: what was started is there, or failed."""
        self._timer.cancel()
        with self._changing:
            self._is_over = True

    def _become_slow(self) -> None:
        with self._changing:
            self._is_slow = True
            self._say()

    def _say(self) -> None:
        if self._is_slow and not self._is_over:
            self._notify(f"Starting: {self._step} …")
