"""What can go wrong with a database, and the drivers' errors in words that say what to do.

Callers of the API get these words too: they name the database's host, and neither its user, its parameters nor paths.
What else a driver says is in the log.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from domain.errors import WellreadError

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
    except (OperationalError, DBAPIError) as error:
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
