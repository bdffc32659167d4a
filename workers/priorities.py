"""The order in which a queue's messages are served, how many wait, and those that were sent to no queue."""

import json
from collections.abc import Sequence
from typing import Any

import redis

from domain.flow import TASKS
from domain.question import LAST_PRIORITY

#: the places in a queue, the first served first; so many lists are kept in Redis
PRIORITY_STEPS = tuple(range(10))
#: of a message that no question waits for
LAST = 9
#: where Celery sends what names no queue
DEFAULT_QUEUE = "celery"
#: a field of a question's message in place of a payload that cannot be read: why
UNREADABLE = "unreadable"
#: of each priority, so many are looked at, the oldest first, in parts
_LOOKED_AT, _PART = 10_000, 500
_MOVE = """
if redis.call('LREM', KEYS[1], -1, ARGV[1]) == 0 then return 0 end
redis.call('LPUSH', KEYS[2], ARGV[1])
return 1
"""


def place(task: str, priority: int | None) -> int:
    """Return a message's place in its queue: by its question's priority, and of equal ones what ends questions first.

    ``priority`` is 0–9, 9 first (7–9, 4–6, 1–3 and 0 differ), or LAST_PRIORITY; None if no question waits.
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


def take_over(client: redis.Redis, task: str, queue: str, priority_steps: Sequence[int]) -> int:
    """Move the task's messages from the default queue to ``queue``; return how many there were.

    Their senders named no queue. Other programs may use the default one: each message is moved at once, so that none is
    lost or served twice.
    """
    move, moved = client.register_script(_MOVE), 0
    for step in priority_steps:
        suffix = f"\x06\x16{step}" if step else ""
        moved += sum(
            int(move(keys=[DEFAULT_QUEUE + suffix, queue + suffix], args=[message]))
            for message in _messages_of(client, task, DEFAULT_QUEUE + suffix)
        )
    return moved


def _messages_of(client: redis.Redis, task: str, queue: str) -> list[bytes]:
    """Return the task's messages in a queue, the oldest first."""
    found: list[bytes] = []
    for begin in range(0, _LOOKED_AT, _PART):
        part: Any = client.lrange(queue, -begin - _PART, -begin - 1)
        found += [message for message in reversed(part) if _task_of(message) == task]
        if len(part) < _PART:
            break
    return found


def _task_of(message: bytes) -> object:
    try:
        return json.loads(message)["headers"]["task"]
    except (ValueError, TypeError, KeyError, RecursionError):  # another program's, and it may be anything
        return None
