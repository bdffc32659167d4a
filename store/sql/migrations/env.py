"""Alembic's entry: runs the migrations against the URL handed over in the configuration."""

from __future__ import annotations

from alembic import context
from sqlalchemy import create_engine, pool, text

from store.sql.tables import Table

#: two processes that migrate at once take turns (PostgreSQL advisory lock; SQLite has its own)
_LOCK = 7_305_120


def _run() -> None:
    engine = create_engine(context.config.attributes["url"], poolclass=pool.NullPool)
    with engine.connect() as connection:
        on_sqlite = connection.dialect.name == "sqlite"
        context.configure(connection=connection, target_metadata=Table.metadata, render_as_batch=on_sqlite)
        with context.begin_transaction():
            if on_sqlite:
                connection.exec_driver_sql("PRAGMA busy_timeout=30000")
            else:
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
            context.run_migrations()
    engine.dispose()


_run()
