"""Redis is filled: the product says so, takes no more, and goes on where it stood when there is room again."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest
import redis
from celery import Celery

from tests.live.test_faults import FINAL, QUESTIONS, _stack, _status
from workers.processes.supervise import wait_until
from workers.settings import load

pytestmark = [pytest.mark.live, pytest.mark.nightly, pytest.mark.timeout(600)]


def _fill(client: redis.Redis) -> None:
    for size in (50_000, 5_000, 500):
        for number in range(5_000):
            try:
                client.set(f"other:{size}:{number}", "x" * size)
            except redis.ResponseError:
                break


def test_nothing_is_lost_while_redis_is_full(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WELLREAD_REDIS_MEMORY_MB", "16")
    with _stack(monkeypatch, tmp_path) as (_, client):
        broker = redis.Redis.from_url(load().redis)
        assert wait_until(lambda: client.get("/readyz").json()["ready"], within_s=120)
        sent, terms = str(uuid.uuid4()), {"budget": {"pages": 5}}
        ids = [client.post("/api/questions", json={"question": each, **terms}).json()["id"] for each in QUESTIONS[:3]]
        Celery(broker=load().broker).send_task("wellread.ask", args=[{"id": sent, "question": QUESTIONS[3], **terms}])
        _fill(broker)

        def full() -> bool:
            redis_says = {check["name"]: check for check in client.get("/readyz").json()["checks"]}["redis"]
            return not redis_says["ok"] and "full" in redis_says["detail"]

        assert wait_until(full, within_s=30)
        # each process looks at the memory once in a while
        assert wait_until(
            lambda: client.post("/api/questions", json={"question": "What else?"}).status_code == 503, within_s=30
        )
        for key in broker.scan_iter("other:*", count=1_000):
            broker.delete(key)
        assert wait_until(lambda: all(_status(client, each) in FINAL for each in (*ids, sent)), within_s=300)
        assert wait_until(lambda: client.get("/readyz").json()["ready"], within_s=60)
        assert client.post("/api/questions", json={"question": "What else?"}).status_code == 202
        broker.close()
