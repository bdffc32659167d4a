"""huey's worker with the same tasks; huey is a development-only peer and may not be installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import redis

from benchmarks.hop.counting import ended
from workers.settings import load

PROCESSES = 2


def tasks(url: str) -> tuple[Any, Any]:
    """Return two tasks: one passes a message on, one does nothing."""
    queue, client = _queue(url), redis.Redis.from_url(url)

    @queue.task(name="pass_on")  # type: ignore[untyped-decorator]
    def pass_on(left: int) -> None:
        if left > 1:
            pass_on(left - 1)
        else:
            ended(client)

    @queue.task(name="nothing")  # type: ignore[untyped-decorator]
    def nothing() -> None:
        ended(client)

    return pass_on, nothing


def _queue(url: str) -> Any:
    if url not in _QUEUES:
        _QUEUES[url] = import_module("huey").RedisHuey("benchmarks", url=url, results=False, utc=True)
    return _QUEUES[url]


_QUEUES: dict[str, Any] = {}


def consume() -> None:
    """Run the tasks that are sent, until stopped."""
    url = load().redis
    tasks(url)
    _queue(url).create_consumer(workers=PROCESSES, worker_type="process", periodic=False).run()


if __name__ == "__main__":
    # huey finds a task by its module's name, which would be __main__
    import_module("benchmarks.hop.huey").consume()
