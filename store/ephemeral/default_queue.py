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
#: of each priority, the oldest are looked at
_LOOKED_AT = 500

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
        source: Any = client.lrange(DEFAULT_QUEUE + suffix, -_LOOKED_AT, -1)
        for message in reversed(source):
            if _task_of(message) == task:
                moved += int(move(keys=[DEFAULT_QUEUE + suffix, queue + suffix], args=[message]))
    return moved


def _task_of(message: bytes) -> object:
    try:
        return json.loads(message)["headers"]["task"]
    except (ValueError, TypeError, KeyError):
        return None
