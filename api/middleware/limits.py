"""Limits of every request and response: no body without a key, the largest and slowest one, no guessing of types."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.middleware.auth import KeyRing, look_up
from api.middleware.loopback_only import SAFE, has_body
from api.middleware.problem_kinds import of_error, of_status
from api.middleware.problems import respond, respond_to
from domain.errors import WellreadError

#: seconds that a body may take, and one more for each so many bytes that came
BODY_S, LEAST_RATE = 30.0, 1_000
#: seconds without a byte of a body that is not whole yet
SILENCE_S = 10.0
#: brackets in JSON: more lists and objects would take Python seconds to read, in which it answers nobody
MOST_BRACKETS = 50_000
#: a string of JSON, and how it ends: by a quotation mark, or with what has come, perhaps after a backslash
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+("|\\?\Z)', re.DOTALL)


class KeyFirst:
    """Refuses a request that changes something or has a body, unless its key is known, before the body is read.

    Other requests have nothing to read: their routes say whether they need a key.
    """

    def __init__(self, app: ASGIApp, *, keys: KeyRing) -> None:
        self._app, self._keys = app, keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] == "http" and (scope["method"] not in SAFE or has_body(Headers(scope=scope))):
            try:
                await look_up(scope, self._keys)
            except WellreadError as error:
                await respond_to(error, of_error(error), scope["path"])(scope, receive, send)
                return
        await self._app(scope, receive, send)


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
        self,
        app: ASGIApp,
        *,
        max_bytes: int,
        larger: Mapping[str, Larger] | None = None,
        body_s: float = BODY_S,
        silence_s: float = SILENCE_S,
    ) -> None:
        self._app = app
        self._usual = Larger(max_bytes, "Only files may be larger: POST /api/files takes them.")
        self._larger, self._body_s, self._silence_s = larger or {}, body_s, silence_s  #: by path

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
        received, brackets, began, is_whole, opened = 0, 0, anyio.current_time(), False, b""
        is_json = "json" in Headers(scope=scope).get("content-type", "").lower()

        async def counted() -> Message:
            nonlocal received, brackets, is_whole, opened
            late = min(anyio.current_time() + self._silence_s, began + self._body_s + received / LEAST_RATE)
            with anyio.move_on_at(math.inf if is_whole else late) as waiting:
                message = await receive()
            if waiting.cancelled_caught:
                raise HTTPException(408, "The body did not come in time.")
            body = message.get("body", b"")
            received += len(body)
            if is_json:
                text = opened + body
                opened = next((b'"' + end for end in _STRING.findall(text)[-1:] if end != b'"'), b"")
                outside = text if b"\0" in text else _STRING.sub(b"", text)  # UTF-16 may have a byte of a mark anywhere
                brackets += outside.count(b"[") + outside.count(b"{")
            is_whole = not message.get("more_body", False)
            if received > most:
                raise HTTPException(413, detail)
            if brackets > MOST_BRACKETS:
                raise HTTPException(413, f"The body has more than {MOST_BRACKETS:,} lists and objects.")
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
