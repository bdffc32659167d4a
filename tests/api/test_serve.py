"""The server: where it listens, and how it stops."""

from __future__ import annotations

import os
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest
from fastapi import FastAPI

from api.server import Server
from tests.api import walk
from workers.services import Services
from workers.settings import Settings

ROOM_MS = 30.0


def test_idle_connection_outlives_its_callers_own_time_for_it() -> None:
    own_s = httpx2.Limits().keepalive_expiry
    assert own_s is not None
    assert Server(FastAPI()).config.timeout_keep_alive > own_s


def _environment(settings: Settings, **more: str) -> dict[str, str]:
    return {
        **os.environ,
        "WELLREAD_DATA_DIR": str(settings.data_dir),
        "WELLREAD_REDIS_URL": settings.redis_url,
        **more,
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _server(settings: Settings) -> Iterator[tuple[subprocess.Popen[bytes], httpx2.Client]]:
    port = _free_port()
    environment = _environment(settings, WELLREAD_API_PORT=str(port))
    process = subprocess.Popen([sys.executable, "-m", "api", "api"], env=environment, stderr=subprocess.DEVNULL)
    try:
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=10) as http:
            while True:
                try:
                    http.get("/healthz")
                except httpx2.TransportError:
                    assert process.poll() is None, "the server ended"
                    time.sleep(0.05)
                else:
                    break
            yield process, http
    finally:
        process.kill()
        process.wait()


@pytest.mark.live
def test_answers_do_not_wait_for_acknowledgements(settings: Settings, services: Services) -> None:
    with _server(settings) as (_, http):
        spent = []
        for _ in range(21):
            began = time.perf_counter()
            assert http.get("/healthz").status_code == 200
            spent.append((time.perf_counter() - began) * 1000)
    assert statistics.median(spent) < ROOM_MS


@pytest.mark.live
def test_stopping_server_does_not_wait_for_watchers(settings: Settings, services: Services) -> None:
    question = walk.ask(services)
    with _server(settings) as (process, http), http.stream("GET", f"/api/questions/{question.id}/events") as stream:
        next(stream.iter_lines())
        process.send_signal(signal.SIGTERM)
        process.wait(5)


@pytest.mark.live
def test_second_server_on_a_port_says_so(settings: Settings, services: Services) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        environment = _environment(settings, WELLREAD_API_PORT=port)
        second = subprocess.run([sys.executable, "-m", "api", "api"], env=environment, capture_output=True, text=True)
    assert second.returncode == 1
    assert f"Port {port}" in second.stderr
    assert "WELLREAD_API_PORT" in second.stderr
    assert "Traceback" not in second.stderr
