"""A worker counts from when it can work, not from when it was started."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import update
from starlette.testclient import TestClient

from api.operations.reindex import reindex
from store.passages.writer import PassagesWriter
from store.sql.tables import IndexState, PageRow
from tests.api import walk
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


def test_worker_warns_once_that_pages_have_no_passages(services: Services, http: TestClient, tmp_path: Path) -> None:
    services.redis.flushall()
    kept = [walk.keep_page(services, f"https://example.org/{name}") for name in ("tower", "lighthouse")]
    text = "The keeper of the lamp climbs the tower at dusk each day. " * 8
    with services.database.write() as session:
        session.execute(update(PageRow).values(text=text, state=IndexState.INDEXED, duplicate_of=None))
    reindex(services, lambda done, total: None)
    services.passages_writer.delete_pages(kept[:1])
    log = tmp_path / "worker.log"
    with _worker(services, log):
        assert wait_until(lambda: living_workers(services)["answer"] == 1, within_s=200)
        assert wait_until(lambda: "passages_missing" in log.read_text(), within_s=60)
        ready = http.get("/readyz")
        time.sleep(2)  # for the other processes of the pool
    (warning,) = [json.loads(line) for line in log.read_text().splitlines() if "passages_missing" in line]
    assert warning["level"] == "warning"
    assert warning["detail"].startswith("1 of 2 pages have no passages in ")
    assert "wellread reindex" in warning["what_to_do"]
    assert (ready.status_code, warning["detail"] in ready.text) == (200, True)
