"""What every test stands on: no network but loopback, no settings from outside, real servers on demand."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from store.sql.database import Database, migrate
from tests.servers import postgres_server, valkey_server

_connect = socket.socket.connect


@pytest.fixture(autouse=True)
def _closed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Close the network beyond loopback, and the settings of whoever runs the tests."""

    def connect(self: socket.socket, address: Any) -> None:
        host = address[0] if isinstance(address, tuple) else ""
        if host and not (str(host).startswith("127.") or host in ("::1", "localhost")):
            raise OSError(f"a test reached for {address}")
        _connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)
    for name in list(os.environ):
        if name.startswith(("WELLREAD_", "ANTHROPIC_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("WELLREAD_DATA_DIR", str(tmp_path / "data"))


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


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """Migrated, empty tables, on each database in turn."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'wellread.db'}"
    else:
        url = request.getfixturevalue("postgres_url")
        _empty(url)
    migrate(url)
    database = Database(url)
    yield database
    database.close()


def _empty(url: str) -> None:
    from sqlalchemy import create_engine, text

    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()
