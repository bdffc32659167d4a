"""What interrupts work: a worker that stops or dies, and a database or Redis that is away. What has begun is not lost.

A worker that is asked to stop takes nothing more and lets its steps go on (Celery's warm shutdown). A step that takes
longer than ``stop_s`` is interrupted in its process; its leases end, and its message is sent again
(:mod:`workers.task`), so that another worker goes on at once.

A worker that dies can notify nobody. Its processes end what they work on, and then themselves: a step is not begun
again, and nobody waits for its lease. Threads are stopped otherwise (:class:`workers.pools.Threads`).
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any, TypeVar

import structlog
from celery import signals
from redis import RedisError

from store.sql import leases
from store.sql.database import Database, DatabaseAway, DatabaseError
from store.sql.leases import Lease

log = structlog.get_logger()
Value = TypeVar("Value")

#: what failed so counts neither as an attempt nor as reading
OUTAGES = (DatabaseAway, RedisError)
#: how long after one the work is tried again
AGAIN_AFTER_S = 5.0
#: how long work that is done waits to be recorded: for a database that is started again, within the work's lease
RECORD_WITHIN_S = 15.0
_EVERY_S = 0.5
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


def recorded(write: Callable[[], Value]) -> Value:
    """Return what a transaction returns, which is tried again while the database is away: the work is not to be lost.

    It must be one that changes nothing the second time, as those are that ask for a lease. Raises DatabaseAway.
    """
    until = time.monotonic() + RECORD_WITHIN_S
    while True:
        try:
            return write()
        except DatabaseAway as error:
            if time.monotonic() > until:
                raise
            log.warning("record_waits", error=str(error))
        time.sleep(_EVERY_S)


def give_back_after(worker: Any, stop_s: float) -> None:
    """In a worker's main process: once it is asked to stop, interrupt what its processes work on after so long."""

    def interrupt() -> None:
        with suppress(AttributeError):  # its pool has ended, or has not begun
            for pid in worker.pool.info["processes"]:
                with suppress(ProcessLookupError):
                    os.kill(pid, _GIVE_BACK)

    def begin(**_: object) -> None:
        timer = threading.Timer(stop_s, interrupt)
        timer.daemon = True
        timer.start()

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


class LeaseRenewer:
    """Renews all leases of this process from one thread, several times before they end."""

    def __init__(self, database: Database, *, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now
        self._held: dict[str, Lease] = {}
        self._lock = threading.Lock()
        threading.Thread(target=self._run, name="lease-renewer", daemon=True).start()

    @contextmanager
    def holding(self, *held: Lease) -> Iterator[None]:
        """Renew these leases for as long as the block runs; end them where the worker stops before it does."""
        with self._lock:
            self._held.update({lease.token: lease for lease in held})
        try:
            yield
        except Stopped:
            self.give_back(*held)
            raise
        finally:
            with self._lock:
                for lease in held:
                    self._held.pop(lease.token, None)

    def give_back(self, *held: Lease) -> None:
        """Let others take over these at once, or all that is held; the attempt does not count."""
        with self._lock:
            held = held or tuple(self._held.values())
        try:
            with self._database.write() as session:
                for lease in held:
                    leases.defer(session, lease, self._now())
        except DatabaseError as error:  # the leases end by themselves
            log.warning("leases_not_given_back", error=str(error))

    def _run(self) -> None:
        while True:
            time.sleep(leases.LEASE_S / 4)
            with self._lock:
                held = list(self._held.values())
            if not held:
                continue
            try:
                with self._database.claim() as session:
                    for lease in held:
                        leases.renew(session, lease, self._now())
            except DatabaseError as error:  # the next round tries again; recording notices a lease that was lost
                log.warning("leases_not_renewed", error=str(error))
