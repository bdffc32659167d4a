"""What SQLite and PostgreSQL both can do, and SQLAlchemy gives each on its own."""

from __future__ import annotations

from typing import Any

from sqlalchemy import inspect
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from store.sql.tables import Table


def add_missing(session: Session, table: type[Table], key: Any, **values: Any) -> bool:
    """Add a row unless there is one with its ``key`` (a column); returns whether it was added.

    Who looks first and adds then is overtaken on PostgreSQL; one that was overtaken finds the other's row from here on.
    """
    add = insert(session, table).values(**values).on_conflict_do_nothing(index_elements=[key])
    return session.execute(add.returning(*inspect(table).primary_key)).first() is not None


def insert(session: Session, table: type[Table]) -> Any:
    """An insert that can say what happens on a conflict."""
    dialect = postgresql if session.get_bind().dialect.name == "postgresql" else sqlite
    return dialect.insert(table)
