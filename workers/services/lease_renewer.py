"""Renews the leases that this process holds."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

import structlog

from store.sql import leases
from store.sql.database import Database, DatabaseError
from store.sql.leases import Lease
from workers.services.stopping import Stopped

log = structlog.get_logger()


class LeaseRenewer:
    """Renews all leases of this process from one thread, several times before they end."""

    def __init__(self, database: Database, *, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now
        self._held: dict[str, Lease] = {}
        self._lock = threading.Lock()
        self._wake = threading.Event()
        threading.Thread(target=self._run, name="lease-renewer", daemon=True).start()

    @contextmanager
    def holding(self, *held: Lease) -> Iterator[None]:
        """Renew these leases for as long as the block runs; end them where the worker stops before it does."""
        with self._lock:
            self._held.update({lease.token: lease for lease in held})
        try:
            yield
        except Stopped:
            self._give_back(held)
            raise
        finally:
            with self._lock:
                for lease in held:
                    self._held.pop(lease.token, None)

    def give_back(self) -> None:
        """Let others take over all that is held, because this process ends before the work does."""
        with self._lock:
            held = tuple(self._held.values())
        self._give_back(held)

    def _give_back(self, held: Sequence[Lease]) -> None:
        """Let others take over at once; the attempt does not count."""
        try:
            with self._database.write() as session:
                for lease in held:
                    leases.defer(session, lease, self._now())
        except DatabaseError as error:  # the leases end by themselves
            log.warning("leases_not_given_back", error=str(error))

    def _run(self) -> None:
        while not self._wake.wait(leases.LEASE_S / 4):
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
