"""The parts of every table: the type of its times, the names of its constraints, the lease of a row that waits."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, DateTime, MetaData, String, Text, TypeDecorator
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from domain.storable import storable, storable_json


class UtcDateTime(TypeDecorator[datetime]):
    """A timezone-aware time stored as UTC; a naive one is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Turn an aware time into UTC (without its zone on SQLite, which stores none)."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no timezone; every stored time is UTC")
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the time with its zone."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class StorableText(TypeDecorator[str]):
    """A text; what no database can hold of it (as a model's reply or a page may have) is replaced, not refused."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Return the text as it can be stored."""
        return storable(value) if isinstance(value, str) else value


class StorableJson(TypeDecorator[Any]):
    """JSON; what cannot be held of its texts is replaced."""

    impl = JSON
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """Return the JSON as it can be stored."""
        return storable_json(value)


class Table(DeclarativeBase):
    """The base class of all rows."""

    metadata = MetaData(  # named constraints: a later migration can change them on SQLite too
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012 (SQLAlchemy reads it as a plain dict)
        datetime: UtcDateTime,
        str: StorableText,
        dict[str, Any]: StorableJson,
        list[Any]: StorableJson,
    }


class Leased:
    """A row that waits for work: its lease, how often it was tried, when it is due."""

    attempts: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[datetime]
    lease_by: Mapped[str | None] = mapped_column(String(64))
    lease_until: Mapped[datetime | None]
    error: Mapped[str | None]
