"""Alembic's entry: runs the migrations against the URL handed over in the configuration."""

from __future__ import annotations

from typing import Any, Literal

from alembic import context
from sqlalchemy import create_engine, pool, text

from store.sql.database import check_upgradable
from store.sql.tables import Table, UtcDateTime

#: two processes that migrate at once take turns (PostgreSQL advisory lock; SQLite has its own)
_LOCK = 7_305_120


def _run() -> None:
    engine = create_engine(context.config.attributes["url"], poolclass=pool.NullPool)
    with engine.connect() as connection:
        on_sqlite = connection.dialect.name == "sqlite"
        context.configure(
            connection=connection,
            target_metadata=Table.metadata,
            render_as_batch=on_sqlite,
            render_item=_render,
            transactional_ddl=True,
        )
        with context.begin_transaction():
            if on_sqlite:
                connection.exec_driver_sql("PRAGMA busy_timeout=30000")
                connection.exec_driver_sql("BEGIN IMMEDIATE")  # whole or not at all, and written to disk once
            else:
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
                if schema := context.config.attributes.get("schema"):
                    connection.exec_driver_sql(f'CREATE SCHEMA IF NOT EXISTS "{schema}"')
                    connection.exec_driver_sql(f'SET LOCAL search_path TO "{schema}"')
            check_upgradable(context.get_context().get_current_revision())
            context.run_migrations()
    engine.dispose()


def _render(kind: str, value: Any, _autogen: Any) -> str | Literal[False]:
    """Write the type of a time as SQLAlchemy's own: a migration must import no code that can change after it."""
    return "sa.DateTime(timezone=True)" if kind == "type" and isinstance(value, UtcDateTime) else False


_run()
