"""How the tasks of a benchmark tell that all of them ended: counters, and a list that whoever waits listens to."""

from __future__ import annotations

import redis

#: an entry is pushed to this list when all ended
DONE = "benchmark:done"
_LEFT, _STEPS = "benchmark:left", "benchmark:steps"


def expect(client: redis.Redis, count: int, *, steps: int = 0) -> None:
    """Say how many are going to end, and in how many steps together."""
    client.delete(DONE)
    client.mset({_LEFT: count, _STEPS: steps})


def ended(client: redis.Redis) -> None:
    """Count one that ended."""
    if client.decr(_LEFT) == 0:
        client.rpush(DONE, 1)


def steps_left(client: redis.Redis) -> int:
    """Count a step; returns how many are left."""
    return int(client.decr(_STEPS))
