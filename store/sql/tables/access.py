"""The tables of collections and of API keys; only the default collection's database has rows in them."""

from datetime import datetime
from typing import Any

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from store.sql.tables.columns import Table


class CollectionRow(Table):
    """A collection beside the default one. Its id is never used again; what is in it is stored under that id."""

    __tablename__ = "collections"

    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)
    exclude_sites: Mapped[list[Any]] = mapped_column(default=list)
    created_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None]  #: kept for a while: what a late worker writes is erased too


class ApiKeyRow(Table):
    """A key of the API: of its secret only the hash."""

    __tablename__ = "api_keys"

    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)
    hash: Mapped[str] = mapped_column(String(64), unique=True)
    role: Mapped[str] = mapped_column(String(16))
    collections: Mapped[list[Any] | None]  #: ids; null: all, also those to come
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
