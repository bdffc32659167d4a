"""The HTTP application: routes, errors, limits, and the server that runs them."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from fastapi import FastAPI

from api.dependencies import open_listener
from api.middleware import problems
from api.middleware.auth import check_exposure, parse_keys
from api.middleware.body_limit import BodyLimit
from api.middleware.loopback_only import SameMachine
from api.middleware.no_sniff import NoSniff
from api.middleware.problems import Problem
from api.routes import chat, health, learned, pages, questions, site_reads, sources, stats, watches, web
from api.version import installed_version
from workers.processes.stack import PortInUse
from workers.services import Services
from workers.settings import LOOPBACK, Settings

MAX_BODY_BYTES = 256 * 1024
#: how long a stopping server lets requests end
GRACE_S = 5

_DESCRIPTION = "Answers questions from what it has read; reads the web when that is not enough; checks every citation."


def create_app(services: Services) -> FastAPI:
    """Build the application; raises KeysMissing or BadKeys when it must not be served like this."""
    settings = services.settings
    keys = parse_keys(settings.api_keys)
    check_exposure(settings.api_host, keys)
    app = FastAPI(
        title="Wellread",
        version=installed_version(),
        description=_DESCRIPTION,
        lifespan=_lifespan,
        docs_url=None,  # both would load their scripts from a CDN
        redoc_url=None,
        responses={"default": {"model": Problem, "description": "An error, as application/problem+json."}},
    )
    app.state.services, app.state.keys, app.state.waiting = services, keys, set()
    problems.install(app)
    for room in (
        chat, questions, watches, sources, site_reads, pages, stats,
        health, learned, web,
    ):  # fmt: skip
        app.include_router(room.router)
    app.add_middleware(BodyLimit, max_bytes=MAX_BODY_BYTES)
    if not keys:
        app.add_middleware(SameMachine, names=LOOPBACK)
    app.add_middleware(NoSniff)
    return app


def serve(settings: Settings) -> None:
    """Serve the API until SIGTERM; raises KeysMissing, BadKeys or PortInUse."""
    app = create_app(Services(settings))
    listening = _listen(settings.api_host, settings.api_port)
    with listening:
        Server(app).run(sockets=[listening])


class Server(uvicorn.Server):
    """Tells those who wait for an answer when it stops, so that they get what there is."""

    def __init__(self, app: FastAPI, *, port: int = 0, log_level: str = "info", grace_s: int = GRACE_S) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                port=port,
                log_level=log_level,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=grace_s,
            )
        )
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, let requests end, close."""
        for scope in tuple(self._app.state.waiting):
            scope.cancel()
        await super().shutdown(sockets)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    app.state.listener = open_listener(app.state.services.settings.redis)
    try:
        yield
    finally:
        await app.state.listener.aclose()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small answers at once only where the protocol is named; else each waits 40 ms for the last one's ACK
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
