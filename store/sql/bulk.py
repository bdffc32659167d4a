"""Change rows in the database without loading them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, CursorResult, update
from sqlalchemy.orm import Session

from store.sql.tables import Table


def update_rows(session: Session, table: type[Table], *where: ColumnElement[bool], **values: Any) -> int:
    """Set columns of the rows that match and return how many did; loaded rows keep their old values."""
    statement = update(table).where(*where).values(**values).execution_options(synchronize_session=False)
    changed: CursorResult[Any] = session.execute(statement)  # type: ignore[assignment]
    return changed.rowcount
