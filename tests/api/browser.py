"""Chromium, driven over a pair of pipes by the DevTools protocol: no port, no further package."""

from __future__ import annotations

import fcntl
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

#: file descriptors beyond those that the browser reads its commands from (3) and writes its answers to (4)
_HIGH = 10
_LAUNCH = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
)
_OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe")


class Tab:
    """One page of a browser."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._buffer, self._count, self._session = b"", 0, ""
        self.complaints: list[str] = []  #: uncaught errors, console errors, violations of the content security policy
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self._call(f"{domain}.enable")

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

    def wait(self, condition: str, within_s: float = 10.0) -> None:
        """Wait until an expression is true in the page."""
        until = time.monotonic() + within_s
        while not self.run(f"Boolean({condition})"):
            assert time.monotonic() < until, (
                f"never true: {condition}; {self.complaints}; {self.run('document.body.innerText')}"
            )
            time.sleep(0.03)

    def text(self, selector: str) -> str:
        """The text of an element as a reader sees it."""
        return str(self.run(f"document.querySelector({json.dumps(selector)}).innerText"))

    def resize(self, width: int, height: int, *, dark: bool = False) -> None:
        """Look at the page on another screen."""
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])

    def screenshot(self) -> str:
        """The page as a PNG, base64."""
        return str(self._call("Page.captureScreenshot", captureBeyondViewport=True)["data"])

    def _call(self, method: str, **parameters: Any) -> Any:
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                return answer["result"]
            self._note(answer)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], 20)
            assert ready, "the browser does not answer"
            piece = os.read(self._answers, 65536)
            assert piece, "the browser ended"
            self._buffer += piece
        line, _, self._buffer = self._buffer.partition(b"\0")
        said: dict[str, Any] = json.loads(line)
        return said

    def _note(self, said: dict[str, Any]) -> None:
        about = said.get("params", {})
        if said.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(str(about["exceptionDetails"]))
        elif said.get("method") == "Log.entryAdded" and about["entry"]["level"] == "error":
            self.complaints.append(f"{about['entry']['text']} {about['entry'].get('url', '')}")


@contextmanager
def browser(executable: str, profile: Path) -> Iterator[Tab]:
    """A browser with one empty page; ends with the block."""
    commands_in, commands_out = _pipe()
    answers_in, answers_out = _pipe()
    command = [executable, *_OPTIONS, f"--user-data-dir={profile}"]
    process = subprocess.Popen(
        [sys.executable, "-c", _LAUNCH, str(commands_in), str(answers_out), *command],
        pass_fds=(commands_in, answers_out),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(commands_in)
    os.close(answers_out)
    try:
        yield Tab(commands_out, answers_in)
    finally:
        os.close(commands_out)  # it ends when nobody can command it any longer
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(answers_in)


def _pipe() -> tuple[int, int]:
    pair = os.pipe()
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _HIGH) for end in pair)
    for end in pair:
        os.close(end)
    return high[0], high[1]
