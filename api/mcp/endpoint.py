"""Serves the Model Context Protocol over streamable HTTP, at /mcp of the API. It keeps no sessions.

A client that accepts no stream of events gets its answer as JSON, without word of the steps on the way.

The protocol's package is loaded with the first request: it takes a second, which the start of the API need not.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import anyio
import httpx2
from anyio import to_thread
from anyio.abc import TaskGroup, TaskStatus
from fastapi import FastAPI
from starlette.datastructures import MutableHeaders
from starlette.types import Receive, Scope, Send

from api.middleware.auth import allow, key_in, look_up, one_more_stream
from domain.access import Role
from wellread import AsyncClient

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager


class McpEndpoint:
    """Answers the requests at /mcp; each tool calls the API in this process, with the caller's own key."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._opening = anyio.Lock()
        self._managers: dict[bool, StreamableHTTPSessionManager] = {}  #: by whether they answer in streams
        self._tasks: TaskGroup | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Let requests be answered while the block runs."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            try:
                yield
            finally:
                self._tasks, self._managers = None, {}
                tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; raises InvalidApiKey, RoleTooSmall and TooManyWrongKeys, which become problems."""
        who = await look_up(scope, self._app.state.keys)
        allow(who.role, Role.ask)
        headers = MutableHeaders(raw=list(scope["headers"]))
        in_stream = scope["method"] != "POST" or "text/event-stream" in headers.get("accept", "").lower()
        if scope["method"] == "POST":  # the protocol's package refuses those that do not name both
            headers["accept"] = "application/json, text/event-stream"
        async with self._opening:
            if in_stream not in self._managers:
                assert self._tasks is not None, "the application runs"
                await self._tasks.start(self._serve, in_stream)
        with one_more_stream(self._app.state, who) if scope["method"] == "GET" else nullcontext():
            await self._managers[in_stream].handle_request({**scope, "headers": headers.raw}, receive, send)

    async def _serve(self, in_stream: bool, *, task_status: TaskStatus[None]) -> None:
        manager = await to_thread.run_sync(self._open, in_stream)
        async with manager.run():
            self._managers[in_stream] = manager
            task_status.started()
            await anyio.sleep_forever()

    def _open(self, in_stream: bool) -> "StreamableHTTPSessionManager":
        from mcp.server.transport_security import TransportSecuritySettings

        from api.mcp.tools import build

        server = build(self._connect)
        # the API itself has refused foreign hosts and origins before
        trusting = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        server.streamable_http_app(stateless_http=True, json_response=not in_stream, transport_security=trusting)
        return server.session_manager

    def _connect(self, headers: Mapping[str, str] | None, collection: str) -> AsyncClient:
        transport: Any = httpx2.ASGITransport(self._app, raise_app_exceptions=False)
        return AsyncClient("http://127.0.0.1", key=key_in(headers or {}), collection=collection, transport=transport)
