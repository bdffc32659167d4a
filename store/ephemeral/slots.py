"""Store in Redis who may ask whom: slots of hosts, slots of the receivers of webhooks, cooldowns of search engines.

One request is in flight per host across all workers, with a delay between two.

``claim`` answers "now" or "in n seconds"; a reader that must wait reserves that moment and does other work, so no
worker sleeps and waiting readers do not race each other. Receivers of webhooks have slots of another kind: some at
once, without a delay, and what waits for one is sent by whoever ends a delivery there. A search engine that refused one
worker is not asked by the others for a while: its cooldown doubles with each further failure and ends with the first
answer. It is only advice: where Redis is away or empty, engines are asked.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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

#: KEYS busy and waiting of the address, then of the host; ARGV now, token, the end of its time, what waits, and the
#: most at the address and at the host. Returns 1 if it may begin
_BEGIN = """
for at = 1, 2 do
  redis.call('ZREMRANGEBYSCORE', KEYS[2 * at - 1], '-inf', ARGV[1])
  if redis.call('ZCARD', KEYS[2 * at - 1]) >= tonumber(ARGV[4 + at]) then
    redis.call('ZADD', KEYS[2 * at], 'NX', ARGV[1], ARGV[4])
    redis.call('EXPIRE', KEYS[2 * at], 3600)
    return 0
  end
end
for at = 1, 2 do
  redis.call('ZADD', KEYS[2 * at - 1], ARGV[3], ARGV[2])
  redis.call('EXPIRE', KEYS[2 * at - 1], 3600)
  redis.call('ZREM', KEYS[2 * at], ARGV[4])
end
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
        self._held: dict[str, tuple[Slot, float]] = {}  #: by their tokens, with the delay

    def claim(self, host: str, *, now: float, delay_s: float) -> Slot:
        """Ask for the host; ``now`` is Unix time in seconds, ``delay_s`` the host's delay between requests."""
        token = uuid.uuid4().hex
        args = (repr(now), token, self._longest_ms, repr(delay_s))
        slot = Slot(host=host, token=token, wait_s=float(self._claim(keys=_keys(host), args=args)))
        if not slot.wait_s:
            self._held[token] = slot, delay_s
        return slot

    def release(self, slot: Slot, *, now: float, delay_s: float) -> None:
        """Free the host; the next request may start after ``delay_s``."""
        self._held.pop(slot.token, None)
        self._release(keys=_keys(slot.host)[:2], args=(repr(now), slot.token, repr(delay_s)))

    def give_back(self, *, now: float) -> None:
        """Free all hosts that this process has slots of; raises redis.RedisError."""
        for slot, delay_s in list(self._held.values()):
            self.release(slot, now=now, delay_s=delay_s)


@dataclass(frozen=True, kw_only=True)
class Receiver:
    """Where a webhook is delivered: an address without its query, at a host; and whose it is."""

    host: str
    address: str
    owner: str | None = None  #: None: nobody in particular, who has no share

    @property
    def keys(self) -> list[str]:
        """Return the keys of what is under way at the address, what waits for it, and the same of the host."""
        places = (self.address, self.host)
        return [f"wellread:receiver:{{{self.host}}}:{name}:{each}" for each in places for name in ("busy", "waiting")]


class Receivers:
    """How many deliveries of webhooks are under way, by all workers, and which ones wait for their receiver.

    Two at a host, one at an address: of two addresses at a host a slow one holds up no fast one. ``longest_s`` is how
    long a delivery may take; one whose worker died counts until then.
    """

    def __init__(self, client: redis.Redis, *, longest_s: float) -> None:
        self._client, self._longest_s = client, longest_s
        self._begin = client.register_script(_BEGIN)

    def begin(self, receiver: Receiver, *, delivery: str, now: float) -> str | None:
        """Return a token if a delivery may begin; else None, and it waits to be returned by :meth:`end`."""
        token = uuid.uuid4().hex
        args = (repr(now), token, repr(now + self._longest_s), delivery, 1, 2)
        return token if self._begin(keys=receiver.keys, args=args) else None

    def wait(self, owner: str | None, *, delivery: str, now: float) -> None:
        """Have a delivery wait for another of its owner's to end, or for any (None)."""
        self._client.zadd(_waiting(owner), {delivery: now}, nx=True)
        self._client.expire(_waiting(owner), 3600)

    def end(self, receiver: Receiver, token: str) -> list[str]:
        """End a delivery; return those to try now: the first for its host and its address, else one from elsewhere."""
        busy_there, waiting_there, busy, waiting = receiver.keys
        for key in (busy, busy_there):
            self._client.zrem(key, token)
        found: Any = [*self._client.zpopmin(waiting), *self._client.zpopmin(waiting_there)]
        for key in (_waiting(None), _waiting(receiver.owner)):
            found = found or self._client.zpopmin(key)
        return [str(delivery, "utf-8") for delivery, _ in found]


def _waiting(owner: str | None) -> str:
    return "wellread:receiver:{}:waiting" + (":" if owner is None else f":of:{owner}")


def _keys(host: str) -> list[str]:
    return [f"wellread:host:{{{host}}}:{name}" for name in ("busy", "next", "tail")]


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

        It lasts ``first_s`` after the first failure of a row, doubled with each that follows up to ``longest_s``, and
        at least the ``asked_s`` that the engine asked for. ``kind`` is the error's name, ``now`` Unix time in seconds.
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
