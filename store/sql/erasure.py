"""Erase from SQLite's files what was deleted; PostgreSQL does that itself, in its own time.

`secure_delete` overwrites a deleted row, but neither the copies that SQLite leaves in a page when it moves rows about,
nor those in its log. So the file is written anew, and the log emptied.
"""

from __future__ import annotations

import sqlite3
from typing import Final

import structlog

from store.sql.database import Database

#: Writing the file anew takes some seconds a gigabyte, while nobody else writes; a larger one is only overwritten.
MOST_BYTES: Final = 2**30
#: how long who reads or writes is waited for
_WAIT_MS: Final = 2_000

log = structlog.get_logger()


def erase_deleted(database: Database) -> bool:
    """Write the file anew where it is not too large, and empty its log; False when someone was in the way."""
    if database.engine.dialect.name != "sqlite":
        return True
    pooled = database.engine.raw_connection()
    try:
        connection = pooled.driver_connection
        assert isinstance(connection, sqlite3.Connection)
        return _erase(connection)
    except sqlite3.OperationalError as error:  # busy, or no room for a second file
        log.warning("not_erased", error=str(error))
        return False
    finally:
        pooled.invalidate()  # with what was set for this one


def _erase(connection: sqlite3.Connection) -> bool:
    connection.execute(f"PRAGMA busy_timeout={_WAIT_MS}")
    pages, page_bytes = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    if pages * page_bytes <= MOST_BYTES:
        connection.execute("VACUUM")
    busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy
