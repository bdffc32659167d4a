"""Answers what a page in the browser asks for: its own document from what was fetched, the rest by the guarded fetch.

Nothing is sent but GETs for scripts, styles and data; no picture, no font, no frame, no other page.
"""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from crawler.browser.devtools import BrowserFailed, DevTools
from crawler.fetch.client import Fetched, FetchError
from crawler.urls import BadUrl, host

#: how a script's GET is sent: the URL and what its request says
ScriptFetch = Callable[[str, Mapping[str, str]], Awaitable[Fetched]]

#: as DevTools names them
_ALLOWED_TYPES: Final = frozenset({"Script", "Stylesheet", "XHR", "Fetch"})
#: headers that a script's request keeps, and those of the answer that the page is shown
_REQUEST_HEADERS: Final = frozenset({"accept", "accept-language", "origin"})
_RESPONSE_HEADERS: Final = (
    "content-type",
    "access-control-allow-origin",
    "access-control-allow-credentials",
    "access-control-expose-headers",
)


class RequestInterceptor:
    """The requests of one page; each is answered or refused, and counted."""

    def __init__(self, document: Fetched, get: ScriptFetch, *, max_requests: int, max_bytes: int) -> None:
        self._document, self._get = document, get
        self._left, self._bytes_left = max_requests, max_bytes
        self._frame = ""  #: that the page was given to
        self._hosts: dict[str, asyncio.Lock] = {}
        self._running: set[asyncio.Task[None]] = set()
        self.quiet_since = time.monotonic()  #: when the last one was answered

    @property
    def is_quiet(self) -> bool:
        """Return whether none waits for its answer."""
        return not self._running

    def paused(self, devtools: DevTools, about: Mapping[str, Any]) -> None:
        """Take a request that the browser holds back."""
        task = asyncio.ensure_future(self._settle(devtools, about))
        self._running.add(task)
        task.add_done_callback(self._settled)

    async def stop(self) -> None:
        """Answer no more."""
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _settled(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self.quiet_since = time.monotonic()

    async def _settle(self, devtools: DevTools, about: Mapping[str, Any]) -> None:
        kind, frame = str(about.get("resourceType", "")), str(about.get("frameId", ""))
        answer = await self._answer(kind, about["request"], frame)
        # another page that is refused must not put the browser's own words about it in the place of this one
        reason = "Aborted" if kind == "Document" and frame == self._frame else "BlockedByClient"
        with suppress(BrowserFailed):  # the page may have given the request up
            if answer is None:
                await devtools.call("Fetch.failRequest", requestId=about["requestId"], errorReason=reason)
            else:
                await devtools.call("Fetch.fulfillRequest", requestId=about["requestId"], **_to_devtools(answer))

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
                fetched = await self._get(
                    url, {name: value for name, value in headers.items() if name in _REQUEST_HEADERS}
                )
        except (FetchError, BadUrl):
            return None
        self._bytes_left -= len(fetched.body)
        return fetched

    def _own_document(self, url: str, frame: str) -> Fetched | None:
        """The page, once: a frame in it, another page or the same again is refused."""
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
