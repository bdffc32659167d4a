"""Says what a start waits for, once it has taken longer than one waits without a word."""

import threading
from collections.abc import Callable

#: a start that is quicker than this is not talked about
QUIET_S = 2.0


class SlowStart:
    """Names the step of a start that is slow, and each slow step after it: "Starting: the API …"."""

    def __init__(self, notify: Callable[[str], None], *, quiet_s: float = QUIET_S) -> None:
        self._notify, self._quiet_s = notify, quiet_s
        self._step, self._is_over = "loading the program", False
        self._changed = threading.Condition()

    def __enter__(self) -> "SlowStart":
        threading.Thread(target=self._watch, name="slow-start", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def step(self, name: str) -> None:
        """Name what is waited for from now on; "" ends the start."""
        with self._changed:
            self._step, self._is_over = name, self._is_over or not name
            self._changed.notify()

    def end(self) -> None:
        """Say nothing more: what was started is there, or failed."""
        self.step("")

    def _watch(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._is_over, self._quiet_s)  # else the whole start is quick
            said = ""
            while not self._is_over:
                if self._lasts(self._step, None if self._step == said else self._quiet_s if said else 0.0):
                    said = self._step
                    self._notify(f"Starting: {said} …")

    def _lasts(self, step: str, within_s: float | None) -> bool:
        """Return whether a step is still waited for after so long."""
        return not self._changed.wait_for(lambda: self._is_over or self._step != step, within_s)
