"""Answer the requests of a page in the browser: its document from what was fetched, the rest by the guarded fetch.

Only GETs for scripts, styles and data are sent; no image, no font, no frame, no other page.
"""

import asyncio
import base64
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from crawler.browser.devtools import BrowserFailed, DevTools
from crawler.fetch.guard import FetchError
from crawler.fetch.result import Fetched
from crawler.urls import BadUrl, host

#: fetches a URL for a script, with the request's headers
ScriptFetch = Callable[[str, Mapping[str, str]], Awaitable[Fetched]]

#: resource types, as DevTools names them
_ALLOWED_TYPES: Final = frozenset({"Script", "Stylesheet", "XHR", "Fetch"})
#: headers of a script's request that are sent, and those of the answer that the page gets
_REQUEST_HEADERS: Final = frozenset({"accept", "accept-language", "origin"})
_RESPONSE_HEADERS: Final = (
    "content-type",
    "access-control-allow-origin",
    "access-control-allow-credentials",
    "access-control-expose-headers",
)


class RequestInterceptor:
    """Answers, refuses and counts the requests of one page."""

    def __init__(self, document: Fetched, fetch: ScriptFetch, *, max_requests: int, max_bytes: int) -> None:
        self._document, self._fetch = document, fetch
        self._left, self._bytes_left = max_requests, max_bytes
        self._frame = ""  #: the frame that got the page
        self._hosts: dict[str, asyncio.Lock] = {}
        self._running: set[asyncio.Task[None]] = set()
        self.quiet_since = time.monotonic()  #: when the last request was answered

    @property
    def is_quiet(self) -> bool:
        """Return whether no request waits for its answer."""
        return not self._running

    def on_paused(self, devtools: DevTools, event: Mapping[str, Any]) -> None:
        """Start to answer a request that the browser has paused."""
        task = asyncio.ensure_future(self._respond(devtools, event))
        self._running.add(task)
        task.add_done_callback(self._responded)

    async def stop(self) -> None:
        """Cancel the requests that are being answered."""
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _responded(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self.quiet_since = time.monotonic()

    async def _respond(self, devtools: DevTools, event: Mapping[str, Any]) -> None:
        kind, frame = str(event.get("resourceType", "")), str(event.get("frameId", ""))
        answer = await self._answer(kind, event["request"], frame)
        # with BlockedByClient the browser would show its own error page in place of this one
        reason = "Aborted" if kind == "Document" and frame == self._frame else "BlockedByClient"
        with suppress(BrowserFailed):  # the page may have cancelled the request
            if answer is None:
                await devtools.call("Fetch.failRequest", requestId=event["requestId"], errorReason=reason)
            else:
                await devtools.call("Fetch.fulfillRequest", requestId=event["requestId"], **_to_devtools(answer))

    async def _answer(self, kind: str, request: Mapping[str, Any], frame: str) -> Fetched | None:
        url = str(request.get("url", "")).partition("#")[0]
        if kind == "Document":
            return self._own_document(url, frame)
        if kind not in _ALLOWED_TYPES or request.get("method") != "GET" or not url.startswith(("http://", "https://")):
            return None
        headers = {name.lower(): str(value) for name, value in request.get("headers", {}).items()}
        if self._left <= 0 or self._bytes_left <= 0 or "sec-purpose" in headers or "purpose" in headers:  # a prefetch
            return None
        self._left -= 1
        try:
            async with self._hosts.setdefault(host(url), asyncio.Lock()):  # one at a time at a host
                fetched = await self._fetch(
                    url, {name: value for name, value in headers.items() if name in _REQUEST_HEADERS}
                )
        except (FetchError, BadUrl):
            return None
        self._bytes_left -= len(fetched.body)
        return fetched

    def _own_document(self, url: str, frame: str) -> Fetched | None:
        """Return the page, once; None for a frame in it, for another page and for the same page again."""
        if self._frame or url != self._document.url:
            return None
        self._frame = frame
        return self._document


def _to_devtools(answer: Fetched) -> dict[str, Any]:
    shown = [{"name": name, "value": answer.headers[name]} for name in _RESPONSE_HEADERS if name in answer.headers]
    return {
        "responseCode": answer.status,
        "responseHeaders": shown,
        "body": base64.b64encode(answer.body).decode(),
    }
