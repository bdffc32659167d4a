"""Flower on loopback answers requests that name loopback alone."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from workers.processes.supervise import wait_until

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def flower(valkey_url: str, tmp_path: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = {**os.environ, "WELLREAD_REDIS_URL": valkey_url, "WELLREAD_FLOWER_PORT": str(port)}
    with (tmp_path / "log").open("wb") as output:
        process = subprocess.Popen([sys.executable, "-m", "api", "flower"], env=env, stdout=output, stderr=output)
    url = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        try:
            return httpx2.get(f"{url}/healthcheck", trust_env=False).status_code == 200
        except httpx2.TransportError:
            return False

    try:
        assert wait_until(answers, within_s=240), (tmp_path / "log").read_text()
        yield url
    finally:
        process.terminate()
        process.wait(30)


def test_request_that_names_another_host_is_refused(flower: str) -> None:
    names = {
        "127.0.0.1:5555": 200,
        "localhost": 200,
        "[::1]:1": 200,
        "evil.example": 404,
        "127.0.0.1.evil.example": 404,
    }
    for host, status in names.items():
        for path in ("/tasks", "/metrics"):
            assert httpx2.get(f"{flower}{path}", headers={"host": host}, trust_env=False).status_code == status, host


@pytest.mark.parametrize("command", ["flower", "api"])
def test_taken_port_is_named_with_what_to_do(command: str, valkey_url: str, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port, setting = str(taken.getsockname()[1]), f"WELLREAD_{command.upper()}_PORT"
        env = {
            **os.environ,
            "WELLREAD_DATA_DIR": str(tmp_path),
            "WELLREAD_REDIS_URL": valkey_url,
            setting: port,
        }
        ended = subprocess.run([sys.executable, "-m", "api", command], env=env, capture_output=True, text=True)
    assert ended.returncode == 1
    (line,) = ended.stderr.splitlines()
    assert port in line
    assert setting in line
