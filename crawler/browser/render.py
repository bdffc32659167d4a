"""Run a page's scripts in Chromium and return the page they made, as HTML of what a reader sees.

The browser has no network of its own (``crawler.browser.process``): every request is intercepted and answered by the
guarded fetch (``crawler.browser.requests``). Rendering ends by its deadline, whatever the page does.
"""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from crawler.browser.devtools import BrowserFailed, DevTools
from crawler.browser.process import kill, memory_used, run_browser
from crawler.browser.requests import RequestInterceptor, ScriptFetch
from crawler.fetch.result import Fetched
from domain.errors import WellreadError

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


class Browser:
    """Renders pages, one at a time, each in a new browser."""

    def __init__(self, executable: str, bounds: RenderBounds | None = None) -> None:
        self._executable = executable
        self._bounds = bounds or RenderBounds()
        self._one_at_a_time = asyncio.Lock()

    async def render(self, page: Fetched, fetch: ScriptFetch) -> Fetched:
        """Return the page as its scripts made it; ``fetch`` gets what they request. Raises NotRendered."""
        deadline = self._bounds.deadline_s
        try:
            async with self._one_at_a_time, asyncio.timeout(deadline):
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
        return replace(page, body=html.encode("utf-8", "replace"), headers=headers, content_type="text/html")

    async def _run(self, page: Fetched, fetch: ScriptFetch) -> str:
        bounds = self._bounds
        requests = RequestInterceptor(page, fetch, max_requests=bounds.max_requests, max_bytes=bounds.max_bytes)
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
    """Kill a browser that uses too much memory."""
    while memory_used(pid) <= max_memory:  # noqa: ASYNC110 (no event reports memory)
        await asyncio.sleep(0.2)
    kill(pid)


class _View:
    """The browser's one page."""

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
            closing = asyncio.ensure_future(self._call("Page.handleJavaScriptDialog", accept=False))
            self._dialogs.add(closing)
            closing.add_done_callback(self._dialog_closed)

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
        """Return the visible page as HTML; "" where it is too large."""
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

    def _dialog_closed(self, task: asyncio.Task[Any]) -> None:
        self._dialogs.discard(task)
        if not task.cancelled():
            task.exception()  # the dialog may be gone already
