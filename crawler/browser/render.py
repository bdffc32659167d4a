"""Run a page's scripts in Chromium and give the page that they made, as HTML of what is seen.

The browser reaches nothing itself: every request is held back and answered by the guarded fetch
(``crawler.browser.requests``), and what cannot be held back finds no network (``crawler.browser.process``). It ends by
its deadline, whatever the page does.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from crawler.browser.devtools import BrowserFailed, DevTools
from crawler.browser.process import kill, memory_used, run_browser
from crawler.browser.requests import RequestInterceptor, ScriptFetch
from crawler.fetch.client import Fetched
from domain.errors import WellreadError

#: what would send packets of its own, or stay when the page is gone
_REMOVED_APIS: Final = """
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebSocket", "WebTransport", "EventSource",
                    "SharedWorker", "Notification"])
  delete globalThis[name];
"""
#: in a world of its own, whose functions the page's scripts cannot have replaced
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
    """The page's scripts made no page that can be read; the message says why."""


@dataclass(frozen=True, kw_only=True)
class RenderBounds:
    """What one page may use."""

    deadline_s: float = 15.0  #: for everything, the browser's start too
    settled_s: float = 0.5  #: without a request for so long, it is taken to be done
    longest_s: float = 8.0  #: then it is taken as it is
    max_requests: int = 40
    max_bytes: int = 20_000_000  #: of all answers
    max_elements: int = 50_000
    max_chars: int = 3_000_000
    max_memory: int = 1_500_000_000  #: bytes of all the browser's processes; an empty page takes 300 MB


class Browser:
    """Renders pages, one at a time, each in a browser of its own."""

    def __init__(self, executable: str, bounds: RenderBounds | None = None) -> None:
        self._executable = executable
        self._bounds = bounds or RenderBounds()
        self._turn = asyncio.Lock()

    async def render(self, page: Fetched, get: ScriptFetch) -> Fetched:
        """Return the page as its scripts made it; ``get`` fetches what they ask for, under all guards.

        Raises NotRendered.
        """
        deadline = self._bounds.deadline_s
        try:
            async with self._turn, asyncio.timeout(deadline):
                html = await self._run(page, get)
        except TimeoutError as error:
            raise NotRendered(f"{page.url} was not done with its scripts within {deadline:g} s.") from error
        except (BrowserFailed, OSError) as error:
            raise NotRendered(f"{page.url} could not be rendered: {error}") from error
        if not html:
            raise NotRendered(f"{page.url} left no page, or one of more than {self._bounds.max_elements:,} elements.")
        headers = {**page.headers, "content-type": "text/html; charset=utf-8"}
        return replace(page, body=html.encode("utf-8", "replace"), headers=headers, content_type="text/html")

    async def _run(self, page: Fetched, get: ScriptFetch) -> str:
        bounds = self._bounds
        requests = RequestInterceptor(page, get, max_requests=bounds.max_requests, max_bytes=bounds.max_bytes)
        with run_browser(self._executable) as browser:
            view = _View(requests)
            view.devtools = await DevTools.connect(browser, view.told)
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
    """End a browser that takes too much memory."""
    while memory_used(pid) <= max_memory:  # noqa: ASYNC110 (no event tells of memory)
        await asyncio.sleep(0.2)
    kill(pid)


class _View:
    """The browser's one page."""

    devtools: DevTools

    def __init__(self, requests: RequestInterceptor) -> None:
        self._requests = requests
        self._session = self._frame = ""
        self._loaded = asyncio.Event()
        self._told: set[asyncio.Task[Any]] = set()

    def told(self, method: str, about: dict[str, Any]) -> None:
        """Hear what the browser tells."""
        if method == "Fetch.requestPaused":
            self._requests.paused(self.devtools, about)
        elif method == "Page.domContentEventFired":
            self._loaded.set()
        elif method == "Page.javascriptDialogOpening":  # alert() would wait for ever
            answering = asyncio.ensure_future(self._call("Page.handleJavaScriptDialog", accept=False))
            self._told.add(answering)
            answering.add_done_callback(self._forget)

    async def open(self, url: str) -> None:
        """Load the page, every request of which is held back."""
        call = self.devtools.call
        context = (await call("Target.createBrowserContext"))["browserContextId"]  # in memory, not in the profile
        await call("Fetch.enable", patterns=[{"urlPattern": "*"}])
        await call("Browser.setDownloadBehavior", behavior="deny", browserContextId=context)
        made = await call("Target.createTarget", url="about:blank", browserContextId=context)
        attached = await call("Target.attachToTarget", targetId=made["targetId"], flatten=True)
        self._session = attached["sessionId"]
        await self._call("Page.enable")
        await self._call("Network.enable")
        await self._call("Network.setBypassServiceWorker", bypass=True)
        await self._call("Page.addScriptToEvaluateOnNewDocument", source=_REMOVED_APIS)
        self._frame = (await self._call("Page.navigate", url=url))["frameId"]

    async def settle(self, bounds: RenderBounds) -> None:
        """Wait until the page asks for nothing more, or for as long as it may."""
        latest = time.monotonic() + bounds.longest_s
        with suppress(TimeoutError):
            async with asyncio.timeout(bounds.longest_s):
                await self._loaded.wait()
        while (now := time.monotonic()) < latest:
            if self._requests.is_quiet and now - self._requests.quiet_since >= bounds.settled_s:
                return
            await asyncio.sleep(0.05)

    async def html(self, bounds: RenderBounds) -> str:
        """What is seen of the page, as HTML; "" where it is too large."""
        world = await self._call("Page.createIsolatedWorld", frameId=self._frame)
        script = _SNAPSHOT % {"most": bounds.max_elements, "chars": bounds.max_chars}
        said = await self._call(
            "Runtime.evaluate", expression=script, contextId=world["executionContextId"], returnByValue=True
        )
        if "exceptionDetails" in said:
            raise BrowserFailed("its elements could not be read")
        return str(said["result"].get("value", ""))

    async def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return await self.devtools.call(method, session=self._session, **parameters)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._told.discard(task)
        if not task.cancelled():
            task.exception()  # a dialog that is gone already needs no answer
