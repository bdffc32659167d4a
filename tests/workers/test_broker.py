"""Messages are noted while they are worked on; a connection that breaks meanwhile is given up as any other."""

from __future__ import annotations

from types import SimpleNamespace
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


def test_messages_that_have_ended_are_forgotten_with_the_next_one_or_as_the_channel_closes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Transport, "Channel", TolerantChannel)
    taken: list[Any] = []
    later: list[Any] = []
    with valkey_server() as url, Connection(url.replace("unix://", "redis+socket://")) as connection:
        client, channel = redis.Redis.from_url(url), connection.channel()
        channel.hub = SimpleNamespace(call_later=lambda _, do: later.append(do))
        for row in range(4):
            connection.SimpleQueue("work").put({"row": row})
        channel.basic_consume("work", no_ack=False, callback=taken.append, consumer_tag="worker")

        def take() -> None:
            connection.drain_events(timeout=30)

        def noted() -> list[int]:
            assert client.zcard("unacked_index") == client.hlen("unacked")
            tags = {message.delivery_tag.encode(): message.payload["row"] for message in taken}
            return sorted(tags[tag] for tag in client.hkeys("unacked"))

        take()
        taken[0].ack()
        assert noted() == [0]
        take()
        assert noted() == [1]
        taken[1].ack()
        assert len(later) == 1  # asked for once for all that ends until then
        later.pop()()
        assert noted() == []
        take()
        take()
        taken[2].ack()
        channel.close()
        assert noted() == []
        assert client.llen("work") == 1  # the one that had not ended is sent again
