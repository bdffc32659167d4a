"""What every test stands on: no network but loopback, no settings from outside, real servers on demand."""

from __future__ import annotations

import gc
import os
import shutil
import socket
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import structlog
from hypothesis import settings
from sqlalchemy import create_engine, make_url, text

from store.embedders import bundled
from store.sql.database import Database, migrate
from store.sql.tables import Table
from tests.servers import postgres_server, valkey_server

_connect = socket.socket.connect

gc.disable()  # until all is collected: modules and cases stay to the end, and to look through them costs a quarter more

settings.register_profile("no deadline", deadline=None)  # a busy machine is no failure
settings.load_profile("no deadline")


def pytest_collection_finish() -> None:
    """Leave to the garbage collector what the tests make."""
    gc.freeze()
    gc.enable()


#: fixtures of a real server or database
_SERVERS = frozenset({"valkey_url", "postgres_url", "migrated_file", "database"})
#: folders whose tests write LanceDB's tables or measure whole passes
_WHOLE = tuple(str(Path(__file__).parent / name) for name in ("store", "evals/measure", "evals/asked", "training"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need more than the code, so that `make check` can leave them to `make test`."""
    for item in items:
        if not _SERVERS.isdisjoint(getattr(item, "fixturenames", ())) or str(item.path).startswith(_WHOLE):
            item.add_marker("integration")


@pytest.fixture(autouse=True)
def _closed(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Close the network beyond loopback, and the settings of whoever runs the tests."""

    def connect(self: socket.socket, address: Any) -> None:
        host = address[0] if isinstance(address, tuple) else ""
        if host and not (str(host).startswith("127.") or host in ("::1", "localhost")):
            raise OSError(f"a test reached for {address}")
        _connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)
    structlog.reset_defaults()  # a program that an earlier test ran may have set a level that leaves messages out
    for name in list(os.environ):
        if name.startswith(("WELLREAD_", "ANTHROPIC_", "OTEL_")):
            monkeypatch.delenv(name)
    # most tests need no folder: it costs more than they do
    own = request.getfixturevalue("tmp_path") if "tmp_path" in request.fixturenames else None
    monkeypatch.setenv("WELLREAD_DATA_DIR", str((own or tmp_path_factory.getbasetemp() / uuid4().hex) / "data"))


@pytest.fixture(scope="session", autouse=True)
def _one_model() -> Iterator[None]:
    """Open each embedding model once a process, as a worker does, and not for every test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bundled, "MiniLM", cache(bundled.MiniLM))
        patch.setattr(bundled, "Multilingual", cache(bundled.Multilingual))
        yield


@pytest.fixture(scope="session")
def valkey_url() -> Iterator[str]:
    """A real Valkey for the whole run."""
    with valkey_server() as url:
        yield url


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A real PostgreSQL for the whole run."""
    with postgres_server() as url:
        yield url


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with empty tables, to be copied."""
    path = tmp_path_factory.mktemp("migrated") / "wellread.db"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def migrated_postgres(postgres_url: str) -> str:
    """The URL of a database of its own on the PostgreSQL server, with the tables in it."""
    _execute(postgres_url, "CREATE DATABASE wellread_tests")
    url = make_url(postgres_url).set(database="wellread_tests").render_as_string(hide_password=False)
    migrate(url)
    return url


@pytest.fixture
def empty_postgres(postgres_url: str) -> str:
    """The URL of an empty database of the test's own on the PostgreSQL server."""
    name = f"test_{uuid4().hex[:8]}"
    _execute(postgres_url, f"CREATE DATABASE {name}")
    return make_url(postgres_url).set(database=name).render_as_string(hide_password=False)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """Migrated, empty tables, on each database in turn."""
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("migrated_file"), tmp_path / "wellread.db")
        url = f"sqlite:///{tmp_path / 'wellread.db'}"
    else:
        url = request.getfixturevalue("migrated_postgres")
        _execute(url, f"TRUNCATE {', '.join(Table.metadata.tables)} RESTART IDENTITY CASCADE")
    database = Database(url)
    yield database
    database.close()


def _execute(url: str, statement: str) -> None:
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()
