"""Has a worker go on where the broker is full, and where what lies in a queue is no message.

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
from typing import Any

import redis
import structlog
from kombu.transport import virtual
from kombu.transport.redis import Channel, QoS, Transport

log = structlog.get_logger()


class TolerantQoS(QoS):
    """Keeps the messages that a worker is at work on."""

    def append(self, message: Any, delivery_tag: str) -> None:
        """Note a message, in this process alone where Redis refuses it."""
        try:
            super().append(message, delivery_tag)
        except redis.ResponseError as error:
            log.warning("message_not_noted", error=str(error))
            virtual.QoS.append(self, message, delivery_tag)


#: before a worker asks again what Redis refused
REFUSED_S = 1.0
#: what reading a malformed message raises; a connection's errors are none of these
MALFORMED = (ValueError, TypeError, KeyError, AttributeError, redis.DataError)


class TolerantChannel(Channel):
    """Drops what is no message."""

    QoS = TolerantQoS

    def _connparams(self, asynchronous: bool = False) -> Any:
        if self.connection.client is None:
            raise redis.ConnectionError("the connection was given up")
        return super()._connparams(asynchronous)  # type: ignore[misc]

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
