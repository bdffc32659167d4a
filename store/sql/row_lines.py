"""Write all rows of a database as lines of JSON, as they are at one moment, and add such lines to an empty one.

The tables are those that the database has, so lines of any schema are read; SQLite's and PostgreSQL's are equal.
"""

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import structlog
from sqlalchemy import JSON, Connection, DateTime, LargeBinary, MetaData, Table, event, func, insert, select, text

from store.sql.database import Database
from store.sql.tables import UtcDateTime

#: kept by Alembic, and written by it
_VERSIONS = "alembic_version"
#: rows read, or written, at once; no more are written after so many bytes
_CHUNK, _CHUNK_BYTES = 200, 50_000_000

log = structlog.get_logger()


@contextmanager
def snapshot(database: Database) -> Iterator[Connection]:
    """Yield a connection that sees the database as it is at its first look, whoever writes meanwhile."""
    engine = database.engine
    if engine.dialect.name != "sqlite":  # there each transaction is one
        engine = engine.execution_options(isolation_level="REPEATABLE READ")
    with engine.begin() as connection:
        yield connection


def revision(connection: Connection) -> str:
    """Return which migration the tables are at."""
    return str(connection.scalar(text("SELECT version_num FROM alembic_version")))


def tables(connection: Connection) -> list[Table]:
    """Return the tables, each after those that it names."""
    found = MetaData()
    event.listen(found, "column_reflect", _as_stored)
    found.reflect(connection, only=lambda name, _: name != _VERSIONS)
    return found.sorted_tables


def lines(connection: Connection, table: Table, left_out: dict[str, set[object]] | None = None) -> Iterator[bytes]:
    """Yield the rows of a table, each a JSON list in the order of its columns.

    What cannot be written, and rows that name such ones, are added to ``left_out``: keys by the table's name.
    """
    left = {} if left_out is None else left_out
    writers = [_WRITERS.get(type(column.type)) for column in table.columns]
    named = [(at, key.column.table.name) for at, column in enumerate(table.columns) for key in column.foreign_keys]
    rows = connection.execution_options(yield_per=_CHUNK).execute(select(table))
    for row in rows:
        try:
            if any(row[at] in left.get(other, ()) for at, other in named):
                raise ValueError("it belongs to one that cannot be written")
            yield _line(writers, row)
        except (ValueError, TypeError, AttributeError) as error:
            key = row[next((at for at, column in enumerate(table.columns) if column.primary_key), 0)]
            log.warning("row_not_written", table=table.name, key=str(key), error=str(error)[:200])
            left.setdefault(table.name, set()).add(key)


def _line(writers: Sequence[Callable[[Any], object] | None], row: Sequence[Any]) -> bytes:
    values = [write(value) if write and value is not None else value for write, value in zip(writers, row, strict=True)]
    try:
        return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    except UnicodeEncodeError:  # half a surrogate pair, from before they were refused: escaped it is as it was
        return json.dumps(values, separators=(",", ":")).encode() + b"\n"


def add(connection: Connection, table: Table, columns: Sequence[str], rows: Iterable[bytes]) -> int:
    """Add lines to a table; return how many. Raises ValueError or KeyError for what is no row of it."""
    readers = [_READERS.get(type(table.columns[name].type)) for name in columns]
    count, held, chunk = 0, 0, list[dict[str, Any]]()
    for line in rows:
        held += len(line)
        values = json.loads(line)
        chunk.append(
            {
                name: read(value) if read and value is not None else value
                for name, read, value in zip(columns, readers, values, strict=True)
            }
        )
        if len(chunk) == _CHUNK or held > _CHUNK_BYTES:
            connection.execute(insert(table), chunk)
            count, held, chunk = count + len(chunk), 0, []
    if chunk:
        connection.execute(insert(table), chunk)
    return count + len(chunk)


def count_on(connection: Connection, table: Table) -> None:
    """Let PostgreSQL number the next row after the ones that were added."""
    if connection.dialect.name != "postgresql" or "id" not in table.columns:
        return
    sequence = connection.scalar(select(func.pg_get_serial_sequence(table.name, "id")))
    if sequence is not None and (last := connection.scalar(select(func.max(table.columns["id"])))) is not None:
        connection.execute(select(func.setval(sequence, last)))


def _as_stored(_inspector: Any, _table: Table, column: dict[str, Any]) -> None:
    """Read a column as the code's own tables do, whatever the database calls its type."""
    if isinstance(column["type"], DateTime):
        column["type"] = UtcDateTime()
    elif isinstance(column["type"], JSON):
        column["type"] = JSON(none_as_null=True)
    elif isinstance(column["type"], LargeBinary):
        column["type"] = LargeBinary()


_WRITERS: dict[type, Callable[[Any], object]] = {
    UtcDateTime: lambda value: value.isoformat(),
    LargeBinary: lambda value: base64.b64encode(value).decode(),
}
_READERS: dict[type, Callable[[Any], object]] = {UtcDateTime: datetime.fromisoformat, LargeBinary: base64.b64decode}
