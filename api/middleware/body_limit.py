"""Refuses a request body that is too large, by its declared length or while it is received."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.middleware.problems import of_status, respond


class BodyLimit:
    """Answers 413 with a problem; a larger body is never held in memory."""

    def __init__(self, app: ASGIApp, *, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and count its bytes."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        detail = f"The body is larger than {self._max_bytes // 1024} KB."
        if int(Headers(scope=scope).get("content-length", "0")) > self._max_bytes:
            await respond(of_status(413, detail))(scope, receive, send)
            return
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._max_bytes:
                raise HTTPException(413, detail)
            return message

        await self._app(scope, counted, send)
