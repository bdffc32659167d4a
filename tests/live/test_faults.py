"""Kill -9 of any part, at any time, loses no question and answers none twice."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import psutil
import pytest
from sqlalchemy import func, select

from api.cli.demo.site_server import SITE, serve
from benchmarks.faults import ledger
from benchmarks.faults.strike import kill, kill_reader
from store.sql.database import Database
from store.sql.tables import CandidateRow
from workers.processes.stack import Stack
from workers.processes.supervise import wait_until
from workers.settings import load

pytestmark = [pytest.mark.live, pytest.mark.timeout(600)]

ASKED = json.loads((SITE.parent / "questions.json").read_text())
QUESTIONS = [ASKED["question"], ASKED["paraphrase"], *(entry["question"] for entry in ASKED["more"])][:10]
FINAL = {"ANSWERED", "ABSTAINED"}


@contextmanager
def _stack(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[tuple[Stack, httpx2.Client]]:
    """The embedded stack, reading the demo's site, with an HTTP client to it."""
    for name, value in (("WIKIPEDIA", "false"), ("API_PORT", "0"), ("DATA_DIR", str(tmp_path / "data"))):
        monkeypatch.setenv(f"WELLREAD_{name}", value)
    with (
        serve() as site,
        Stack(load(), flower=False) as stack,
        httpx2.Client(base_url=stack.address.api_url, timeout=60, trust_env=False) as client,
    ):
        client.post("/api/sources", json={"url": f"{site.origin}/", "own": True, "min_delay_s": 0.0})
        yield stack, client


def _status(client: httpx2.Client, question_id: str) -> str:
    try:
        return str(client.get(f"/api/questions/{question_id}").json()["status"])
    except (httpx2.HTTPError, KeyError):  # the API itself was killed: it comes back
        return "unknown"


def test_killing_each_child_in_the_middle_loses_no_question(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with _stack(monkeypatch, tmp_path) as (stack, client):
        ids = [client.post("/api/questions", json={"question": question}).json()["id"] for question in QUESTIONS]
        for name in ("crawl", "answer", "valkey", "api", "crawl", "answer"):
            time.sleep(2)
            kill(stack.pids, name)
        assert wait_until(lambda: all(_status(client, question_id) in FINAL for question_id in ids), within_s=240)
        database = Database(load().database)
        with database.read() as session:
            outcome = ledger.count(session, ids)
            unsettled = session.scalar(select(func.count()).where(CandidateRow.status == "WAITING"))
        database.close()
    assert (outcome.lost, outcome.open, outcome.duplicated) == (0, 0, 0)
    assert unsettled == 0


@pytest.mark.nightly
def test_killing_those_that_read_pages_loses_no_question(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with _stack(monkeypatch, tmp_path) as (stack, client):
        ids = [client.post("/api/questions", json={"question": question}).json()["id"] for question in QUESTIONS[:5]]
        for _ in range(6):
            time.sleep(1)
            kill_reader(stack.pids)
        assert wait_until(lambda: all(_status(client, question_id) in FINAL for question_id in ids), within_s=240)


@pytest.mark.nightly
def test_children_that_were_started_again_stop_in_order_and_the_broker_last(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    logs = tmp_path / "data" / "logs"

    def log_of(name: str) -> str:
        return (logs / f"{name}.log").read_text(errors="replace")

    with _stack(monkeypatch, tmp_path) as (stack, _):
        assert wait_until(lambda: log_of("answer").count(" ready.") == 1, within_s=60)
        for name in ("valkey", "answer"):
            kill(stack.pids, name)
        assert wait_until(lambda: log_of("answer").count(" ready.") == 2, within_s=90)
    _, shutdown, end = log_of("answer").partition("Warm shutdown")
    assert shutdown  # it was asked to stop and let its work end, and the broker was still there:
    assert "onnection" not in end
    assert log_of("valkey").count("bye bye") == 1


@pytest.mark.nightly
def test_a_child_that_is_killed_while_it_starts_is_started_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in (("API_PORT", "0"), ("DATA_DIR", str(tmp_path / "data"))):
        monkeypatch.setenv(f"WELLREAD_{name}", value)
    stack = Stack(load(), flower=False)
    killed: list[int] = []

    def kill_the_api() -> None:
        assert wait_until(lambda: "api" in stack.pids(), within_s=30)
        killed.append(stack.pids()["api"])
        kill(stack.pids, "api")

    killing = threading.Thread(target=kill_the_api)
    killing.start()
    with stack:
        killing.join()
        assert stack.pids()["api"] not in killed
        assert httpx2.get(f"{stack.address.api_url}/healthz", timeout=60, trust_env=False).status_code == 200
        stored = [path for path in (tmp_path / "data").rglob("*") if path.is_file()]
        assert len(stored) > 3
        assert [path for path in stored if path.stat().st_mode & 0o077] == []


def test_kill_9_of_the_stack_leaves_no_process_and_the_next_start_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import subprocess
    import sys

    env = {**os.environ, "WELLREAD_DATA_DIR": str(tmp_path / "data"), "WELLREAD_WIKIPEDIA": "false"}
    command = [sys.executable, "-m", "api", "up", "--port", "0", "--no-flower"]
    first = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
    assert first.stdout is not None
    line = first.stdout.readline()
    url = next(word for word in line.split() if word.startswith("http"))
    asked = httpx2.post(
        f"{url}/api/questions", json={"question": "Who keeps the light?"}, timeout=60, trust_env=False
    ).json()
    tree = psutil.Process(first.pid).children(recursive=True)
    first.kill()
    first.wait()
    first.stdout.close()
    _, alive = psutil.wait_procs(tree, timeout=30)
    assert [process.cmdline() for process in alive if process.status() != psutil.STATUS_ZOMBIE] == []
    monkeypatch.setenv("WELLREAD_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("WELLREAD_API_PORT", "0")
    monkeypatch.setenv("WELLREAD_WIKIPEDIA", "false")
    with Stack(load(), flower=False) as stack, httpx2.Client(base_url=stack.address.api_url, trust_env=False) as client:
        assert wait_until(lambda: _status(client, asked["id"]) in FINAL, within_s=90)
