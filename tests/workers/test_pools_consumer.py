"""A worker of processes or of threads tells Flower of every task, of many at a time."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import uuid
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis
from celery import Celery, Signature, chain
from sqlalchemy import select

from domain.flow import QUEUES, TASKS
from store.sql.database import Database
from store.sql.tables import QuestionRow
from workers.pools import BatchingConsumer
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
    with _worker(QUEUES[queue].worker, valkey_url, migrated_file, tmp_path / "log"):
        all_done = wait_until(lambda: _received(client, queue) == 0, within_s=240)
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


def test_task_that_follows_a_question_goes_to_its_own_services_queue_and_a_refused_one_is_not_followed(
    valkey_url: str, migrated_file: Path, tmp_path: Path
) -> None:
    client = redis.Redis.from_url(valkey_url)
    client.flushall()
    watched = client.pubsub()  # type: ignore[no-untyped-call]
    watched.psubscribe("*celeryev*")
    app = Celery(broker=valkey_url.replace("unix://", "redis+socket://"))

    def follows(queue: str, kind: str) -> Signature[None]:
        options = {"queue": queue} if queue else {}
        return app.signature(f"billing.{kind}", options=options)

    ids = [uuid.uuid4().hex for _ in range(4)]
    asked = [app.signature("wellread.ask", args=({"question": f"Who built pier {each}?", "id": each},)) for each in ids]
    refused = app.signature("wellread.ask", args=({"question": "Who?", "colour": "red"},))
    for each in (*asked, refused):
        each.set(queue="answer")
    asked[0].apply_async(link=follows("billing", "linked"))
    chain(asked[1], follows("billing", "chained")).apply_async()
    chain(asked[2], follows("billing", "chained"), follows("letters", "then")).apply_async()
    asked[3].apply_async(link=follows("", "unrouted"))
    chain(refused, follows("billing", "never")).apply_async()
    pickled, nested = str(uuid.uuid4()), str(uuid.uuid4())
    ask = {"name": "wellread.ask", "queue": "answer"}
    app.send_task(**ask, args=({"question": "Who?", "id": pickled},), task_id=pickled, serializer="pickle")
    app.send_task(**ask, args=({"question": "Who?"},), serializer="yaml")
    app.send_task(**ask, kwargs={"payload": {"question": "Who?", "id": nested}})
    log = tmp_path / "log"
    with _worker("answer", valkey_url, migrated_file, log):
        left = wait_until(lambda: _received(client, "answer") + client.hlen("unacked") == 0, within_s=120)
        there = wait_until(lambda: (client.llen("billing"), client.llen("celery")) == (3, 1), within_s=30)
    assert left, log.read_text()
    assert there, log.read_text()
    found = [json.loads(message) for name in ("billing", "celery") for message in client.lrange(name, 0, -1)]
    followed = {(each["headers"]["task"], json.loads(b64decode(each["body"]))[0][0]) for each in found}
    assert followed == {
        ("billing.linked", ids[0]),
        ("billing.chained", ids[1]),
        ("billing.chained", ids[2]),
        ("billing.unrouted", ids[3]),
    }
    failed = [event for events in _told(watched) for event in events if event["type"] == "task-failed"]
    assert len(failed) == 4
    whys = (
        "MessageRefused('colour: Extra inputs",
        "application/x-python-serialize",
        "application/x-yaml",
        "payload: Extra inputs",
    )
    refusals = [event["exception"] for event in failed]
    assert all(any(why in refusal for refusal in refusals) for why in whys), refusals
    with Database(f"sqlite:///{tmp_path / migrated_file.name}").read() as session:
        errors = {row.id: row.error or "" for row in session.scalars(select(QuestionRow)) if row.error}
    assert "x-python-serialize" in errors[uuid.UUID(pickled).hex]
    assert "payload: Extra inputs" in errors[uuid.UUID(nested).hex]


@contextmanager
def _worker(name: str, valkey_url: str, migrated_file: Path, log: Path) -> Iterator[None]:
    shutil.copy(migrated_file, log.parent)
    env = {
        **os.environ,
        "WELLREAD_REDIS_URL": valkey_url,
        "WELLREAD_DATA_DIR": str(log.parent),
        "WELLREAD_CRAWL_PROCESSES": "1",
        "WELLREAD_ANSWER_PROCESSES": "1",
    }
    with log.open("wb") as output:
        command = [sys.executable, "-m", "api", "worker", name]
        worker = subprocess.Popen(command, env=env, stdout=output, stderr=output)
    try:
        yield
    finally:
        worker.terminate()
        worker.wait(60)


def test_celerys_own_way_to_take_messages_is_not_among_the_steps() -> None:
    blueprint = BatchingConsumer.Blueprint(name="steps")
    steps = blueprint.claim_steps()
    blueprint._firstpass(steps)  # with what the steps require
    taking = {name for name in steps if name.endswith("Tasks") or "TasksOf" in name}
    assert taking == {"workers.pools.TasksOfQueues"}
