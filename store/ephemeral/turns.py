"""When each of those who were refused may come again: one after another, as fast as questions end.

Whoever comes at the time that was announced goes before those who come for the first time. A turn that nobody takes is
kept for some seconds. Where Redis is away or was emptied, nobody has a turn, and room is for who comes first.
"""

import math
import time

import redis

#: the longest wait that is announced; whoever would wait longer has no turn yet
LONGEST_S = 60
#: turns are given a little slower than questions end, so that there is room when their time has come
PACE = 0.9
#: after its time; waits are announced in whole seconds, and callers are late
KEPT_S = 5.0


class Turns:
    """The turns of those who were refused, in queues of their own for all and for each key."""

    def __init__(self, client: redis.Redis, space: str = "") -> None:
        self._redis, self._space = client, space
        self._given_at = -math.inf

    @property
    def given_lately(self) -> bool:
        """Return whether this process has refused anybody whose time is not over."""
        return time.monotonic() - self._given_at < LONGEST_S + KEPT_S

    def before(self, queue: str, caller: str, now_s: float) -> int:
        """Return how many go before a caller: none where it is the caller's turn, else all that have one."""
        key = self._key(queue)
        try:
            with self._redis.pipeline(transaction=False) as pipe:
                pipe.zscore(key, caller)
                pipe.zcount(key, now_s - KEPT_S, "+inf")
                due_s, waiting = pipe.execute()
        except redis.RedisError:
            return 0
        return 0 if due_s is not None and due_s <= now_s else int(waiting)

    def give(self, queue: str, caller: str, now_s: float, per_s: float, *, kept: float = 0.0) -> int:
        """Return in how many seconds it is a refused caller's turn, while so many questions end in one.

        The first turn is after so many have ended that what is kept for turns is free.
        """
        self._given_at = time.monotonic()
        if per_s <= 0:
            return LONGEST_S
        key, each_s = self._key(queue), 1 / (PACE * per_s)
        try:
            with self._redis.pipeline(transaction=False) as pipe:
                pipe.zremrangebyscore(key, "-inf", now_s - KEPT_S)
                pipe.zscore(key, caller)
                pipe.zrange(key, -1, -1, withscores=True)
                _, own_s, last = pipe.execute()
            due_s = max(now_s, last[0][1] if last else now_s + kept * each_s) + each_s
            if own_s is not None and own_s > now_s:
                due_s = own_s  # as it was announced
            if due_s > now_s + LONGEST_S:
                return LONGEST_S
            with self._redis.pipeline(transaction=False) as pipe:
                pipe.zadd(key, {caller: due_s})
                pipe.expire(key, 2 * LONGEST_S)
                pipe.execute()
        except redis.RedisError:
            return LONGEST_S
        return max(1, math.ceil(due_s - now_s))

    def take(self, queues: tuple[str, ...], caller: str) -> None:
        """End the turn of a caller who was let in."""
        try:
            with self._redis.pipeline(transaction=False) as pipe:
                for queue in queues:
                    pipe.zrem(self._key(queue), caller)
                pipe.execute()
        except redis.RedisError:  # it ends by itself
            return

    def _key(self, queue: str) -> str:
        return f"wellread:turns:{self._space}:{queue}"
