"""Limits of every request and response: its origin, no body without a key, its size and time, no guessing of types."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.middleware.auth import KeyRing, look_up
from api.middleware.problems import Problem, of_error, of_status, respond, respond_to
from domain.errors import WellreadError

#: seconds that a body may take, and one more for each so many bytes that came
BODY_S, LEAST_RATE = 30.0, 1_000
#: seconds without a byte of a body that is not whole yet
SILENCE_S = 10.0
#: brackets in JSON: more lists and objects would take Python seconds to read, in which it answers nobody
MOST_BRACKETS = 50_000
#: a string of JSON, and how it ends: by a quotation mark, or with what has come, perhaps after a backslash
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+("|\\?\Z)', re.DOTALL)

_HOST = re.compile(r"(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9.-]+))(?::\d{1,5})?")
#: headers that a proxy on this machine adds to requests that may come from elsewhere
_FORWARDED = (
    *("forwarded", "via", "x-forwarded", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "x-original-", "x-envoy-"),
    *("x-amzn-trace-id", "x-azure-", "true-client-ip", "cf-", "cdn-loop", "fastly-", "fly-", "tailscale-"),
)
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
#: a page of another site cannot send this type without a preflight request, which this server never grants
_JSON = "application/json"


class LoopbackOnly:
    """Keeps a keyless API to the machine it runs on.

    It listens on loopback, but a web page of another site could still reach it through the user's browser. It therefore
    refuses a foreign Host (DNS rebinding) and, for requests that change something, a foreign Origin (cross-site request
    forgery). A proxy on this machine would let others in: a request that one passed on is refused.
    """

    def __init__(self, app: ASGIApp, *, names: Iterable[str], forms: Iterable[str] = ()) -> None:
        self._app, self._names, self._forms = app, frozenset(names), frozenset(forms)  #: paths that take a file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        is_http = scope["type"] == "http"
        problem = self._objection(scope["method"], scope["path"], Headers(scope=scope)) if is_http else None
        await (respond(problem, scope["path"]) if problem else self._app)(scope, receive, send)

    def _objection(self, method: str, path: str, headers: Headers) -> Problem | None:
        if by := next((name for name in headers if name.startswith(_FORWARDED)), None):
            return _refused(
                f"A proxy passed this request on (it has the header {by}), and no key is needed here.",
                "Set WELLREAD_API_KEYS before a proxy lets others in.",
            )
        host = headers.get("host", "")
        name = _HOST.fullmatch(host)
        if name is None or (name["v6"] or name["name"]).lower() not in self._names:
            return _refused(
                f"The Host {host[:100]!r} is not this machine.",
                "Use http://127.0.0.1 or http://localhost; to serve others, set WELLREAD_API_KEYS.",
            )
        origin = headers.get("origin", f"http://{host}")
        # browsers send these headers; links of other sites may lead here
        is_link = method in SAFE and headers.get("sec-fetch-mode") == "navigate"
        is_foreign = headers.get("sec-fetch-site", "none") not in ("same-origin", "none") and not is_link
        if is_foreign or origin not in (f"http://{host}", f"https://{host}"):
            return _refused(
                f"A page of {origin[:100]!r} may not do this."
                if "origin" in headers
                else "A page of another site may not do this.",
                "Call the API from a program, or from its own page; to serve others, set WELLREAD_API_KEYS.",
            )
        if method in (*SAFE, "PUT") or path in self._forms:  # a browser asks before another site's PUT
            return None
        if _has_body(headers) and headers.get("content-type", "").partition(";")[0].strip().lower() != _JSON:
            return Problem(
                type="unsupported-media-type",
                title="Not JSON",
                status=415,
                detail="The body does not say that it is JSON.",
                what_to_do=f"Send the header `Content-Type: {_JSON}`.",
            )
        return None


def _refused(detail: str, what_to_do: str) -> Problem:
    return Problem(type="foreign-origin", title="Refused", status=403, detail=detail, what_to_do=what_to_do)


def _has_body(headers: Headers) -> bool:
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


class KeyFirst:
    """Refuses a request that changes something or has a body, unless its key is known, before the body is read.

    Other requests have nothing to read: their routes say whether they need a key.
    """

    def __init__(self, app: ASGIApp, *, keys: KeyRing) -> None:
        self._app, self._keys = app, keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] == "http" and (scope["method"] not in SAFE or _has_body(Headers(scope=scope))):
            try:
                await look_up(scope, self._keys)
            except WellreadError as error:
                await respond_to(error, of_error(error), scope["path"])(scope, receive, send)
                return
        await self._app(scope, receive, send)


@dataclass(frozen=True)
class LargerLimit:
    """The limit of a path whose bodies may be larger than usual."""

    max_bytes: int
    advice: str  #: what to do if a body is larger


class BodyLimit:
    """Answers 413, by the declared length or while the body comes: no larger one is in memory; 408 if it is slow."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        max_bytes: int,
        larger: Mapping[str, LargerLimit] | None = None,
        body_s: float = BODY_S,
        silence_s: float = SILENCE_S,
    ) -> None:
        self._app = app
        self._usual = LargerLimit(max_bytes, "Only files and documents may be larger.")
        self._larger, self._body_s, self._silence_s = larger or {}, body_s, silence_s  #: by path, or beginning of one

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and count its bytes."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"].rstrip("/")
        begins = (limit for start, limit in self._larger.items() if start.endswith("/") and path.startswith(start))
        limit = self._larger.get(path) or next(begins, self._usual)
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
    """Tells browsers to trust every content type, so that JSON with page text is never shown as a page.

    A response without content gets none: who sees JSON named would read an empty text as such.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""

        async def send_with_header(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["x-content-type-options"] = "nosniff"
                if message["status"] == HTTPStatus.NO_CONTENT:
                    del headers["content-type"]
            await send(message)

        await self._app(scope, receive, send_with_header if scope["type"] == "http" else send)
