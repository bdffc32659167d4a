"""A start says what it waits for when it is slow, and nothing when it is quick."""

from __future__ import annotations

import threading

from workers.processes.slow_start import SlowStart

#: longer than any test runs
NEVER_S = 3_600.0


class _Said:
    """What was said, which a test can wait for."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._new = threading.Semaphore(0)

    def __call__(self, line: str) -> None:
        self.lines.append(line)
        self._new.release()

    def next(self) -> str:
        assert self._new.acquire(timeout=60)
        return self.lines[-1]


def test_slow_start_names_what_is_waited_for_and_what_comes_after_it() -> None:
    said = _Said()
    with SlowStart(said, quiet_s=0) as start:
        assert said.next() == "Starting: loading the program …"
        start.step("the API")
        assert said.next() == "Starting: the API …"
        start.step("the workers")
        assert said.next() == "Starting: the workers …"


def test_quick_start_is_not_talked_about() -> None:
    said = _Said()
    with SlowStart(said, quiet_s=NEVER_S) as start:
        start.step("the API")
    assert said.lines == []


def test_nothing_is_said_once_all_is_there() -> None:
    said = _Said()
    with SlowStart(said, quiet_s=0) as start:
        said.next()
        start.step("")
        start.step("the API")
    assert len(said.lines) == 1


def test_later_steps_that_are_quick_are_not_talked_about() -> None:
    said = _Said()
    with SlowStart(said, quiet_s=0) as start:
        said.next()
        start._quiet_s = NEVER_S
        start.step("the database")
        start.step("the API")
    assert len(said.lines) == 1


def test_start_that_fails_says_nothing_after_its_error() -> None:
    said = _Said()
    try:
        with SlowStart(said, quiet_s=NEVER_S) as start:
            raise OSError
    except OSError:
        start.step("the API")
    assert said.lines == []
