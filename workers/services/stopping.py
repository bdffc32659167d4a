"""Stops a worker of processes within its time: what they still work on after a while is given back to others.

A worker that is told to stop takes nothing more and lets its steps go on (Celery's warm shutdown). A step that takes
longer than ``stop_s`` is interrupted in its process; its leases end (:mod:`workers.services.lease_renewer`), and its
message is sent again (:mod:`workers.task`), so that another worker goes on at once.

A worker that dies tells nobody. Its processes end what they work on, and then themselves: a step is not begun again,
and nobody waits for its lease. Threads are stopped otherwise (:class:`workers.pools.Threads`).
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from celery import signals

#: from the worker to its processes: give back what you work on
_GIVE_BACK = signal.SIGUSR2
#: from the kernel to a worker's processes: it has died; one of the signals that Celery leaves alone
WORKER_DIED = signal.SIGIO
#: how long they may go on then: nobody ends a step any more that takes too long
FINISH_S = 20
#: of the process: whether it works on something that can be given back, and whether its worker has died
_is_working = False
_is_orphan = False


class Stopped(KeyboardInterrupt):
    """The worker stops; no failure of what it works on, so that no handler of failures takes it for one.

    An interrupt is what cancels a running query.
    """


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
    """In a process of the pool: be interrupted, but only while it works; and end when the worker has died."""
    signal.signal(_GIVE_BACK, _stop)
    signal.signal(WORKER_DIED, _finish)


@contextmanager
def working() -> Iterator[None]:
    """Raise Stopped in the block when the worker's time is up."""
    global _is_working
    _is_working = True
    try:
        yield
    finally:
        _is_working = False


def is_orphan() -> bool:
    """Return whether this process' worker has died, so that it is to end after its work."""
    return _is_orphan


def _finish(*_: object) -> None:
    """End after the work, or at once where there is none."""
    global _is_orphan
    if not _is_working:
        os._exit(1)
    _is_orphan = True
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(FINISH_S)


def _stop(*_: object) -> None:
    global _is_working
    if _is_working:
        _is_working = False
        raise Stopped


def _interrupt(workers: list[Any]) -> None:
    for worker in workers:
        with suppress(AttributeError):  # its pool has ended, or has not begun
            for pid in worker.pool.info["processes"]:
                with suppress(ProcessLookupError):
                    os.kill(pid, _GIVE_BACK)
