"""Takes over the messages that a sender left in Celery's default queue because it named none.

Other programs may use that queue on the same Redis: only messages of the named task are moved, each at once, so that
none is lost or served twice.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import redis

#: where Celery sends what names no queue
DEFAULT_QUEUE = "celery"
#: of each priority, so many are looked at, the oldest first, in parts
_LOOKED_AT, _PART = 10_000, 500

_MOVE = """
if redis.call('LREM', KEYS[1], -1, ARGV[1]) == 0 then return 0 end
redis.call('LPUSH', KEYS[2], ARGV[1])
return 1
"""


def take_over(client: redis.Redis, task: str, queue: str, priority_steps: Sequence[int]) -> int:
    """Move the task's messages from the default queue to ``queue``; return how many there were."""
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
