"""Limits of every request and response: the largest body, and no guessing of content types by browsers."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.middleware.problems import of_status, respond


class BodyLimit:
    """Answers 413 with a problem, by the declared length or while the body comes; a larger one is never in memory."""

    def __init__(self, app: ASGIApp, *, max_bytes: int, larger: Mapping[str, int] | None = None) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._larger = larger or {}  #: path → bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and count its bytes."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._larger.get(scope["path"].rstrip("/"), self._max_bytes)
        detail = f"The body is larger than {most // 1024:,} KB."
        if int(Headers(scope=scope).get("content-length", "0")) > most:
            await respond(of_status(413, detail), scope["path"])(scope, receive, send)
            return
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                raise HTTPException(413, detail)
            return message

        await self._app(scope, counted, send)


class NoSniff:
    """Tells browsers to trust every content type, so that JSON with page text is never shown as a page."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""

        async def send_with_header(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["x-content-type-options"] = "nosniff"
            await send(message)

        await self._app(scope, receive, send_with_header if scope["type"] == "http" else send)
