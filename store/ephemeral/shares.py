"""Share the workers between keys: which row the next message of a queue is about.

A message of a question's step rings for whichever row has waited fairest, not for its own: the oldest of the key that
had the least for its weight. So 10,000 questions of one key delay another key's single one by the step under way.
Each row waits at most once in its key's line, however often it is rung for, and a message without a row in any line is
about its own. The rows in SQL stay the truth: what is lost here is rung for again by the sweep.

Start-time fair queueing: P. Goyal, H. Vin, H. Cheng, "Start-time Fair Queuing", SIGCOMM 1996. A key's start tag is the
greater of the queue's and its own last finish tag; its finish tag is that plus 1 / weight, where the weight is the
product of the key's and that of the collection that the row is in.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import redis

#: seconds after which lines that nobody stands in any more are forgotten
_KEPT_S: Final = 86_400
#: KEYS keys, line, finish tags, start tag; ARGV key, row, now. A key that comes back begins where the queue is
_STAND = """
if redis.call('ZADD', KEYS[2], 'NX', ARGV[3], ARGV[2]) == 1 and redis.call('SADD', KEYS[1], ARGV[1]) == 1 then
  local start = tonumber(redis.call('GET', KEYS[4]) or '0')
  local last = tonumber(redis.call('HGET', KEYS[3], ARGV[1]) or '0')
  redis.call('HSET', KEYS[3], ARGV[1], tostring(math.max(start, last)))
end
for at = 1, 4 do redis.call('EXPIRE', KEYS[at], ARGV[4]) end
"""
#: KEYS keys, finish tags, start tag, weights; ARGV prefix of lines. Returns the row, or nothing
_NEXT = """
while true do
  local chosen, least
  for _, key in ipairs(redis.call('SMEMBERS', KEYS[1])) do
    local tag = tonumber(redis.call('HGET', KEYS[2], key) or '0')
    if not least or tag < least or (tag == least and key < chosen) then chosen, least = key, tag end
  end
  if not chosen then return nil end
  local row = redis.call('ZPOPMIN', ARGV[1] .. chosen)
  if redis.call('ZCARD', ARGV[1] .. chosen) == 0 then redis.call('SREM', KEYS[1], chosen) end
  if row[1] then
    local weight = tonumber(redis.call('HGET', KEYS[4], chosen) or '1')
    local collection = 'collection:' .. string.match(row[1], '^[^/]*')
    if collection ~= chosen then weight = weight * tonumber(redis.call('HGET', KEYS[4], collection) or '1') end
    weight = math.max(weight, 0.01)
    local start = math.max(least, tonumber(redis.call('GET', KEYS[3]) or '0'))
    redis.call('SET', KEYS[3], tostring(start), 'EX', 86400)
    redis.call('HSET', KEYS[2], chosen, tostring(start + 1 / weight))
    return row[1]
  end
end
"""
_WEIGHTS: Final = "wellread:shares:weights"


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """A row that waits for a task, and in which line."""

    task: str
    place: int  #: in the queue: only rows at the same place go before each other
    key: str  #: whose it is; "": nobody's in particular
    row: str  #: its collection and id


class Shares:
    """The lines of all keys."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._stand, self._next = client.register_script(_STAND), client.register_script(_NEXT)

    def stand(self, waiting: Waiting, now_s: float) -> None:
        """Have a row wait in its key's line; one that stands there already keeps its place."""
        name = _name(waiting.task, waiting.place)
        keys = (f"{name}:keys", f"{name}:line:{waiting.key}", f"{name}:finish", f"{name}:start")
        self._stand(keys=keys, args=(waiting.key, waiting.row, repr(now_s), _KEPT_S))

    def next(self, task: str, place: int) -> str | None:
        """Return the row whose turn it is, which stands in its line no more; None: no row does."""
        name = _name(task, place)
        found = self._next(keys=(f"{name}:keys", f"{name}:finish", f"{name}:start", _WEIGHTS), args=(f"{name}:line:",))
        return None if found is None else found.decode()

    def set_weights(self, weights: Mapping[str, float]) -> None:
        """Give these keys, and collections as ``collection:NAME``, their weights; all others have 1.

        One of weight 2 gets twice as much as one of weight 1.
        """
        with self._client.pipeline() as pipe:
            pipe.delete(_WEIGHTS)
            if weights:
                pipe.hset(_WEIGHTS, mapping={key: repr(weight) for key, weight in weights.items()})
            pipe.execute()


def _name(task: str, place: int) -> str:
    return f"wellread:shares:{task}:{place}"
