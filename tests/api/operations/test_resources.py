"""/readyz and the doctor say what runs out, is there twice or is away; /readyz fails for what questions need alone."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from starlette.testclient import TestClient

from api.operations.doctor import diagnose
from api.operations.resources import Diagnosis
from domain.flow import QUEUES
from workers.processes.heartbeat import living_beats, living_workers
from workers.processes.supervise import wait_until
from workers.services import Services

#: a process that shows life as beat does, until its input ends
BEAT = (
    "import os, sys; from workers.processes.heartbeat import BEAT, start_heartbeat; "
    "start_heartbeat(sys.argv[1], BEAT, os.getpid()); sys.stdin.read()"
)
#: a worker that writes passages: a process of its pool shows life
WRITER = (
    "import os, sys; from workers.processes.heartbeat import start_heartbeat; "
    "os.fork() or (start_heartbeat(sys.argv[1], 'embed', os.getppid()), sys.stdin.read(), os._exit(0)); os.wait()"
)


@pytest.fixture(autouse=True)
def complete(services: Services) -> Iterator[None]:
    """One worker of each queue and one beat show life, and nothing of others."""
    services.redis.flushall()
    for name in (*QUEUES, "beat"):
        services.redis.zadd(f"wellread:alive:{name}", {"here:1": time.time()})
    yield
    services.redis.flushall()


@contextmanager
def _running(services: Services, code: str) -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "-c", code, services.settings.redis_url], stdin=subprocess.PIPE)
    try:
        yield
    finally:
        process.communicate(timeout=30)


def _ready(http: TestClient) -> tuple[int, dict[str, dict[str, Any]]]:
    response = http.get("/readyz")
    return response.status_code, {check["name"]: check for check in response.json()["checks"]}


def _found(services: Services, name: str) -> Diagnosis:
    (found,) = diagnose(services, name)
    return found


def test_nothing_is_said_while_all_is_there(http: TestClient, services: Services) -> None:
    status, checks = _ready(http)
    assert (status, [name for name, check in checks.items() if not check["ok"] or check["what_to_do"]]) == (200, [])
    assert {_found(services, name).level for name in ("workers", "beat", "disk", "descriptors")} == {"ok"}


@pytest.mark.parametrize("queue", ["crawl", "embed", "model", "upkeep"])
def test_worker_that_is_away_is_named_while_questions_are_answered(
    queue: str, http: TestClient, services: Services
) -> None:
    services.redis.delete(f"wellread:alive:{queue}")
    status, checks = _ready(http)
    said, found = checks["workers"], _found(services, "workers")
    assert (status, said["ok"], said["needed"]) == (200, False, False)
    assert f"no worker for {queue} (" in said["detail"]
    assert said["what_to_do"] == f"run `wellread worker {queue}`"
    assert (found.level, found.finding, found.fix) == ("wrong", said["detail"], said["what_to_do"])


def test_without_a_worker_that_answers_nothing_is_ready(http: TestClient, services: Services) -> None:
    services.redis.delete("wellread:alive:answer", "wellread:alive:crawl")
    status, checks = _ready(http)
    assert (status, checks["workers"]["needed"]) == (503, True)
    assert "run `wellread worker answer`" in checks["workers"]["what_to_do"]


def test_where_there_is_a_model_nothing_is_ready_without_the_worker_that_waits_for_it(
    http: TestClient, services: Services
) -> None:
    services.redis.delete("wellread:alive:model")
    services.settings = services.settings.model_copy(update={"anthropic_api_key": SecretStr("sk-ant-none")})
    status, checks = _ready(http)
    assert (status, checks["workers"]["needed"]) == (503, True)
    assert checks["workers"]["what_to_do"] == "run `wellread worker model`"


def test_beat_that_is_away_is_named_while_questions_are_answered(http: TestClient, services: Services) -> None:
    services.redis.delete("wellread:alive:beat")
    status, checks = _ready(http)
    said, found = checks["beat"], _found(services, "beat")
    assert (status, said["ok"], said["needed"], said["detail"]) == (200, False, False, "none runs")
    assert "`wellread beat`" in said["what_to_do"]
    assert (found.level, found.finding, found.fix) == ("wrong", said["detail"], said["what_to_do"])


def test_second_beat_is_named(http: TestClient, services: Services) -> None:
    services.redis.delete("wellread:alive:beat")
    with _running(services, BEAT), _running(services, BEAT):
        assert wait_until(lambda: living_beats(services) == 2, within_s=60)
        status, checks = _ready(http)
        found = _found(services, "beat")
    assert (status, checks["beat"]["ok"], checks["beat"]["detail"]) == (503, False, "2")
    assert "Stop all but one" in checks["beat"]["what_to_do"]
    assert (found.level, found.fix) == ("wrong", checks["beat"]["what_to_do"])


def test_second_writer_is_named(http: TestClient, services: Services) -> None:
    services.redis.delete("wellread:alive:embed")
    with _running(services, WRITER), _running(services, WRITER):
        assert wait_until(lambda: living_workers(services)["embed"] == 2, within_s=60)
        status, checks = _ready(http)
        found = _found(services, "workers")
    assert (status, checks["writers"]["ok"], checks["writers"]["detail"]) == (503, False, "2 may write")
    assert "Stop all but one `embed` worker" in checks["writers"]["what_to_do"]
    assert (found.level, found.fix) == ("wrong", checks["writers"]["what_to_do"])


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="only Linux says how many files are open")
def test_open_files_that_run_out_are_named(http: TestClient, services: Services) -> None:
    _ready(http)  # what is opened once is open
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with ExitStack() as held:
        for _ in range(500):
            held.callback(os.close, os.dup(0))
        used = len(list(Path("/proc/self/fd").iterdir()))
        held.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (int(used / 0.92), hard))
        status, checks = _ready(http)
        found = _found(services, "descriptors")
    said = checks["descriptors"]
    assert (status, said["ok"], f"of {int(used / 0.92):,} open" in said["detail"]) == (503, False, True)
    assert "ulimit -n" in said["what_to_do"]
    assert (found.level, found.fix) == ("wrong", said["what_to_do"])


@pytest.fixture
def small_disk(services: Services) -> Iterator[None]:
    """The data folder is on a file system of 50 MB."""
    folder = services.settings.data_dir
    tables = (folder / "wellread.db").read_bytes()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=50m", "tmpfs", str(folder)], check=False)
    if mounted.returncode:
        pytest.skip("only root may mount a small file system")
    try:
        (folder / "wellread.db").write_bytes(tables)
        yield
    finally:
        services.database.close()
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_full_disk_is_named(small_disk: None, http: TestClient, services: Services) -> None:
    status, checks = _ready(http)
    said, found = checks["disk"], _found(services, "disk")
    assert (status, checks["database"]["ok"], said["ok"]) == (503, True, False)
    assert said["detail"].startswith("full: 5")
    assert "Free some space" in said["what_to_do"]
    assert (found.level, found.finding, found.fix) == ("wrong", said["detail"], said["what_to_do"])
