"""huey's worker with the same tasks; huey is a development-only peer and may not be installed."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import redis

from benchmarks.hop.worker import PROCESSES, ended
from workers.settings import load


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


@cache
def _queue(url: str) -> Any:
    return import_module("huey").RedisHuey("benchmarks", url=url, results=False, utc=True)


def consume() -> None:
    """Run the tasks that are sent, until stopped."""
    url = load().redis
    tasks(url)
    _queue(url).create_consumer(workers=PROCESSES, worker_type="process", periodic=False).run()


if __name__ == "__main__":
    # huey finds a task by its module's name, which would be __main__
    import_module("benchmarks.hop.huey").consume()
