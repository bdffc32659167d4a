"""Marks in Redis: what is to be erased from the disk, and where the trace of each question began.

Each deletion sets the mark of its collection, which goes when all is erased. A trace's beginning is for whoever sends
the question's next task without having it: where Redis is away or empty, what follows begins a trace of its own.
"""

import json
import math
import uuid
from collections.abc import Mapping

import redis

#: KEYS mark; ARGV token. Returns 1 when the mark is gone, 0 when something was deleted since it had this token.
_DONE = """
local token = redis.call('GET', KEYS[1])
if token and token ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
return 1
"""


class Erasures:
    """The mark of one collection; methods raise redis.RedisError."""

    def __init__(self, client: redis.Redis, space: str = "") -> None:
        self._redis = client
        self._done = client.register_script(_DONE)
        self._mark = f"wellread:erase:{space}"
        self._rest = f"wellread:erase-rest:{space}"

    def want(self) -> bool:
        """Set the mark; return whether it was not set before."""
        return self._redis.set(self._mark, uuid.uuid4().hex, get=True) is None

    def wanted(self) -> str:
        """Return the mark's token, "" where nothing is to be erased."""
        token = self._redis.get(self._mark)
        return token.decode() if isinstance(token, bytes) else ""

    def done(self, token: str) -> bool:
        """Take the mark away; False when it was set again meanwhile."""
        return bool(self._done(keys=[self._mark], args=[token]))

    def rest(self, seconds: float) -> None:
        """Let the next erasure begin after so many seconds."""
        self._redis.set(self._rest, 1, px=max(1, math.ceil(seconds * 1000)))

    def rests_s(self) -> float:
        """Return the seconds until the next erasure may begin."""
        left = self._redis.pttl(self._rest)
        return max(0, left) / 1000 if isinstance(left, int) else 0.0

    def rewrite_log(self) -> bool:
        """Have Redis write its append-only file anew from what it holds; False while it writes one already."""
        try:
            self._redis.bgrewriteaof()
        except redis.ResponseError:
            return False
        return True


#: longer than any question takes
REMEMBERED_S = 24 * 3600


class TraceParents:
    """The trace headers of questions, and of rows that wait for their turn."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client

    def keep(self, name: str, headers: Mapping[str, str], *, only_first: bool = True) -> None:
        """Remember the headers of a span; with ``only_first`` those that are remembered stay."""
        try:
            self._redis.set(_key(name), json.dumps(dict(headers)), nx=only_first, ex=REMEMBERED_S)
        except redis.RedisError:
            return

    def of(self, name: str) -> dict[str, str]:
        """Return the headers of a question, or of what was sent for a row; none where they are not known."""
        try:
            stored = self._redis.get(_key(name))
        except redis.RedisError:
            return {}
        return dict(json.loads(stored)) if isinstance(stored, bytes) else {}


def _key(name: str) -> str:
    return f"wellread:trace:{name}"
