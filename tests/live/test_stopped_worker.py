"""A worker that is stopped while it works gives back what it holds in time; one with a task that hangs ends."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx2
import pytest
import redis
from celery import Celery
from sqlalchemy import select

from domain import Candidate
from store.crawl import candidates
from store.crawl.candidates import CandidateStatus
from store.sql.leases import LEASE_S
from store.sql.tables import CandidateRow
from tests.servers import running
from workers.processes.heartbeat import last_sweep
from workers.processes.stack import Stack
from workers.processes.supervise import wait_until
from workers.services import Services
from workers.settings import load

pytestmark = [pytest.mark.live, pytest.mark.timeout(300)]

#: of the worker; its page takes as long as it is not let through
STOP_S = 1.0


class _Slow(BaseHTTPRequestHandler):
    begun: int
    let_through: threading.Event

    def do_GET(self) -> None:
        is_page = not self.path.endswith("robots.txt")
        if is_page:
            type(self).begun += 1
            self.let_through.wait(60)
        with suppress(BrokenPipeError):  # who asked was stopped
            self.send_response(200 if is_page else 404)
            self.send_header("content-type", "text/plain")
            self.end_headers()
            self.wfile.write(
                b"The tower was built in 1872 by Alma Holt, who kept it for thirty years." if is_page else b""
            )

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def _slow_page() -> Iterator[tuple[str, type[_Slow]]]:
    handler = type("Handler", (_Slow,), {"begun": 0, "let_through": threading.Event()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    with running(server) as origin:
        try:
            yield origin, handler
        finally:
            handler.let_through.set()


@contextmanager
def _worker(log: Path, *queues: str, most_s: float = 120.0) -> Iterator[subprocess.Popen[bytes]]:
    program = (
        "from workers.app import app\n"
        "from workers.entrypoints import run_worker\n"
        "from workers.settings import load\n"
        f"app.conf.task_time_limit = {most_s}\n"
        f"run_worker(load(), *{queues or ('crawl',)})"
    )
    with log.open("wb") as output:
        process = subprocess.Popen([sys.executable, "-c", program], stdout=output, stderr=output)
    try:
        yield process
    finally:
        process.kill()  # to stop in order takes it twenty seconds
        process.wait(60)


def _row(services: Services) -> CandidateRow:
    with services.database.read() as session:
        return session.scalars(select(CandidateRow)).one()


@contextmanager
def _due_page(monkeypatch: pytest.MonkeyPatch, folder: Path, valkey_url: str) -> Iterator[tuple[Services, type[_Slow]]]:
    """A page whose read was sent to the workers, and which is served when it is let through."""
    with _slow_page() as (origin, page):
        settings = {"DATA_DIR": folder, "REDIS_URL": valkey_url, "STOP_S": STOP_S, "CRAWL_PROCESSES": 1}
        for name, value in (settings | {"ALLOW_HOSTS": origin.removeprefix("http://"), "FETCH_DEADLINE_S": 40}).items():
            monkeypatch.setenv(f"WELLREAD_{name}", str(value))
        services = Services(load())
        with services.database.write() as session:
            (row_id,) = candidates.add(
                session,
                None,
                [Candidate(url=f"{origin}/page")],
                wave=0,
                status=CandidateStatus.WAITING,
                now=services.now(),
            )
        redis.Redis.from_url(valkey_url).flushall()
        sender = Celery(broker=valkey_url.replace("unix://", "redis+socket://"))
        sender.send_task("wellread.read", args=(row_id,), queue="crawl")
        yield services, page
        services.close()


def test_page_that_a_stopped_worker_reads_is_read_by_another_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, valkey_url: str, migrated_file: Path
) -> None:
    shutil.copy(migrated_file, tmp_path)
    with _due_page(monkeypatch, tmp_path, valkey_url) as (services, page):
        with _worker(tmp_path / "first") as first:
            assert wait_until(lambda: page.begun == 1, within_s=60), (tmp_path / "first").read_text()
            assert _row(services).lease_by is not None
            first.send_signal(signal.SIGTERM)
            first.wait(LEASE_S)  # a page takes up to 40 s
        left = _row(services)
        assert (left.status, left.lease_by, left.attempts, left.elapsed_s) == (CandidateStatus.WAITING, None, 0, 0.0)
        page.let_through.set()
        with _worker(tmp_path / "second"):
            # no sweep runs: the message was sent again
            assert wait_until(lambda: _row(services).outcome == "read", within_s=60), (tmp_path / "second").read_text()
        assert page.begun == 2


def test_queue_whose_threads_are_all_at_work_holds_up_no_other_queue_of_its_worker(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, valkey_url: str, migrated_file: Path
) -> None:
    shutil.copy(migrated_file, tmp_path)
    with (
        _due_page(monkeypatch, tmp_path, valkey_url) as (services, page),
        _worker(tmp_path / "log", "crawl", "upkeep"),
    ):
        assert wait_until(lambda: page.begun == 1, within_s=60), (tmp_path / "log").read_text()
        sender = Celery(broker=valkey_url.replace("unix://", "redis+socket://"))
        for row_id in range(100, 200):  # more than there are threads
            sender.send_task("wellread.read", args=(row_id,), queue="crawl")
        sender.send_task("wellread.sweep", queue="upkeep")
        assert wait_until(lambda: last_sweep(services) is not None, within_s=30)
        assert _row(services).outcome is None


def test_task_that_hangs_stops_its_worker_which_gives_back_all_but_that(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, valkey_url: str, migrated_file: Path
) -> None:
    shutil.copy(migrated_file, tmp_path)
    with _due_page(monkeypatch, tmp_path, valkey_url) as (services, page):
        with _worker(tmp_path / "log", most_s=3) as worker:
            assert wait_until(lambda: page.begun == 1, within_s=60), (tmp_path / "log").read_text()
            assert worker.wait(60) == 1
        assert "task_hangs" in (tmp_path / "log").read_text()
        assert _row(services).attempts == 1  # a row that hangs each time is given up
        assert _row(services).lease_by is not None


@pytest.mark.nightly
def test_the_stack_that_is_stopped_gives_back_what_it_reads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with _slow_page() as (origin, page):
        settings = {
            "DATA_DIR": tmp_path,
            "API_PORT": 0,
            "STOP_S": STOP_S,
            "ALLOW_HOSTS": origin.removeprefix("http://"),
        }
        for name, value in (settings | {"FETCH_DEADLINE_S": 40, "WIKIPEDIA": "false"}).items():
            monkeypatch.setenv(f"WELLREAD_{name}", str(value))
        with Stack(load(), flower=False) as stack:
            wanted = {"url": f"{origin}/page"}
            httpx2.post(f"{stack.address.api_url}/api/reads", json=wanted, timeout=60, trust_env=False)
            assert wait_until(lambda: page.begun == 1, within_s=60)
        services = Services(load())
        left = _row(services)
        assert (left.status, left.lease_by, left.attempts, left.elapsed_s) == (CandidateStatus.WAITING, None, 0, 0.0)
        services.close()
