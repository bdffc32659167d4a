"""Store engine cooldowns in Redis: an engine that refused one worker is not asked by the others for a while.

A cooldown doubles with each further failure and ends with the first answer. It is only advice: where Redis is away or
empty, engines are asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import redis

#: failures are remembered for so long after a cooldown; then the count starts again
REMEMBERED_S = 24 * 3600.0

#: KEYS rest; ARGV now, first, longest, asked, reason, kind, remembered. Returns the seconds of the rest.
#: A failure within a rest is one of several that were under way when it began: it may lengthen it, and is not counted.
_FAILED = """
local now, first, longest = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local till = tonumber(redis.call('HGET', KEYS[1], 'until') or '0')
local failures = tonumber(redis.call('HGET', KEYS[1], 'failures') or '0')
if till <= now then failures = failures + 1 end
local rest = math.max(math.min(first * 2 ^ math.max(failures - 1, 0), longest), tonumber(ARGV[4]))
till = math.max(till, now + rest)
redis.call('HSET', KEYS[1], 'until', string.format('%.3f', till), 'failures', failures, 'reason', ARGV[5],
  'kind', ARGV[6])
redis.call('PEXPIRE', KEYS[1], math.ceil((till - now + tonumber(ARGV[7])) * 1000))
return string.format('%.3f', till - now)
"""


@dataclass(frozen=True, kw_only=True)
class Cooldown:
    """The reason why an engine is not asked, and for how long."""

    left_s: float
    reason: str
    kind: str  #: the error's name
    failures: int  #: in a row


class EngineCooldowns:
    """The cooldowns of all engines, shared by every worker on the same Redis.

    An engine is named with its account, so that another key or address starts without a cooldown.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._failed = client.register_script(_FAILED)

    def cooling(self, engines: Sequence[str], *, now: float) -> dict[str, Cooldown]:
        """Return the cooldowns of those engines that have one; ``now`` is Unix time in seconds."""
        pipe = self._redis.pipeline(transaction=False)
        for engine in engines:
            pipe.hmget(_key(engine), "until", "reason", "kind", "failures")
        stored = zip(engines, pipe.execute(), strict=True)
        return {engine: _cooldown(row, now) for engine, row in stored if row[0] is not None and float(row[0]) > now}

    def failed(
        self, engine: str, *, reason: str, kind: str, first_s: float, longest_s: float, asked_s: float, now: float
    ) -> float:
        """Start or extend an engine's cooldown and return its seconds.

        Args:
            engine: with its account.
            reason: for operators.
            kind: the error's name.
            first_s: after the first failure of a row; doubled with each that follows.
            longest_s: of what doubling gives.
            asked_s: what the engine asked for itself.
            now: Unix time in seconds.
        """
        arguments = (repr(now), repr(first_s), repr(longest_s), repr(asked_s), reason, kind, repr(REMEMBERED_S))
        return float(self._failed(keys=[_key(engine)], args=arguments))

    def answered(self, engines: Sequence[str]) -> list[str]:
        """Delete the failures of engines that answered; return those that had any."""
        pipe = self._redis.pipeline(transaction=False)
        for engine in engines:
            pipe.delete(_key(engine))
        return [engine for engine, deleted in zip(engines, pipe.execute(), strict=True) if deleted]


def _key(engine: str) -> str:
    return f"wellread:engine:{engine}"


def _cooldown(row: Sequence[bytes | None], now: float) -> Cooldown:
    until, reason, kind, failures = (value.decode() if value is not None else "" for value in row)
    return Cooldown(left_s=float(until) - now, reason=reason, kind=kind, failures=int(failures or 0))
