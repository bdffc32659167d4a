"""A connection to the broker that breaks while a message is worked on is given up as any other."""

from __future__ import annotations

from typing import Any

import pytest
import redis
from kombu import Connection
from kombu.transport.redis import Transport

from tests.servers import valkey_server
from workers.broker import TolerantChannel


def test_a_connection_that_broke_with_a_message_at_work_can_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Transport, "Channel", TolerantChannel)
    taken: list[Any] = []
    with valkey_server() as url:
        connection = Connection(url.replace("unix://", "redis+socket://"))
        channel: Any = connection.default_channel
        connection.SimpleQueue("work").put({"row": 1})
        channel.basic_consume("work", no_ack=False, callback=taken.append, consumer_tag="worker")
        connection.drain_events(timeout=30)
        assert [message.payload for message in taken] == [{"row": 1}]  # and it is not acknowledged
        redis.Redis.from_url(url).shutdown(nosave=True)
        connection.transport.client = None  # so a first attempt to close it leaves what it could not close
        with pytest.raises(connection.connection_errors):  # which Celery passes over; it ends for any other
            channel.close()
