"""A worker counts from when it can work, not from when it was started."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from store.passages.writer import PassagesWriter
from workers.processes.heartbeat import living_workers
from workers.processes.supervise import wait_until
from workers.services import Services

pytestmark = pytest.mark.timeout(300)


@contextmanager
def _worker(services: Services, log: Path) -> Iterator[None]:
    """A worker of the queue `answer`, until its end."""
    named = {"DATA_DIR": str(services.settings.data_dir), "REDIS_URL": services.settings.redis_url}
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "api", "worker", "answer"],
            env={**os.environ, **{f"WELLREAD_{name}": value for name, value in named.items()}},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        yield
    finally:
        process.kill()
        process.wait()


def test_worker_that_cannot_open_the_knowledge_base_does_not_count(services: Services, tmp_path: Path) -> None:
    services.redis.flushall()
    log = tmp_path / "worker.log"
    PassagesWriter.open(services.passages_uri, embedder_id="another", dimension=8)
    with _worker(services, log):
        assert wait_until(lambda: "not_ready" in log.read_text() and " ready." in log.read_text(), within_s=200)
        assert not wait_until(lambda: living_workers(services)["answer"] > 0, within_s=1)


def test_all_that_a_worker_logs_is_json(services: Services, tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    with _worker(services, log):
        assert wait_until(lambda: " ready." in log.read_text(), within_s=200)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert {"event", "level", "timestamp"} <= set.intersection(*(set(line) for line in lines))
    assert any(line["event"].endswith(" ready.") for line in lines)


def test_worker_that_is_warm_counts(services: Services, tmp_path: Path) -> None:
    services.redis.flushall()
    with _worker(services, tmp_path / "worker.log"):
        assert wait_until(lambda: living_workers(services)["answer"] == 1, within_s=200)
