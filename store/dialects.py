"""What SQLite and PostgreSQL both can do, and SQLAlchemy gives each on its own."""

from __future__ import annotations

from typing import Any

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from store.tables import Table


def insert(session: Session, table: type[Table]) -> Any:
    """An insert that can say what happens on a conflict."""
    dialect = postgresql if session.get_bind().dialect.name == "postgresql" else sqlite
    return dialect.insert(table)
