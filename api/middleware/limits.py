"""Limits of every request and response: the largest and slowest body, and no guessing of content types by browsers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.middleware.problem_kinds import of_status
from api.middleware.problems import respond

#: seconds that a body may take, and one more for each so many bytes that came
BODY_S, LEAST_RATE = 30.0, 1_000


@dataclass(frozen=True)
class Larger:
    """What a path may have beside the usual limit."""

    max_bytes: int
    advice: str  #: what to do where a body is larger


class BodyLimit:
    """Answers 413 with a problem, by the declared length or while the body comes; a larger one is never in memory.

    Answers 408 where the body comes too slowly.
    """

    def __init__(
        self, app: ASGIApp, *, max_bytes: int, larger: Mapping[str, Larger] | None = None, body_s: float = BODY_S
    ) -> None:
        self._app = app
        self._usual = Larger(max_bytes, "Only files may be larger: POST /api/files takes them.")
        self._larger, self._body_s = larger or {}, body_s  #: by path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and count its bytes."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._larger.get(scope["path"].rstrip("/"), self._usual)
        most, detail = limit.max_bytes, f"The body is larger than {limit.max_bytes // 1024:,} KB. {limit.advice}"
        if int(Headers(scope=scope).get("content-length", "0")) > most:
            await respond(of_status(413, detail), scope["path"])(scope, receive, send)
            return
        received, began, is_whole = 0, anyio.current_time(), False

        async def counted() -> Message:
            nonlocal received, is_whole
            with anyio.move_on_at(math.inf if is_whole else began + self._body_s + received / LEAST_RATE) as waiting:
                message = await receive()
            if waiting.cancelled_caught:
                raise HTTPException(408, "The body did not come in time.")
            received += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
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
