"""What interrupts work: a worker that stops, a limit, and a database or Redis that is away. What has begun is not lost.

A worker that is asked to stop takes nothing more and lets its steps go on (Celery's warm shutdown). After ``stop_s`` it
ends the leases of those that are still under way, and has their messages sent again, so that another worker goes on at
once (:class:`workers.pools.Threads`). Nobody waits longer than a lease for what a worker that died has worked on.
"""

import ctypes
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar

import structlog
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
#: how often limits are looked at, and how long after one the block is interrupted again: a handler of all failures may
#: have taken it for another
_LOOK_S: Final = 0.5
_AGAIN_S: Final = 5.0


@dataclass(eq=False, kw_only=True)
class _Limit:
    at: float
    clock: Callable[[], float]
    over: Callable[[], object]


_limits: set[_Limit] = set()
_looking = threading.Lock()
_watch: threading.Thread | None = None


@contextmanager
def limited(over: Callable[[], object], most_s: float, clock: Callable[[], float] = time.monotonic) -> Iterator[None]:
    """Have ``over`` called in another thread, again and again, once the block takes longer by this clock."""
    global _watch
    limit = _Limit(at=clock() + most_s, clock=clock, over=over)
    with _looking:
        _limits.add(limit)
        if _watch is None or not _watch.is_alive():
            _watch = threading.Thread(target=_look, name="limits", daemon=True)
            _watch.start()
    try:
        yield
    finally:
        with _looking:
            _limits.discard(limit)


def raise_in(thread: int, error: type[BaseException]) -> None:
    """Raise an error in a thread, as soon as it runs Python: a call into a library is not interrupted."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


def _look() -> None:
    while True:
        time.sleep(_LOOK_S)
        with _looking:
            for limit in list(_limits):
                if (now := limit.clock()) > limit.at:
                    limit.at = now + _AGAIN_S
                    limit.over()


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


class LeaseRenewer:
    """Renews all leases of this process from one thread, several times before they end."""

    def __init__(self, database: Database, *, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now
        self._held: dict[str, tuple[Lease, int]] = {}  #: by their tokens, with the thread that works
        self._lock = threading.Lock()
        threading.Thread(target=self._run, name="lease-renewer", daemon=True).start()

    @contextmanager
    def holding(self, *held: Lease) -> Iterator[None]:
        """Renew these leases for as long as the block runs."""
        with self._lock:
            self._held.update({lease.token: (lease, threading.get_ident()) for lease in held})
        try:
            yield
        finally:
            with self._lock:
                for lease in held:
                    self._held.pop(lease.token, None)

    def give_back(self, *, but: Collection[int] = ()) -> None:
        """Let others take over at once what is held by any thread ``but`` these; the attempt does not count."""
        with self._lock:
            held = [lease for lease, thread in self._held.values() if thread not in but]
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
                held = [lease for lease, _ in self._held.values()]
            if not held:
                continue
            try:
                with self._database.claim() as session:
                    for lease in held:
                        leases.renew(session, lease, self._now())
            except DatabaseError as error:  # the next round tries again; recording notices a lease that was lost
                log.warning("leases_not_renewed", error=str(error))
