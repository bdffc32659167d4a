"""Count the tasks of a benchmark until all have ended: counters in Valkey, and a list to wait on."""

from __future__ import annotations

import redis

#: gets an entry when all have ended
DONE = "benchmark:done"
_LEFT, _STEPS = "benchmark:left", "benchmark:steps"


def expect(client: redis.Redis, count: int, *, steps: int = 0) -> None:
    """Set how many tasks will end, and in how many steps together."""
    client.delete(DONE)
    client.mset({_LEFT: count, _STEPS: steps})


def ended(client: redis.Redis) -> None:
    """Count a task that ended."""
    if client.decr(_LEFT) == 0:
        client.rpush(DONE, 1)


def steps_left(client: redis.Redis) -> int:
    """Count a step; return how many are left."""
    return int(client.decr(_STEPS))
