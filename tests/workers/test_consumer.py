"""A worker of processes or of threads tells Flower of every task, of many at a time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from base64 import b64decode
from collections import Counter
from pathlib import Path

import pytest
import redis
from celery import Celery

from domain.flow import TASKS
from workers.processes.supervise import wait_until

pytestmark = pytest.mark.timeout(300)

_TASKS = 30


@pytest.mark.parametrize("task", ["wellread.read", "wellread.notify"])
def test_worker_sends_every_event_of_its_tasks_and_many_together(
    task: str, valkey_url: str, migrated_file: Path, tmp_path: Path
) -> None:
    queue = TASKS[task].queue
    client = redis.Redis.from_url(valkey_url)
    client.flushall()
    watched = client.pubsub()  # type: ignore[no-untyped-call]
    watched.psubscribe("*celeryev*")
    app = Celery(broker=valkey_url.replace("unix://", "redis+socket://"))
    for row in range(_TASKS):  # there is no such row: each task looks, and ends
        app.send_task(task, args=(row + 1,), queue=queue)
    env = {
        **os.environ,
        "WELLREAD_REDIS_URL": valkey_url,
        "WELLREAD_DATA_DIR": str(tmp_path),
        "WELLREAD_DATABASE_URL": f"sqlite:///{migrated_file}",
        "WELLREAD_CRAWL_PROCESSES": "1",
    }
    command = [sys.executable, "-m", "api", "worker", queue]
    with (tmp_path / "log").open("wb") as output:
        worker = subprocess.Popen(command, env=env, stdout=output, stderr=output)
    try:
        all_done = wait_until(lambda: _received(client, queue) == 0, within_s=240)
    finally:
        worker.terminate()
        worker.wait(60)
    assert all_done, (tmp_path / "log").read_text()
    told = _told(watched)
    kinds = Counter(event["type"] for events in told for event in events)
    assert [kinds[f"task-{kind}"] for kind in ("received", "started", "succeeded")] == [_TASKS] * 3
    assert len(told) <= _TASKS, "each turn of the worker's loop was told on its own"


def _received(client: redis.Redis, queue: str) -> int:
    return int(client.llen(queue)) + int(client.hlen("unacked"))


def _told(watched: redis.client.PubSub) -> list[list[dict[str, str]]]:
    """Return the events of tasks, message by message."""
    told = []
    while (message := watched.get_message(timeout=1)) is not None:
        if message["type"] == "pmessage":
            events = json.loads(b64decode(json.loads(message["data"])["body"]))
            told += [events] if isinstance(events, list) else []  # a worker's own events come one by one
    return told
