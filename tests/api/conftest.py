"""The API on a real database and a real Valkey, without workers: tests move questions on themselves."""

from __future__ import annotations

import asyncio
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from celery import Celery
from fastapi import FastAPI
from starlette.testclient import TestClient

from api.app import create_app
from api.cli.connect import quiet_logs
from api.server import Server, TimedProtocol
from workers import indexing
from workers.services import Services
from workers.services.dispatch import Dispatcher
from workers.settings import Settings, load

LOCAL = "http://127.0.0.1"


@pytest.fixture
def settings(tmp_path: Path, valkey_url: str) -> Settings:
    return load(data_dir=tmp_path / "data", redis_url=valkey_url)


@pytest.fixture
def services(settings: Settings, migrated_file: Path) -> Iterator[Services]:
    settings.data_dir.mkdir(parents=True)
    shutil.copy(migrated_file, settings.data_dir)
    services = Services(settings)
    services.__dict__["dispatcher"] = Dispatcher(
        Celery(broker=settings.broker)
    )  # the worker's own is this process's for good
    yield services
    services.database.close()
    services.redis.close()


@pytest.fixture
def app(services: Services) -> FastAPI:
    return create_app(services)


@pytest.fixture
def http(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, base_url=LOCAL, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def here(services: Services, monkeypatch: pytest.MonkeyPatch) -> Services:
    """The command line works on this database."""
    monkeypatch.setenv("WELLREAD_DATA_DIR", str(services.settings.data_dir))
    monkeypatch.setenv("WELLREAD_REDIS_URL", services.settings.redis_url)
    return services


@pytest.fixture(params=["here", "elsewhere"])
def placed(
    request: pytest.FixtureRequest, app: FastAPI, services: Services, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Services]:
    """The command line works on this database, or through an API and on no database of its own."""
    if request.param == "here":
        yield request.getfixturevalue("here")
        return
    quiet_logs()  # the API's too: it runs in this process, whose output is the command's
    with serving(app) as url:
        monkeypatch.setenv("WELLREAD_API_URL", url)
        yield services


@contextmanager
def serving(app: FastAPI, *, port: int = 0, protocol: type[TimedProtocol] = TimedProtocol) -> Iterator[str]:
    """The application behind a real port; yields its URL."""
    server = Server(app, port=port, log_level="error", grace_s=1, protocol=protocol)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
    thread.start()
    deadline = time.monotonic() + 10
    while not server.started:
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"{LOCAL}:{port}"
    finally:
        server.should_exit = True
        thread.join(10)


@contextmanager
def indexed(services: Services, page_id: int) -> Iterator[None]:
    """A page that waits is indexed meanwhile, as a worker does it: who deletes one waits for that."""
    ended = threading.Event()

    def work() -> None:
        while not ended.wait(0.05):
            indexing.embed(services, page_id)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(10)
