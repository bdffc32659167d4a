"""Turn rows into plain values and back; add and change rows without loading them."""

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import ColumnElement, CursorResult, delete, update
from sqlalchemy.dialects import sqlite
from sqlalchemy.orm import Session

from store.sql.tables import Table

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Value = TypeVar("Value", bound="DataclassInstance")
Row = TypeVar("Row", bound=Table)
Item = TypeVar("Item")


def to_value(kind: type[Value], source: object, /, **others: Any) -> Value:
    """Return a dataclass whose fields are ``others``, or a row's or another value's attributes of the same names."""
    wanted = (name for name in _names(kind) if name not in others)
    given = {name: value for name in wanted if (value := getattr(source, name, _ABSENT)) is not _ABSENT}
    return kind(**given, **others)


_ABSENT = object()


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.name != "json")  # that one is the client's


def to_columns(table: type[Table], value: "DataclassInstance") -> dict[str, Any]:
    """Return the fields of a dataclass that are columns of the table."""
    columns = table.__table__.columns.keys()
    return {field.name: getattr(value, field.name) for field in fields(value) if field.name in columns}


def update_rows(session: Session, table: type[Table], *where: ColumnElement[bool], **values: Any) -> int:
    """Set columns of the rows that match and return how many did; loaded rows keep their old values."""
    statement = update(table).where(*where).values(**values).execution_options(synchronize_session=False)
    changed: CursorResult[Any] = session.execute(statement)  # type: ignore[assignment]
    return changed.rowcount


def delete_rows(session: Session, table: type[Table], *where: ColumnElement[bool]) -> int:
    """Delete the rows that match and return how many did; loaded rows must not be used again."""
    statement = delete(table).where(*where).execution_options(synchronize_session=False)
    deleted: CursorResult[Any] = session.execute(statement)  # type: ignore[assignment]
    return deleted.rowcount


def add_missing(session: Session, table: type[Row], key: Any = None, **values: Any) -> Row | None:
    """Add a row unless there is one with its ``key`` (a column; None: any that is unique); return it if it was added.

    A check before the insert is not enough on PostgreSQL: another process can add the row in between. After this call
    the row is there, whoever added it.
    """
    add = dialect_insert(session, table).on_conflict_do_nothing(index_elements=None if key is None else [key])
    added: Row | None = session.scalar(add.returning(table), values)
    return added


def dialect_insert(session: Session, table: type[Table]) -> Any:
    """Return an insert that takes an ``on_conflict`` clause."""
    if session.get_bind().dialect.name != "postgresql":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql  # imports six drivers

    return postgresql.insert(table)


def groups(values: Sequence[Item], size: int = 1000) -> list[Sequence[Item]]:
    """Cut values into lists that one statement can hold."""
    return [values[first : first + size] for first in range(0, len(values), size)]


def jsonable(value: Any) -> Any:
    """Return the value with its times, also those inside dicts and lists, as ISO 8601 text."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {key: jsonable(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(entry) for entry in value]
    return value
