"""Store host slots in Redis: one request in flight per host across all workers, and a delay between them.

``claim`` answers "now" or "in n seconds"; a reader that must wait reserves that moment and does other work, so no
worker sleeps and waiting readers do not race each other.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass

import redis

#: KEYS busy, next, tail; ARGV now, token, in-flight limit in ms, delay. Returns seconds to wait, "0" for "now".
_CLAIM = """
local now, step = tonumber(ARGV[1]), math.max(tonumber(ARGV[4]), 0.1)
local next = tonumber(redis.call('GET', KEYS[2]) or '0')
local busy = redis.call('EXISTS', KEYS[1]) == 1
if not busy and next <= now then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
  return '0'
end
local tail = tonumber(redis.call('GET', KEYS[3]) or '0')
local turn = math.max(next, tail + step, now + (busy and step or 0))
redis.call('SET', KEYS[3], tostring(turn), 'PX', math.ceil((turn - now) * 1000) + 60000)
return tostring(turn - now)
"""

#: KEYS busy, next; ARGV now, token, delay
_RELEASE = """
if redis.call('GET', KEYS[1]) == ARGV[2] then redis.call('DEL', KEYS[1]) end
redis.call('SET', KEYS[2], tostring(tonumber(ARGV[1]) + tonumber(ARGV[3])), 'PX', math.ceil(ARGV[3] * 1000) + 60000)
return 1
"""


@dataclass(frozen=True, kw_only=True)
class Slot:
    """Permission to ask a host now (``wait_s`` 0), or the seconds until this reader may."""

    host: str
    token: str
    wait_s: float


class Slots:
    """The slots of all hosts, shared by every worker on the same Redis.

    ``longest_s`` is how long one slot may be held; a worker that died with one holds its host until then.
    """

    def __init__(self, client: redis.Redis, *, longest_s: float = 60.0) -> None:
        self._longest_ms = int(longest_s * 1000)
        self._claim = client.register_script(_CLAIM)
        self._release = client.register_script(_RELEASE)

    def claim(self, host: str, *, now: float, delay_s: float) -> Slot:
        """Ask for the host; ``now`` is Unix time in seconds, ``delay_s`` the host's delay between requests."""
        token = uuid.uuid4().hex
        args = (repr(now), token, self._longest_ms, repr(delay_s))
        wait = self._claim(keys=_keys(host), args=args)
        return Slot(host=host, token=token, wait_s=float(wait))

    def release(self, slot: Slot, *, now: float, delay_s: float) -> None:
        """Free the host; the next request may start after ``delay_s``."""
        self._release(keys=_keys(slot.host)[:2], args=(repr(now), slot.token, repr(delay_s)))


def _keys(host: str) -> list[str]:
    return [f"wellread:host:{{{host}}}:{name}" for name in ("busy", "next", "tail")]
