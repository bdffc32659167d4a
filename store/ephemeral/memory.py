"""How much of the memory that Redis may use is used."""

import threading
import time
from dataclasses import dataclass

import redis

#: for so long a figure is used again
FRESH_S = 1.0


@dataclass(frozen=True, kw_only=True)
class MemoryUse:
    """Used and allowed bytes."""

    used: int
    limit: int  #: 0: none is set

    @property
    def share(self) -> float:
        """Return the part of the allowed memory that is used; 0 where no limit is set."""
        return self.used / self.limit if self.limit else 0.0


def memory_use(client: redis.Redis) -> MemoryUse:
    """Return what Redis uses now; raises redis.RedisError."""
    said = client.info("memory")
    return MemoryUse(used=said["used_memory"], limit=said["maxmemory"])


class Memory:
    """The memory of one Redis, asked for at most once a second."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._lock = threading.Lock()
        self._known: tuple[float, MemoryUse] | None = None

    def use(self) -> MemoryUse:
        """Return what it uses; nothing while it does not answer."""
        with self._lock:
            now = time.monotonic()
            if self._known is None or now - self._known[0] > FRESH_S:
                self._known = now, self._read()
            return self._known[1]

    def _read(self) -> MemoryUse:
        try:
            return memory_use(self._redis)
        except redis.RedisError:
            return MemoryUse(used=0, limit=0)
