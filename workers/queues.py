"""The order in which a queue's messages are served, and how many wait."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from domain.flow import TASKS
from domain.question import LAST_PRIORITY

if TYPE_CHECKING:
    import redis

#: the places in a queue, the first served first; so many lists are kept in Redis
PRIORITY_STEPS = tuple(range(10))
#: of a message that no question waits for
LAST = 9


def place(task: str, priority: int | None) -> int:
    """Return a message's place in its queue: by its question's priority, and of equal ones what ends questions first.

    ``priority`` is 0–9, 9 first (7–9, 4–6, 1–3 and 0 are told apart), or LAST_PRIORITY; None if no question waits.
    """
    return LAST if priority is None else 2 * ((9 - priority) // 3) + TASKS[task].begins


def places(task: str) -> tuple[int, ...]:
    """Return every place that a task's messages may have."""
    return tuple(sorted({place(task, priority) for priority in (None, LAST_PRIORITY, *range(10))}))


def queue_length(client: redis.Redis, queue: str, at: Sequence[int] = PRIORITY_STEPS) -> int:
    """Return the number of messages in a queue, over all its places or at these."""
    names = [queue if step == 0 else f"{queue}\x06\x16{step}" for step in at]
    with client.pipeline(transaction=False) as pipe:
        for name in names:
            pipe.llen(name)
        return sum(pipe.execute())
