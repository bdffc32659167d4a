"""Connect to SQL: SQLite in WAL mode by default, PostgreSQL by URL, migrated by Alembic.

The drivers' errors are raised in words that say what to do. Callers of the API get these words too: they name the
database's host, and neither its user, its parameters nor paths. What else a driver says is in the log.
"""

import re
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import structlog
from sqlalchemy import Engine, create_engine, event, inspect, text
from sqlalchemy.engine import Dialect, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, ProgrammingError
from sqlalchemy.exc import TimeoutError as NoConnectionFree
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool

from domain.errors import WellreadError

#: the latest migration; every process checks it at its start, without loading Alembic
REVISION = "0040"
#: the migration that 0.2.0 begins with; tables from before it are upgraded by the version before only
FIRST_REVISION = "0020"
#: what brings the tables of an unreleased version before 0.2.0 to the first migration of this one
UPGRADE_FIRST = (
    "Nothing was changed. In a checkout, run `git checkout 7697bdc && make install && .venv/bin/wellread migrate` "
    "(the last version before 0.2.0, with the same settings), and start this version again."
)

#: Alembic keeps the migration that runs in a global
_one_migration = threading.Lock()
_PART = re.compile(r"[0-9a-f]{12}")
#: what a URL without a driver means: the driver that is installed
_DRIVERS = {"postgres": "postgresql+psycopg", "postgresql": "postgresql+psycopg"}
#: for so long a lock of SQLite is waited for
LOCKED_S: Final = 30.0
#: of each connection to SQLite; what is deleted is overwritten, so that no copy of the file holds it
_PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=FULL",
    "foreign_keys=ON",
    f"busy_timeout={LOCKED_S * 1e3:.0f}",
    "secure_delete=ON",
    "case_sensitive_like=ON",  # as PostgreSQL
)
#: of libpq: seconds to connect; a silent connection is asked after 10 s, and given up after 25 s (the last in ms)
_TIMEOUTS = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
}
#: to PostgreSQL, of a process at most; each stays open, since to open one costs more than a question's statements
CONNECTIONS: Final = 25
#: seconds between two tries to connect
_EVERY_S: Final = 0.25
#: Writing the file anew takes some seconds a gigabyte, while nobody else writes; a larger one is only overwritten.
MOST_BYTES: Final = 2**30
#: how long who reads or writes is waited for
_WAIT_MS: Final = 2_000
log = structlog.get_logger()


class DatabaseError(WellreadError):
    """The database cannot be used."""


class DatabaseAway(DatabaseError):
    """The database does not answer, or cannot work now; what was to be done can be done later."""


class DatabaseFull(DatabaseAway):
    """The database has no room for more."""


class SchemaOutdated(DatabaseError):
    """The tables are not those this version needs; run `wellread migrate`."""


@contextmanager
def translated(url: str) -> Iterator[None]:
    """Raise what the drivers raise as a DatabaseError of the database at ``url``."""
    try:
        yield
    except DBAPIError as error:
        raise _kind(error)(_explain(url, error)) from error
    except NoConnectionFree as error:
        raise DatabaseAway(
            f"No connection to {where(url)} became free: it is slow, or too much is asked of it."
        ) from error


def where(url: str) -> str:
    """Return which database it is: by its host, without what else its URL says."""
    parsed = make_url(url)
    host = parsed.host or parsed.query.get("host")
    if parsed.get_backend_name() == "sqlite":
        return "the database file"
    return f"the database on {host}" if isinstance(host, str) and not host.startswith("/") else "the database"


def _kind(error: DBAPIError) -> type[DatabaseError]:
    if _is_full(error):
        return DatabaseFull
    is_away = isinstance(error, OperationalError) or error.connection_invalidated
    return DatabaseAway if is_away else DatabaseError


def _is_full(error: DBAPIError) -> bool:
    said = str(error.orig)
    return "database or disk is full" in said or "No space left on device" in said


def _explain(url: str, error: DBAPIError) -> str:
    named = where(url)
    said = str(error.orig).strip().splitlines()[0] if error.orig else str(error)
    if _is_full(error):
        return f"The disk that holds {named} is full: free some space and try again; nothing stored was harmed."
    if "authentication failed" in said or "no password supplied" in said or 'role "' in said:
        return f"{_capital(named)} takes neither this user nor this password: correct WELLREAD_DATABASE_URL."
    if 'database "' in said:
        return f"There is no such database as WELLREAD_DATABASE_URL names: create it in {named}, or correct the URL."
    if "no such table" in said or "does not exist" in said:
        return f"The tables are missing in {named}: run `wellread migrate`."
    if "locked" in said:
        return f"{_capital(named)} is locked by another process for over 30 s: stop that process."
    if "readonly" in said or "unable to open" in said:
        return (
            f"{_capital(named)} cannot be written: check owner and permissions of WELLREAD_DATA_DIR, or of the file "
            "that WELLREAD_DATABASE_URL names."
        )
    if "connection" in said or "resolve host" in said or "host name" in said:
        return f"{_capital(named)} does not answer: start it, or correct WELLREAD_DATABASE_URL."
    log.warning("database_failed", error=said)
    return f"{_capital(named)} failed ({type(error.orig or error).__name__}); the log says why."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


class Database:
    """Sessions for reading and for writing.

    A write session holds the write lock from its first statement (SQLite: ``BEGIN IMMEDIATE``), so reading and
    then changing a row in one session is safe; on PostgreSQL rows are locked with ``SELECT … FOR UPDATE``. Threads of
    one process take turns to hold SQLite's lock: it wakes nobody who waits for it, and those who look again every so
    often may miss it for seconds.

    Each part of a database (a collection's) has tables of its own: on SQLite a file, on PostgreSQL a schema.
    """

    def __init__(self, url: str, part: str = "", *, sibling: "Database | None" = None, waits_s: float = 0.0) -> None:
        """Connect to the tables of a part; ``sibling`` shares its connections where another file is not needed.

        ``waits_s``: seconds to wait for a PostgreSQL that cannot be connected to, as while it is started again.
        """
        self.url = url
        shared = sibling.engine if sibling is not None and not url.startswith("sqlite") else None
        engine = shared or _engine(part_url(url, part), must_exist=bool(part), waits_s=waits_s)
        self._owns_engine = shared is None
        self.engine: Engine = engine.execution_options(wellread_schema=part_schema(part)) if part else engine
        self._writing = self.engine.execution_options(wellread_write="FULL")
        self._claiming = self.engine.execution_options(wellread_write="NORMAL")
        self._lock = threading.Lock() if url.startswith("sqlite") else None

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Open a session that sees one state and changes nothing."""
        with translated(self.url), Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Open a session that commits at the end of the block, or rolls back when it raises."""
        with self._begun(self._writing) as session:
            yield session

    @contextmanager
    def claim(self) -> Iterator[Session]:
        """Open a session that writes what may be forgotten when the machine loses its power, never when a process dies.

        On SQLite its commit does not wait for the disk; the next one of :meth:`write` takes it along. Leases are
        written so: a forgotten one is taken again.
        """
        with self._begun(self._claiming) as session:
            yield session

    @contextmanager
    def _begun(self, engine: Engine) -> Iterator[Session]:
        with translated(self.url), self._turn(), Session(engine, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait until no other thread of this process writes to SQLite."""
        if self._lock is None:
            yield
            return
        if not self._lock.acquire(timeout=LOCKED_S):
            raise DatabaseAway(
                f"{where(self.url)} is locked for over {LOCKED_S:.0f} s: stop the process that holds it."
            )
        try:
            yield
        finally:
            self._lock.release()

    def close(self) -> None:
        """Close the pooled connections."""
        if self._owns_engine:
            self.engine.dispose()


def usable_url(url: str) -> str:
    """Return the URL of a database with the driver that opens it; raises DatabaseError for one that cannot be used."""
    try:
        parsed = make_url(url)
        parsed = parsed.set(drivername=_DRIVERS.get(parsed.drivername, parsed.drivername))
        if parsed.get_backend_name() not in ("sqlite", "postgresql"):
            raise DatabaseError(f"{parsed.get_backend_name()} is not supported: it is sqlite:///FILE or postgresql://…")
        parsed.get_dialect().import_dbapi()
    except (ArgumentError, ImportError, ValueError) as error:
        raise DatabaseError(
            "it is not a URL of a database: sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME"
        ) from error
    return parsed.render_as_string(hide_password=False)


def migrate(url: str, part: str = "", *, to: str = "head") -> None:
    """Bring the tables of a part to this version's schema, or an earlier one; creates them in an empty database."""
    from alembic import command

    if path := _sqlite_path(url):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _one_migration, translated(url):
        command.upgrade(alembic_config(url, part), to)


def is_there(url: str, part: str = "") -> bool:
    """Return whether a part has tables."""
    with translated(url):
        if path := _sqlite_path(part_url(url, part)):
            return path.exists()
        engine = create_engine(url, poolclass=NullPool)
        return inspect(engine).has_table("alembic_version", schema=part_schema(part) if part else None)


def erase(url: str, part: str) -> None:
    """Remove the tables of a part with all that is in them; nothing happens where there are none."""
    with translated(url):
        if path := _sqlite_path(part_url(url, part)):
            for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
                path.with_name(name).unlink(missing_ok=True)
            return
        engine = create_engine(url, poolclass=NullPool)
        with engine.begin() as connection:
            connection.execute(text(f'DROP SCHEMA IF EXISTS "{part_schema(part)}" CASCADE'))


def part_url(url: str, part: str) -> str:
    """Return the URL of a part's database: on SQLite that of another file in the same folder."""
    path = _sqlite_path(url)
    return f"sqlite:///{quote(str(path.with_stem(f'{path.stem}-{part}')))}" if path and part else url


def part_schema(part: str) -> str:
    """Return the PostgreSQL schema of a part; raises ValueError for what is no part's id."""
    if not _PART.fullmatch(part):
        raise ValueError(f"{part!r} is not a collection's id")
    return f"wellread_{part}"


def check_schema(database: Database) -> None:
    """Raise :class:`SchemaOutdated` unless the tables are at this version's revision."""
    with database.read() as session:
        try:
            current = session.scalar(text("SELECT version_num FROM alembic_version"))
        except ProgrammingError:
            current = None
        except OperationalError as error:
            if "no such table" not in str(error.orig):
                raise
            current = None
    check_upgradable(current)
    if current != REVISION:
        raise SchemaOutdated(
            f"The database is at revision {current or 'none'}, this version needs {REVISION}: run `wellread migrate`."
        )


def check_upgradable(current: str | None) -> None:
    """Raise :class:`SchemaOutdated` unless this version's migrations lead on from the revision; None is no tables."""
    if current is not None and current < FIRST_REVISION:
        raise SchemaOutdated(
            f"The database is at revision {current}, from before Wellread 0.2.0, which upgrades from {FIRST_REVISION} "
            f"only. {UPGRADE_FIRST}"
        )
    if current is not None and current > REVISION:
        raise SchemaOutdated(
            f"The database is at revision {current}, which a newer Wellread made; this one knows {REVISION}. "
            "Nothing was changed: start the newer version, or restore a backup from before it."
        )


def alembic_config(url: str, part: str = "") -> Any:
    """Return Alembic's configuration for the migrations of a part of the database at ``url``."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["url"] = part_url(url, part)
    config.attributes["schema"] = part_schema(part) if part and not _sqlite_path(url) else ""
    return config


def _sqlite_path(url: str) -> Path | None:
    prefix = "sqlite:///"
    return Path(make_url(url).database or "") if url.startswith(prefix) and url != prefix else None


def _engine(url: str, *, must_exist: bool, waits_s: float) -> Engine:
    if not url.startswith("sqlite"):
        engine = create_engine(
            url, connect_args=postgres_timeouts(url), pool_pre_ping=True, pool_size=CONNECTIONS, max_overflow=0
        )
        event.listen(engine, "begin", _choose_schema)
        if waits_s:
            event.listen(engine, "do_connect", partial(connect_within, waits_s))
        return engine
    options: dict[str, Any] = {"timeout": LOCKED_S, "check_same_thread": False}
    if must_exist:  # the file of a deleted part is not made anew by who still has it open
        name = f"file:{quote(str(_sqlite_path(url)))}?mode=rw"
        engine = create_engine(url, creator=lambda: sqlite3.connect(name, uri=True, **options))
    else:
        engine = create_engine(url, connect_args=options)

    @event.listens_for(engine, "connect")
    def _set_up(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves: the driver would only begin before a write
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        synchronous = connection.get_execution_options().get("wellread_write")
        if synchronous and connection.info.get("synchronous") != synchronous:  # it stays with the pooled connection
            connection.exec_driver_sql(f"PRAGMA synchronous={synchronous}")
            connection.info["synchronous"] = synchronous
        connection.exec_driver_sql("BEGIN IMMEDIATE" if synchronous else "BEGIN")

    return engine


def _choose_schema(connection: Any) -> None:
    """Let a transaction see the tables of its part alone; the choice ends with the transaction."""
    if schema := connection.get_execution_options().get("wellread_schema"):
        connection.exec_driver_sql(f'SET LOCAL search_path TO "{schema}"')


def connect_within(seconds: float, dialect: Dialect, _record: Any, arguments: Any, named: Any) -> Any:
    """Return a connection, tried for until the time is up: a handler of SQLAlchemy's event ``do_connect``."""
    until = time.monotonic() + seconds
    while True:
        try:
            return dialect.connect(*arguments, **named)
        except dialect.loaded_dbapi.OperationalError:
            if time.monotonic() > until:
                raise
        time.sleep(_EVERY_S)


def postgres_timeouts(url: str) -> dict[str, int]:
    """Return the timeouts of a connection, without those that the URL itself names."""
    named = make_url(url).query
    return {name: value for name, value in _TIMEOUTS.items() if name not in named}


def erase_deleted(database: Database) -> bool:
    """Erase from SQLite's files what was deleted; False when someone was in the way. PostgreSQL does it by itself.

    `secure_delete` overwrites a deleted row, but neither the copies that SQLite leaves in a page when it moves rows
    about, nor those in its log. So the file is written anew where it is not too large, and its log emptied.
    """
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
