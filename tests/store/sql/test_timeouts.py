"""A PostgreSQL that is silent is not waited for longer than some seconds."""

from __future__ import annotations

import socket
from contextlib import ExitStack

import pytest
from sqlalchemy import text
from sqlalchemy.pool import QueuePool

from store.sql.database import Database, DatabaseAway, postgres_timeouts


@pytest.mark.timeout(60)
def test_a_server_that_takes_connections_and_says_nothing_is_away() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        database = Database(f"postgresql+psycopg://wellread@127.0.0.1:{silent.getsockname()[1]}/wellread")
        with pytest.raises(DatabaseAway), database.read() as session:
            session.execute(text("SELECT 1"))
        database.close()


def test_a_database_whose_connections_are_all_in_use_is_away(database: Database) -> None:
    pool = database.engine.pool
    assert isinstance(pool, QueuePool)
    pool._timeout = 0.01  # not half a minute
    most = pool.size() + pool._max_overflow
    with ExitStack() as used:
        for _ in range(most):
            used.enter_context(database.read()).execute(text("SELECT 1"))
        with pytest.raises(DatabaseAway, match="No connection"), database.read() as session:
            session.execute(text("SELECT 1"))


def test_a_connection_has_the_timeouts(migrated_postgres: str) -> None:
    database = Database(migrated_postgres)
    with database.read() as session:
        said = session.connection().connection.dbapi_connection.info.get_parameters()  # type: ignore[union-attr]
    database.close()
    assert {name: said[name] for name in postgres_timeouts(migrated_postgres)} == {
        name: str(value) for name, value in postgres_timeouts(migrated_postgres).items()
    }


def test_what_the_url_says_counts() -> None:
    url = "postgresql+psycopg://wellread@db/wellread?connect_timeout=60"
    assert "connect_timeout" not in postgres_timeouts(url)
    assert postgres_timeouts(url)["keepalives_idle"] == 10
