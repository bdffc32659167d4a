"""Serves the HTTP application on a port until it is told to stop."""

from __future__ import annotations

import resource
import socket
from contextlib import suppress

import uvicorn
from fastapi import FastAPI

from api.app import create_app
from api.timed_protocol import TimedProtocol
from workers.processes.stack import PortInUse
from workers.services import Services
from workers.services.logs import log_libraries_as_json
from workers.settings import Settings

MOST_FILES = 65_536
#: seconds that requests have to end when the server stops
GRACE_S = 5
#: for so long a connection may be idle: longer than callers keep theirs (5 s is usual), else both end it at one moment,
#: and a request that is just sent is lost
IDLE_S = 15


def serve(settings: Settings) -> None:
    """Serve the API until SIGTERM; raises KeysMissing, BadKeys or PortInUse."""
    _raise_limit_of_files()
    app = create_app(Services(settings))
    if as_json := settings.logs == "json":
        log_libraries_as_json()
    listening = _listen(settings.api_host, settings.api_port)
    with listening:
        Server(app, own_logs=not as_json).run(sockets=[listening])


class Server(uvicorn.Server):
    """A server that, when it stops, answers waiting requests with what is known so far."""

    def __init__(
        self,
        app: FastAPI,
        *,
        port: int = 0,
        log_level: str = "info",
        grace_s: int = GRACE_S,
        protocol: type[TimedProtocol] = TimedProtocol,
        own_logs: bool = True,
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                port=port,
                log_level=log_level,
                log_config=uvicorn.config.LOGGING_CONFIG if own_logs else None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=grace_s,
                timeout_keep_alive=IDLE_S,
                http=protocol,
            )
        )
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, let requests end, close."""
        for scope in tuple(self._app.state.waiting):
            scope.cancel()
        await super().shutdown(sockets)


def _raise_limit_of_files() -> None:
    """Let the process have as many files and connections open as the system allows without asking."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small answers at once only if the protocol is named; else each waits 40 ms for the last one's ACK
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise PortInUse(
            f"Port {port} on {host} cannot be used ({error.strerror}): "
            "stop the program that uses it or set WELLREAD_API_PORT."
        ) from error
    return listening
