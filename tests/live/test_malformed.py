"""Thousands of malformed messages and requests leave nothing behind, and what is asked after them is answered."""

from __future__ import annotations

import base64
import json
import random
import shutil
import socket
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import redis
from celery import Celery
from fastapi import FastAPI
from sqlalchemy import func, select

from domain.flow import TASKS
from store.questions.state import REFUSED
from store.sql.tables import QuestionRow, Table
from tests.api.conftest import serving
from workers.processes.supervise import wait_until
from workers.services import Services
from workers.settings import load

pytestmark = [pytest.mark.live, pytest.mark.timeout(300)]

MANY = [1_000, pytest.param(10_000, marks=pytest.mark.nightly)]
QUEUE = "answer"
#: of values that a field may have instead of the right one
ODD: tuple[Any, ...] = (None, True, -1, 1e308, "", "\x00", "é\ud7ff", [], {}, [[]], "x" * 300, {"a": {"b": []}})
#: of them those that ask nothing
NO_QUESTIONS = tuple(value for value in ODD if not (isinstance(value, str) and any(map(str.isalnum, value))))


def _message(chance: random.Random) -> bytes:
    """Return a message as it lies in the queue's list, with something wrong in it."""
    task = chance.choice([*TASKS, "no.such.task", "", None, 7])
    args = chance.choice(
        [[chance.choice(ODD)], [], chance.choice(ODD), [{"question": chance.choice(NO_QUESTIONS)}], [1, 2, 3]]
    )
    body = json.dumps([args, chance.choice([{}, {"collection": chance.choice(ODD)}, chance.choice(ODD)]), {}])
    message: dict[str, Any] = {
        "body": base64.b64encode(body.encode()).decode(),
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": {"lang": "py", "task": task, "id": str(uuid.UUID(int=chance.getrandbits(128))), "root_id": None},
        "properties": {
            "delivery_info": {"exchange": "", "routing_key": QUEUE},
            "delivery_tag": str(uuid.UUID(int=chance.getrandbits(128))),
            "body_encoding": "base64",
            "priority": 0,
        },
    }
    for _ in range(chance.randrange(3)):
        place = chance.choice([message, message["headers"], message["properties"]])
        if isinstance(place, dict) and place and (name := chance.choice(list(place))) not in ("headers", "properties"):
            place[name] = chance.choice(ODD)
    whole = json.dumps(message).encode()
    if chance.random() < 0.2:  # Celery looks at these, and logs each with a traceback
        return whole
    return chance.choice([whole[: chance.randrange(len(whole))], chance.randbytes(60), b"[]", b"7", b'{"body": 1}'])


def _request(chance: random.Random) -> bytes:
    """Return a request that nothing can be done with."""
    path = chance.choice(["/api/questions", "/api/chat", "/api/search", "/v1/chat/completions", "/api/sources", "/x"])
    body = chance.choice([chance.randbytes(20), b"{", b"[]", json.dumps({"question": chance.choice(ODD[:2])}).encode()])
    method = chance.choice(["POST", "PUT", "PATCH", "get", "\x00"])
    kind = chance.choice(["application/json", "text/plain", "", "multipart/form-data; boundary=x"])
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def _answer(port: int, request: bytes) -> int:
    """Send a request; return the status of its answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(request)
        return int(connection.recv(65_536).split(b" ")[1])


@contextmanager
def _worker(log: Path) -> Iterator[None]:
    with log.open("wb") as output:
        process = subprocess.Popen([sys.executable, "-m", "api", "worker", QUEUE], stdout=output, stderr=output)
    try:
        yield
    finally:
        process.terminate()
        process.wait(60)


@pytest.fixture
def services(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, valkey_url: str, migrated_file: Path
) -> Iterator[Services]:
    shutil.copy(migrated_file, tmp_path)
    redis.Redis.from_url(valkey_url).flushall()
    for name, value in {"DATA_DIR": tmp_path, "REDIS_URL": valkey_url, "WIKIPEDIA": "false"}.items():
        monkeypatch.setenv(f"WELLREAD_{name}", str(value))
    opened = Services(load())
    yield opened
    opened.close()


def _rows(services: Services) -> dict[str, int]:
    with services.database.read() as session:
        counts = {t.name: session.scalar(select(func.count()).select_from(t)) for t in Table.metadata.sorted_tables}
    return {name: int(count or 0) for name, count in counts.items() if count}


def _waiting(services: Services) -> int:
    names = [key for key in services.redis.keys(f"{QUEUE}*") if services.redis.type(key) == b"list"]
    return sum(services.redis.llen(name) for name in names) + services.redis.hlen("unacked")


@pytest.mark.parametrize("messages", MANY)
def test_malformed_messages_leave_nothing_behind(services: Services, tmp_path: Path, messages: int) -> None:
    chance, before = random.Random(1), _rows(services)
    with services.redis.pipeline(transaction=False) as pipe:
        for _ in range(messages):
            pipe.lpush(QUEUE, _message(chance))
        pipe.execute()
    with _worker(tmp_path / "log"):
        assert wait_until(lambda: _waiting(services) == 0, within_s=120), (tmp_path / "log").read_text()[-3_000:]
        with services.database.read() as session:
            kept = session.scalars(select(QuestionRow.fingerprint)).all()
        assert set(kept) <= {REFUSED}  # under the id that its sender gave, who looks for it there
        assert _rows(services) == before | ({"questions": len(kept)} if kept else {})
        asked = str(uuid.uuid4())
        payload = {"id": asked, "question": "Who built the lighthouse?", "crawl_enabled": False}
        Celery(broker=load().broker).send_task("wellread.ask", args=[payload], queue=QUEUE)
        assert wait_until(lambda: _rows(services).get("answers", 0) == 1, within_s=60)
    assert _waiting(services) == 0


@pytest.mark.parametrize("requests", MANY)
def test_malformed_requests_leave_nothing_behind(services: Services, requests: int) -> None:
    from api.app import create_app

    app: FastAPI = create_app(services)
    chance, before = random.Random(2), _rows(services)
    with serving(app) as url:
        port = urlsplit(url).port or 0
        for _ in range(requests):
            assert 400 <= _answer(port, _request(chance)) < 500
        assert _rows(services) == before
        assert len(list(Path("/proc/self/fd").iterdir())) < 200
    assert _waiting(services) == 0
