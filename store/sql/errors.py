"""What can go wrong with a database, and the drivers' errors in words that say what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from domain.errors import WellreadError


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
            f"No connection to {_where(url)} became free: it is slow, or too much is asked of it."
        ) from error


def _where(url: str) -> str:
    return make_url(url).render_as_string(hide_password=True)


def _kind(error: DBAPIError) -> type[DatabaseError]:
    if _is_full(error):
        return DatabaseFull
    is_away = isinstance(error, OperationalError) or error.connection_invalidated
    return DatabaseAway if is_away else DatabaseError


def _is_full(error: DBAPIError) -> bool:
    said = str(error.orig)
    return "database or disk is full" in said or "No space left on device" in said


def _explain(url: str, error: DBAPIError) -> str:
    where = _where(url)
    said = str(error.orig).strip().splitlines()[0] if error.orig else str(error)
    if _is_full(error):
        return f"The disk that holds {where} is full: free some space and try again; nothing stored was harmed."
    if 'database "' in said:
        return f"There is no such database at {where}: create it, or correct WELLREAD_DATABASE_URL. ({said})"
    if "no such table" in said or "does not exist" in said:
        return f"The tables are missing in {where}: run `wellread migrate`. ({said})"
    if "locked" in said:
        return f"{where} is locked by another process for over 30 s: stop that process. ({said})"
    if "readonly" in said or "unable to open" in said:
        return f"{where} cannot be written: check the folder's owner and permissions. ({said})"
    if "connection" in said or "resolve host" in said:
        return f"The database {where} does not answer: start it, or correct WELLREAD_DATABASE_URL. ({said})"
    return f"The database {where} failed: {said}"
