"""Failures that are no work's fault: the database or Redis was away."""

import time
from collections.abc import Callable
from typing import TypeVar

import structlog
from redis import RedisError

from store.sql.database import DatabaseAway

log = structlog.get_logger()
Value = TypeVar("Value")

#: what failed so counts neither as an attempt nor as reading
OUTAGES = (DatabaseAway, RedisError)
#: how long after one the work is tried again
AGAIN_AFTER_S = 5.0
#: how long work that is done waits to be recorded: for a database that is started again, within the work's lease
RECORD_WITHIN_S = 15.0
_EVERY_S = 0.5


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
