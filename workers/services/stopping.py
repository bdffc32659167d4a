"""Stops a worker within its time: what its processes still work on after a while is given back to others.

A worker that is told to stop takes nothing more and lets its steps go on (Celery's warm shutdown). A step that takes
longer than ``stop_s`` is interrupted in its process; its leases end (:mod:`workers.services.lease_renewer`), and its
message is sent again (:mod:`workers.task`), so that another worker goes on at once.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from celery import signals

#: from the worker to its processes: give back what you work on
_GIVE_BACK = signal.SIGUSR2
#: of the process: whether it works on something that can be given back
_is_working = False


class Stopped(BaseException):
    """The worker stops; no failure of what it works on, so that no handler of failures takes it for one."""


def give_back_after(stop_s: float) -> None:
    """In a worker's main process: once it is told to stop, interrupt what its processes work on after so long."""
    workers: list[Any] = []

    def remember(sender: Any = None, **_: object) -> None:
        workers.append(sender)

    def begin(**_: object) -> None:
        timer = threading.Timer(stop_s, lambda: _interrupt(workers))
        timer.daemon = True
        timer.start()

    signals.worker_init.connect(remember, weak=False)
    signals.worker_shutting_down.connect(begin, weak=False)


def listen() -> None:
    """In a process of the pool: be interrupted, but only while it works."""
    signal.signal(_GIVE_BACK, _stop)


@contextmanager
def working() -> Iterator[None]:
    """Raise Stopped in the block when the worker's time is up."""
    global _is_working
    _is_working = True
    try:
        yield
    finally:
        _is_working = False


def _stop(*_: object) -> None:
    global _is_working
    if _is_working:
        _is_working = False
        raise Stopped


def _interrupt(workers: list[Any]) -> None:
    for worker in workers:
        for pid in worker.pool.info["processes"]:
            with suppress(ProcessLookupError):
                os.kill(pid, _GIVE_BACK)
