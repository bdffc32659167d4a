"""Insert rows unless they exist, on SQLite and on PostgreSQL."""

from __future__ import annotations

from typing import Any

from sqlalchemy import inspect
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from store.sql.tables import Table


def add_missing(session: Session, table: type[Table], key: Any, **values: Any) -> bool:
    """Add a row unless there is one with its ``key`` (a column); returns whether it was added.

    A check before the insert is not enough on PostgreSQL: another process can add the row in between. After this call
    the row is there, whoever added it.
    """
    add = insert(session, table).values(**values).on_conflict_do_nothing(index_elements=[key])
    return session.execute(add.returning(*inspect(table).primary_key)).first() is not None


def insert(session: Session, table: type[Table]) -> Any:
    """Return an insert that takes an ``on_conflict`` clause."""
    dialect = postgresql if session.get_bind().dialect.name == "postgresql" else sqlite
    return dialect.insert(table)
