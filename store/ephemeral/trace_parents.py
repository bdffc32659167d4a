"""Remember in Redis where the trace of each question began, for whoever sends its next task without having it.

Only traces depend on it: where Redis is away or empty, what follows begins a trace of its own.
"""

import json
from collections.abc import Mapping

import redis

#: longer than any question takes
REMEMBERED_S = 24 * 3600


class TraceParents:
    """The trace headers of questions."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client

    def keep(self, question_id: str, headers: Mapping[str, str]) -> None:
        """Remember the headers of a question's first span; those that are remembered stay."""
        try:
            self._redis.set(_key(question_id), json.dumps(dict(headers)), nx=True, ex=REMEMBERED_S)
        except redis.RedisError:
            return

    def of(self, question_id: str) -> dict[str, str]:
        """Return the headers of a question; none where they are not known."""
        try:
            stored = self._redis.get(_key(question_id))
        except redis.RedisError:
            return {}
        return dict(json.loads(stored)) if isinstance(stored, bytes) else {}


def _key(question_id: str) -> str:
    return f"wellread:trace:{question_id}"
