"""A page of our own in Chromium, driven by the DevTools protocol: no port, no further package."""

from __future__ import annotations

import asyncio
import atexit
import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from fastapi import FastAPI

from crawler.browser.chromium import BrowserProcess, DevTools, run_browser
from tests.api.conftest import serving

#: a screen on a desk
DESK: Final = (1280, 860)


class Tab:
    """One page of a browser, whose cookies, stored values and permissions no other page has."""

    def __init__(self, runner: asyncio.Runner, browser: BrowserProcess) -> None:
        self._runner = runner
        self._session = self._context = ""
        self.complaints: list[str] = []  #: uncaught errors, console errors, violations of the content security policy
        self._devtools = runner.run(DevTools.connect(browser, self._note))

    def begin(self) -> None:
        """Begin as in a browser that was just installed."""
        self.complaints.clear()
        self._context = self._call_browser("Target.createBrowserContext")["browserContextId"]
        self.renew()

    def end(self) -> None:
        """Close all pages; nothing that they kept is left."""
        self._call_browser("Target.disposeBrowserContext", browserContextId=self._context)
        self._session = self._context = ""

    def renew(self) -> None:
        """Go on in a page of its own, with a session of its own: what the last one kept is not there."""
        self._session = ""
        target = self._call("Target.createTarget", url="about:blank", browserContextId=self._context)["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self._call(f"{domain}.enable")

    @property
    def faults(self) -> list[str]:
        """The complaints that are faults of the page: a browser also writes a line for each answer that is an error."""
        return [each for each in self.complaints if not each.startswith("Failed to load resource")]

    def open(self, url: str) -> None:
        """Load a page."""
        self._call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        said = self._call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True
        )
        assert "exceptionDetails" not in said, said
        return said["result"].get("value")

    def wait(self, condition: str, within_s: float = 60.0) -> None:
        """Wait until an expression is true in the page."""
        until = time.monotonic() + within_s
        while not self.run(f"Boolean({condition})"):
            assert time.monotonic() < until, (
                f"never true: {condition}; {self.complaints}; {self.run('document.body.innerText')}"
            )
            time.sleep(0.03)

    def click(self, text: str, within: str = "body") -> None:
        """Press the button or link with this text, once it is there."""
        found = (
            f"[...document.querySelectorAll({json.dumps(f'{within} button, {within} a')})]"
            f".find((each) => each.innerText === {json.dumps(text)})"
        )
        self.wait(found)
        self.run(f"{found}.click()")

    def fill(self, selector: str, text: str) -> None:
        """Write into a field, or choose in a list, as its reader would, once it is there."""
        self.wait(f"document.querySelector({json.dumps(selector)})")
        self.run(
            f"{{ const field = document.querySelector({json.dumps(selector)}); field.value = {json.dumps(text)};"
            "field.dispatchEvent(new Event('input', { bubbles: true }));"
            "field.dispatchEvent(new Event('change', { bubbles: true })); }"
        )

    def press(self, key: str, *, control: bool = False) -> None:
        """Press a key."""
        for kind in ("keyDown", "keyUp"):
            self._call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=2 if control else 0)

    def copied(self) -> str:
        """The text in the clipboard."""
        permissions = ["clipboardReadWrite"]
        self._call_browser("Browser.grantPermissions", permissions=permissions, browserContextId=self._context)
        self._call("Page.bringToFront")
        return str(self.run("navigator.clipboard.readText()"))

    def save_into(self, folder: Path) -> None:
        """Have what is saved from now on written into a folder."""
        _open_to_all(folder, 0o777)
        where = {"downloadPath": str(folder), "browserContextId": self._context}
        self._call_browser("Browser.setDownloadBehavior", behavior="allow", **where)

    def choose(self, selector: str, *files: Path) -> None:
        """Choose files of this machine in a field, as its reader would."""
        for each in files:
            _open_to_all(each, 0o644)
        self.wait(f"document.querySelector({json.dumps(selector)})")
        node = self._call("Runtime.evaluate", expression=f"document.querySelector({json.dumps(selector)})")
        self._call("DOM.setFileInputFiles", files=[str(each) for each in files], objectId=node["result"]["objectId"])

    def text(self, selector: str) -> str:
        """The text of an element as a reader sees it."""
        return str(self.run(f"document.querySelector({json.dumps(selector)}).innerText"))

    def resize(self, width: int, height: int, *, dark: bool = False) -> None:
        """Look at the page on another screen."""
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self) -> str:
        """What is seen of the page as a small WebP, base64."""
        return str(self._call("Page.captureScreenshot", format="webp", quality=80)["data"])

    def close(self) -> None:
        """Let go of the browser."""
        self._runner.run(self._devtools.close())

    def _call(self, method: str, **parameters: Any) -> Any:
        return self._runner.run(self._answer(method, **parameters))

    def _call_browser(self, method: str, **parameters: Any) -> Any:
        return self._runner.run(self._devtools.call(method, **parameters))

    async def _answer(self, method: str, **parameters: Any) -> Any:
        async with asyncio.timeout(60):
            return await self._devtools.call(method, session=self._session, **parameters)

    def _note(self, method: str, about: dict[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            self.complaints.append(str(about["exceptionDetails"]))
        elif method == "Log.entryAdded" and about["entry"]["level"] == "error":
            self.complaints.append(f"{about['entry']['text']} {about['entry'].get('url', '')}")


def _open_to_all(path: Path, mode: int) -> None:
    """Let any user reach a path: a browser that root starts runs as nobody."""
    path.chmod(mode)
    for folder in path.parents:
        if folder.is_relative_to(tempfile.gettempdir()) and folder.owner() == path.owner():
            folder.chmod(folder.stat().st_mode | 0o011)


@contextmanager
def opened(app: FastAPI) -> Iterator[Tab]:
    """The web page of an application in a browser, if there is one here."""
    with serving(app) as url, opened_at(url) as tab:
        yield tab


@contextmanager
def opened_at(url: str) -> Iterator[Tab]:
    """The web page at an address in a browser, if there is one here."""
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    if executable is None:
        pytest.skip("no Chromium here")
    with browser(executable) as tab:
        tab.open(url)
        yield tab


@contextmanager
def browser(executable: str) -> Iterator[Tab]:
    """An empty page, which ends with the block; the browser is the same for all tests of this process."""
    tab = _running(executable)
    tab.begin()
    try:
        yield tab
    finally:
        tab.end()


#: what ends with this process
_until_the_end = ExitStack()
atexit.register(_until_the_end.close)


@cache
def _running(executable: str) -> Tab:
    runner = _until_the_end.enter_context(asyncio.Runner())
    tab = Tab(runner, _until_the_end.enter_context(run_browser(executable, offline=False)))
    _until_the_end.callback(tab.close)
    return tab
