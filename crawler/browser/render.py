"""Run the scripts of a page that has hardly any text without them, in Chromium; return what a reader sees, as HTML.

The browser has no network of its own (``crawler.browser.chromium``): every request is intercepted and answered by the
guarded fetch. Only GETs for scripts, styles and data are sent; no image, no font, no frame, no other page. Rendering
ends by its deadline, whatever the page does.
"""

import asyncio
import base64
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from crawler.browser.chromium import BrowserFailed, DevTools, kill, memory_used, run_browser
from crawler.extract.bounded_process import BOUNDS, TooMuchWork, read_bounded
from crawler.extract.charset import CONTROL, decode
from crawler.extract.html import parse
from crawler.extract.visibility import drop_hidden
from crawler.fetch.client import Fetcher
from crawler.fetch.guard import FetchError
from crawler.fetch.response import ANY_TYPE, Fetched
from crawler.file_kinds import HTML
from crawler.robots import Permission
from crawler.urls import BadUrl, host
from domain.errors import WellreadError

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


@dataclass(frozen=True, kw_only=True)
class RenderBounds:
    """Limits for rendering one page."""

    deadline_s: float = 15.0  #: for everything, with the browser's start
    settled_s: float = 0.5  #: a page without a request for so long is done
    longest_s: float = 8.0  #: after this it is taken as it is
    max_requests: int = 40
    max_bytes: int = 20_000_000  #: of all answers
    max_elements: int = 50_000
    max_chars: int = 3_000_000
    max_memory: int = 1_500_000_000  #: bytes of all the browser's processes; an empty page takes 300 MB


class RequestInterceptor:
    """Answers, refuses and counts the requests of one page."""

    def __init__(self, document: Fetched, fetch: ScriptFetch, bounds: RenderBounds) -> None:
        self._document, self._fetch = document, fetch
        self._left, self._bytes_left = bounds.max_requests, bounds.max_bytes
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
        request = event["requestId"]
        # with BlockedByClient the browser would show its own error page in place of this one
        reason = "Aborted" if kind == "Document" and frame == self._frame else "BlockedByClient"
        with suppress(BrowserFailed):  # the page may have cancelled the request
            if answer is None:
                await devtools.call("Fetch.failRequest", requestId=request, errorReason=reason)
                return
            given = answer.headers
            shown = [{"name": name, "value": given[name]} for name in _RESPONSE_HEADERS if name in given]
            body = base64.b64encode(answer.body).decode()
            await devtools.call(
                "Fetch.fulfillRequest", requestId=request, responseCode=answer.status, responseHeaders=shown, body=body
            )

    async def _answer(self, kind: str, request: Mapping[str, Any], frame: str) -> Fetched | None:
        url = str(request.get("url", "")).partition("#")[0]
        if kind == "Document":  # the page, once: no frame in it, no other page, nor the same again
            if self._frame or url != self._document.url:
                return None
            self._frame = frame
            return self._document
        if kind not in _ALLOWED_TYPES or request.get("method") != "GET" or not url.startswith(("http://", "https://")):
            return None
        headers = {name.lower(): str(value) for name, value in request.get("headers", {}).items()}
        if self._left <= 0 or self._bytes_left <= 0 or "sec-purpose" in headers or "purpose" in headers:  # a prefetch
            return None
        self._left -= 1
        sent = {name: value for name, value in headers.items() if name in _REQUEST_HEADERS}
        try:
            async with self._hosts.setdefault(host(url), asyncio.Lock()):  # one at a time at a host
                fetched = await self._fetch(url, sent)
        except (FetchError, BadUrl):
            return None
        self._bytes_left -= len(fetched.body)
        return fetched


#: APIs that would send packets by themselves, or outlive the page
_REMOVED_APIS: Final = """
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebSocket", "WebTransport", "EventSource",
                    "SharedWorker", "Notification"])
  delete globalThis[name];
"""
#: run in an isolated world, whose functions the page's scripts cannot replace
_SNAPSHOT: Final = """
(() => {
  const all = document.body ? document.body.querySelectorAll("*") : [];
  if (all.length > %(most)d || !location.protocol.startsWith("http")) return "";
  const unseen = [...all].filter((one) => !one.checkVisibility({opacityProperty: true, visibilityProperty: true})
    && !one.closest("details:not([open])"));
  for (const one of unseen) one.setAttribute("hidden", "");
  for (const one of document.querySelectorAll("script:not([type='application/ld+json'])")) one.remove();
  return "<!doctype html>" + document.documentElement.outerHTML.slice(0, %(chars)d);
})()
"""


class NotRendered(WellreadError):
    """The page's scripts made no readable page; the message says why."""


class Browser:
    """Renders pages, two at a time, each in a new browser."""

    def __init__(self, executable: str, bounds: RenderBounds | None = None) -> None:
        self._executable = executable
        self._bounds = bounds or RenderBounds()
        self._places = asyncio.Semaphore(2)

    async def render(self, page: Fetched, fetch: ScriptFetch) -> Fetched:
        """Return the page as its scripts made it; ``fetch`` gets what they request. Raises NotRendered."""
        deadline = self._bounds.deadline_s
        try:
            async with self._places, asyncio.timeout(deadline):
                html = await self._run(page, fetch)
        except TimeoutError as error:
            raise NotRendered(f"The scripts of {page.url} were not done within {deadline:g} s.") from error
        except (BrowserFailed, OSError) as error:
            raise NotRendered(f"{page.url} could not be rendered: {error}") from error
        if not html:
            raise NotRendered(
                f"The scripts of {page.url} made no page, or one of more than {self._bounds.max_elements:,} elements."
            )
        headers = {**page.headers, "content-type": "text/html; charset=utf-8"}
        return replace(page, body=html.encode("utf-8", "replace"), headers=headers)

    async def _run(self, page: Fetched, fetch: ScriptFetch) -> str:
        bounds = self._bounds
        requests = RequestInterceptor(page, fetch, bounds)
        with run_browser(self._executable) as browser:
            view = _View(requests)
            view.devtools = await DevTools.connect(browser, view.on_event)
            watching = asyncio.ensure_future(_watch(browser.pid, bounds.max_memory))
            try:
                await view.open(page.url)
                await view.settle(bounds)
                return await view.html(bounds)
            finally:
                watching.cancel()
                await requests.stop()
                await view.devtools.close()


async def _watch(pid: int, max_memory: int) -> None:
    while memory_used(pid) <= max_memory:  # noqa: ASYNC110 (no event reports memory)
        await asyncio.sleep(0.2)
    kill(pid)


class _View:
    devtools: DevTools

    def __init__(self, requests: RequestInterceptor) -> None:
        self._requests = requests
        self._session = self._frame = ""
        self._loaded = asyncio.Event()
        self._dialogs: set[asyncio.Task[Any]] = set()

    def on_event(self, method: str, parameters: dict[str, Any]) -> None:
        """Handle one of the browser's events."""
        if method == "Fetch.requestPaused":
            self._requests.on_paused(self.devtools, parameters)
        elif method == "Page.domContentEventFired":
            self._loaded.set()
        elif method == "Page.javascriptDialogOpening":  # alert() would block for ever
            closing = asyncio.ensure_future(self._close_dialog())
            self._dialogs.add(closing)
            closing.add_done_callback(self._dialogs.discard)

    async def open(self, url: str) -> None:
        """Load the page, with all its requests intercepted."""
        call = self.devtools.call
        context = (await call("Target.createBrowserContext"))["browserContextId"]  # in memory, not in the profile
        await call("Fetch.enable", patterns=[{"urlPattern": "*"}])
        await call("Browser.setDownloadBehavior", behavior="deny", browserContextId=context)
        target = await call("Target.createTarget", url="about:blank", browserContextId=context)
        attached = await call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        await self._call("Page.enable")
        await self._call("Network.enable")
        await self._call("Network.setBypassServiceWorker", bypass=True)
        await self._call("Page.addScriptToEvaluateOnNewDocument", source=_REMOVED_APIS)
        self._frame = (await self._call("Page.navigate", url=url))["frameId"]

    async def settle(self, bounds: RenderBounds) -> None:
        """Wait until the page makes no more requests, at most ``longest_s``."""
        latest = time.monotonic() + bounds.longest_s
        with suppress(TimeoutError):
            async with asyncio.timeout(bounds.longest_s):
                await self._loaded.wait()
        while (now := time.monotonic()) < latest:
            if self._requests.is_quiet and now - self._requests.quiet_since >= bounds.settled_s:
                return
            await asyncio.sleep(0.05)

    async def html(self, bounds: RenderBounds) -> str:
        """Return the visible page as HTML; "" if it is too large."""
        world = await self._call("Page.createIsolatedWorld", frameId=self._frame)
        script = _SNAPSHOT % {"most": bounds.max_elements, "chars": bounds.max_chars}
        result = await self._call(
            "Runtime.evaluate", expression=script, contextId=world["executionContextId"], returnByValue=True
        )
        if "exceptionDetails" in result:
            raise BrowserFailed("its elements could not be read")
        return str(result["result"].get("value", ""))

    async def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return await self.devtools.call(method, session=self._session, **parameters)

    async def _close_dialog(self) -> None:
        with suppress(BrowserFailed):  # it may be gone already
            await self._call("Page.handleJavaScriptDialog", accept=False)


NEEDS_BROWSER = "Its text is made by JavaScript: install Chromium, or set WELLREAD_CHROMIUM to its path."
#: a page with fewer words has a title, a menu or "Loading…", and no text
FEW_WORDS = 25
#: the elements that the usual frameworks fill
_ROOT_IDS = frozenset(
    "root app __next __nuxt ___gatsby svelte main-app app-root react-root application q-app content-root".split()
)
_ROOT_TAGS = frozenset({"app-root", "my-app", "app-main", "ember-app"})
_ASKS_FOR_JAVASCRIPT = re.compile(
    r"javascript|java script|scripts?\b.{0,40}(?:enable|aktivier|activ|habilit)", re.IGNORECASE
)


async def run_scripts(
    page: Fetched, *, browser: Browser | None, client: Fetcher, permission: Permission, until: float
) -> Fetched | None:
    """Return the page as its scripts make it; None if it needs no scripts.

    ``permission`` is asked before each request of a script. Raises NotRendered, also if there is no browser, or that
    was not known at the monotonic time ``until``.
    """
    looked_at = partial(needs_javascript, page.body, page.headers.get("content-type", ""))
    try:
        has_text = not await read_bounded(looked_at, len(page.body), until=until)
    except TooMuchWork as error:
        raise NotRendered(f"{page.url} {error}") from error
    if has_text:
        return None
    if browser is None:
        raise NotRendered(NEEDS_BROWSER)

    async def fetch(url: str, headers: Mapping[str, str]) -> Fetched:
        client.check_part(url, page.url)  # a page of the web must not read an own site
        await permission.check(url)
        return await client.get(url, headers=headers, accept=ANY_TYPE, on_redirect=permission.check)

    return await browser.render(page, fetch)


def needs_javascript(body: bytes, content_type: str = "") -> bool:
    """Return whether a document is a page that has hardly any text before its scripts have run."""
    if content_type.split(";")[0].strip().lower() not in HTML | {""} or b"<script" not in body.lower():
        return False
    tree = parse(CONTROL.sub(" ", decode(body[: BOUNDS.chars], content_type)))
    if tree is None or not any(True for _ in tree.iter("script")):
        return False
    asks = any(_ASKS_FOR_JAVASCRIPT.search("".join(element.itertext())) for element in tree.iter("noscript"))
    has_root = any(_is_root(element) for element in tree.iter("*"))
    whole = tree.find("body")
    drop_hidden(tree)
    shown = " ".join((whole if whole is not None else tree).itertext())
    words = max(len(shown.split()), len(shown) // 12)
    return words < FEW_WORDS and (asks or has_root or words == 0)


def _is_root(element: Any) -> bool:
    """Return whether a framework would fill this element, which holds hardly anything yet."""
    is_named = element.get("id", "") in _ROOT_IDS or element.tag in _ROOT_TAGS or "data-reactroot" in element.attrib
    return is_named and len("".join(element.itertext()).split()) < FEW_WORDS
