"""Serves the HTTP application on a port until it is stopped."""

import asyncio
import resource
import socket
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Final, cast

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from api.app import create_app
from api.middleware.auth import network_of
from text import mapped
from workers.processes.stack import bound
from workers.services import Services
from workers.services.logs import log_libraries_as_json
from workers.settings import Settings

#: seconds from the opening of a connection, or the first byte of a further request, to the end of its headers
HEADERS_S: Final = 10.0
#: connections that no known key came on: of one address, which may be a proxy with hundreds of callers, and of all
MOST_UNAUTHENTICATED: Final = (300, 1_000)
#: seconds in which one may send its key, before it is closed for others of its address
TO_SEND_KEY_S: Final = 1.0
MOST_FILES = 65_536
#: seconds that requests have to end when the server stops
GRACE_S = 5
#: for so long a connection may be idle: longer than callers keep theirs (5 s is usual), else both end it at one moment,
#: and a request that is just sent is lost
IDLE_S = 15


class UnauthenticatedConnections:
    """The connections that no known key came on, oldest first."""

    def __init__(self) -> None:
        self._opened_at: dict[str, dict[TimedProtocol, float]] = {}  #: by address
        self._addresses: dict[TimedProtocol, str] = {}

    def add(self, new: "TimedProtocol", address: str, now: float, most: tuple[int, int]) -> "Iterator[TimedProtocol]":
        """Add a connection; yield those to close for it: it, if the others of its address have time left."""
        here = self._opened_at.setdefault(address, {})
        here[new], self._addresses[new] = now, address
        oldest = next(iter(here))
        if len(here) > most[0]:
            leaves = oldest if now - here[oldest] > TO_SEND_KEY_S else new
            self.discard(leaves)
            yield leaves
        if len(self._addresses) > most[1]:
            self.discard(oldest := next(iter(self._addresses)))
            yield oldest

    def discard(self, connection: "TimedProtocol") -> None:
        """Take a connection out, if it is in."""
        address = self._addresses.pop(connection, None)
        if address is not None:
            del self._opened_at[address][connection]
            if not self._opened_at[address]:
                del self._opened_at[address]


class TimedProtocol(H11Protocol):
    """HTTP/1.1 with a time for the headers of each request, and a number of connections for clients without a key.

    Without it, a client that sends a byte now and then holds a connection for ever, and thousands hold all there are.
    """

    headers_s = HEADERS_S
    most_unauthenticated = MOST_UNAUTHENTICATED

    def __init__(self, *args: Any, unauthenticated: UnauthenticatedConnections, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.unauthenticated = unauthenticated
        self._headers_due: asyncio.TimerHandle | None = None
        self.app_state = {**self.app_state, "connection": self}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request; the oldest connections without a key are closed for it if there are too many."""
        super().connection_made(transport)
        self._wait_for_headers()
        address = network_of(self.client[0] if self.client else "")
        for each in self.unauthenticated.add(self, address, self.loop.time(), self.most_unauthenticated):
            each.transport.abort()

    def become_known(self) -> None:
        """Keep the connection, because a known key came on it."""
        self.unauthenticated.discard(self)

    def data_received(self, data: bytes) -> None:
        """Take the data; if it is a part of headers, the rest is waited for until the time is up."""
        super().data_received(data)
        if self._is_answering():
            self._stop_waiting()
        elif self._headers_due is None:
            self._wait_for_headers()

    def on_response_complete(self) -> None:
        """Wait for no headers between two requests: there the server's own time for idle connections counts."""
        self._stop_waiting()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        self.become_known()
        super().connection_lost(exc)

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait_for_headers(self) -> None:
        self._headers_due = self.loop.call_later(self.headers_s, self._give_up)

    def _stop_waiting(self) -> None:
        if self._headers_due is not None:
            self._headers_due.cancel()
            self._headers_due = None

    def _give_up(self) -> None:
        self._headers_due = None
        if not self._is_answering() and not self.transport.is_closing():
            self.transport.close()


def serve(settings: Settings) -> None:
    """Serve the API until SIGTERM; raises SettingsError or PortInUse."""
    _raise_limit_of_files()
    mapped.folder = settings.models_dir
    app = create_app(Services(settings))
    if as_json := settings.logs == "json":
        log_libraries_as_json()
    with bound(settings.api_host, settings.api_port, "WELLREAD_API_PORT") as listening:
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
                http=cast("type[TimedProtocol]", partial(protocol, unauthenticated=UnauthenticatedConnections())),
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
