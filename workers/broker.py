"""Has a worker go on where the broker is full, and where what lies in a queue is no message; notes messages cheaply.

A message that has ended is forgotten with the note of the next one, in one round trip, or soon after. If the worker
dies before, the message is sent again, and its row waits for nothing then.

Kombu takes a message from its queue, and then notes it. Where Redis is full the note is refused and the message would
be lost, although the room that it took is free now. So it is worked on without a note: it is lost only if the worker
dies meanwhile, and for all but `wellread.ask` the sweep sends it again even then.

A Redis that cannot write to its disk refuses everything, and answers so. Celery would end the worker for that; here it
is a broken connection, which is made anew until Redis takes part again.

A connection that broke while messages were worked on is closed twice; the second time it has nothing to connect with,
which Celery would take for a mistake, and end. Here that, too, is a broken connection.

What cannot be read as a message would end the worker, and once noted, the next one too: it is dropped, with a line in
the log. Whoever writes into the queues can do worse, but a sender's mistake must not.
"""

import time
from contextlib import suppress
from typing import Any, Final

import redis
import structlog
from kombu.transport import virtual
from kombu.transport.redis import Channel, QoS, Transport
from kombu.utils.json import dumps

log = structlog.get_logger()


#: how long a message that has ended waits for the next one's note
_FORGOTTEN_WITHIN_S: Final = 0.05
#: notes a message and forgets others
_NOTE: Final = """redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
for at = 4, #ARGV do
  redis.call('ZREM', KEYS[1], ARGV[at])
  redis.call('HDEL', KEYS[2], ARGV[at])
end"""


class TolerantQoS(QoS):
    """Keeps the messages that a worker is at work on."""

    channel: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._ended: list[str] = []  #: messages that have ended and are still noted
        self._is_due = False
        self._note = self.channel._create_client().register_script(_NOTE)

    def append(self, message: Any, delivery_tag: str) -> None:
        """Note a message, in this process alone where Redis refuses it; forget those that have ended."""
        where, ended = message.delivery_info, list(self._ended)
        noted = dumps([message._raw, where["exchange"], where["routing_key"]])
        try:
            self._note(keys=(self.unacked_index_key, self.unacked_key), args=(delivery_tag, time.time(), noted, *ended))
            del self._ended[: len(ended)]
        except redis.ResponseError as error:
            log.warning("message_not_noted", error=str(error))
        virtual.QoS.append(self, message, delivery_tag)

    def ack(self, delivery_tag: str) -> None:
        """Note that a message has ended."""
        self._ended.append(delivery_tag)
        virtual.QoS.ack(self, delivery_tag)
        if not self.channel.hub:
            self._forget()
        elif not self._is_due:
            self._is_due = True
            self.channel.hub.call_later(_FORGOTTEN_WITHIN_S, self.forget)

    def forget(self) -> None:
        """Forget the messages that have ended; where that fails they are sent again, and wait for nothing then."""
        self._is_due = False
        with suppress(*self.channel.connection_errors):
            self._forget()

    def restore_unacked_once(self, stderr: Any = None) -> None:
        """Send the messages again that have not ended, as the channel is closed."""
        self.forget()
        super().restore_unacked_once(stderr)

    def _forget(self) -> None:
        if ended := list(self._ended):
            with self.pipe_or_acquire() as pipe:
                pipe.zrem(self.unacked_index_key, *ended).hdel(self.unacked_key, *ended).execute()
            del self._ended[: len(ended)]


#: before a worker asks again what Redis refused
REFUSED_S = 1.0
#: what reading a malformed message raises; a connection's errors are none of these
MALFORMED = (ValueError, TypeError, KeyError, AttributeError, redis.DataError)


class TolerantChannel(Channel):
    """Drops what is no message."""

    QoS = TolerantQoS
    hub: Any = None  #: the loop that its messages are taken in
    _client: Any = None

    def _connparams(self, asynchronous: bool = False) -> Any:
        if self.connection.client is None:
            raise redis.ConnectionError("the connection was given up")
        return super()._connparams(asynchronous)  # type: ignore[misc]

    def _create_client(self, asynchronous: bool = False) -> Any:
        """Return a client of the pool: one for all commands, since making one costs as much as a command."""
        if asynchronous:
            return super()._create_client(asynchronous)  # type: ignore[misc]
        if self._client is None or self._client.connection_pool is not self.pool:
            self._client = super()._create_client()  # type: ignore[misc]
        return self._client

    def _brpop_read(self, **options: Any) -> Any:
        try:
            return super()._brpop_read(**options)  # type: ignore[misc]
        except redis.ResponseError as error:
            log.warning("broker_refuses", error=str(error))
            time.sleep(REFUSED_S)
            raise
        except MALFORMED as error:
            log.warning("message_dropped", error=f"{type(error).__name__}: {error}"[:200])
            return True

    def basic_consume(self, queue: str, no_ack: bool, callback: Any, consumer_tag: str | None, **kwargs: Any) -> Any:
        """Consume a queue; what Celery cannot read as a task's message is noted no longer."""

        def tolerant(message: Any) -> None:
            try:
                callback(message)
            except MALFORMED as error:
                log.warning("message_dropped", error=f"{type(error).__name__}: {error}"[:200])
                if not message.acknowledged:
                    message.reject()

        return super().basic_consume(queue, no_ack, tolerant, consumer_tag, **kwargs)


def tolerate_faults() -> None:
    """Let the workers of this process go on where Redis is full or refuses, or holds what is no message."""
    Transport.Channel = TolerantChannel
    if redis.ResponseError not in Transport.connection_errors:
        Transport.connection_errors = (*Transport.connection_errors, redis.ResponseError)
