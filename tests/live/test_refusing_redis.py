"""Redis cannot write to its disk and refuses everything: workers wait, and go on where they stood."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import redis

from tests.live.test_faults import FINAL, QUESTIONS, _stack, _status
from workers.processes.supervise import wait_until
from workers.settings import load

_WORKERS = ("answer", "crawl")
pytestmark = [pytest.mark.live, pytest.mark.nightly, pytest.mark.timeout(600)]


def _let_no_copy_be_written(client: redis.Redis) -> None:
    """Have Redis refuse as it does on a full disk: it could not write, and says so (MISCONF)."""
    client.config_set("save", "3600 1")
    client.bgsave()

    def refuses() -> bool:
        try:
            client.set("other", 1)
        except redis.ResponseError as error:
            return str(error).startswith("MISCONF")
        return False

    assert wait_until(refuses, within_s=60)


def test_workers_outlive_a_redis_that_refuses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    logs = tmp_path / "data" / "logs"

    def have_heard() -> bool:
        return all(
            "consumer: Cannot connect" in (logs / f"{name}.log").read_text(errors="replace") for name in _WORKERS
        )

    with _stack(monkeypatch, tmp_path) as (stack, client):
        assert wait_until(lambda: client.get("/readyz").json()["ready"], within_s=120)
        broker = redis.Redis.from_url(load().redis)
        ids = [client.post("/api/questions", json={"question": each}).json()["id"] for each in QUESTIONS[:3]]
        before = {name: stack.pids()[name] for name in _WORKERS}
        shutil.rmtree(tmp_path / "data" / "valkey")  # its folder is gone: what is open is written on
        _let_no_copy_be_written(broker)
        assert wait_until(have_heard, within_s=120)
        broker.config_set("stop-writes-on-bgsave-error", "no")
        broker.config_set("save", "")  # or it would not stop
        assert wait_until(lambda: all(_status(client, each) in FINAL for each in ids), within_s=240)
        assert {name: stack.pids()[name] for name in _WORKERS} == before
        broker.close()
