"""Failures that are no work's fault: the database or Redis was away."""

from __future__ import annotations

from redis import RedisError

from store.sql.database import DatabaseAway

#: what failed so counts neither as an attempt nor as reading
OUTAGES = (DatabaseAway, RedisError)
#: how long after one the work is tried again
AGAIN_AFTER_S = 5.0
