"""Says what a start waits for, once it has taken longer than one waits without a word."""

import threading
from collections.abc import Callable
from types import TracebackType

#: a start that is quicker than this is not talked about
QUIET_S = 2.0


class SlowStart:
    """Names the step of a start that is slow, and each slow step after it: "Starting: the API …"."""

    def __init__(self, notify: Callable[[str], None], *, quiet_s: float = QUIET_S) -> None:
        self._notify, self._quiet_s = notify, quiet_s
        self._step, self._has_said, self._is_over = "loading the program", False, False
        self._changing = threading.Lock()
        self._timer = self._new_timer()

    def __enter__(self) -> "SlowStart":
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
            if self._has_said and not self._is_over:  # else the whole start is quick so far
                self._timer.cancel()
                self._timer = self._new_timer()
                self._timer.start()

    def end(self) -> None:
        """Say nothing more: what was started is there, or failed."""
        with self._changing:
            self._is_over = True
            self._timer.cancel()

    def _new_timer(self) -> threading.Timer:
        timer = threading.Timer(self._quiet_s, self._say)
        timer.daemon = True
        return timer

    def _say(self) -> None:
        with self._changing:
            if not self._is_over:
                self._has_said = True
                self._notify(f"Starting: {self._step} …")
