"""Run Chromium as a process, on a pair of pipes in a folder of its own, and speak the DevTools protocol with it."""

import asyncio
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from asyncio.streams import FlowControlMixin
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from domain.errors import WellreadError

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
#: the user that the browser runs as when we are root; it owns nothing but the browser's folder
NOBODY: Final = 65_534
#: file descriptors from here on are not those of the browser's commands (3) and answers (4)
_HIGH: Final = 10
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_LAUNCHER: Final = Path(__file__).with_name("launcher.py")
_OPTIONS: Final = (
    "--headless=new --remote-debugging-pipe --disable-gpu --disable-dev-shm-usage --no-first-run "
    "--no-default-browser-check"
).split()
#: all traffic goes through DevTools: no name resolves, not even the proxy's, and no address bypasses the proxy
OFFLINE_OPTIONS: Final = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    *(
        "--proxy-server=http://127.0.0.1:1 --proxy-bypass-list=<-loopback> "
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp --webrtc-ip-handling-policy=disable_non_proxied_udp "
        "--disable-quic --dns-over-https-mode=off --disable-background-networking --disable-component-update "
        "--disable-domain-reliability --disable-sync --disable-extensions --disable-default-apps "
        "--disable-client-side-phishing-detection --no-pings --metrics-recording-only --disable-breakpad "
        "--block-new-web-contents --deny-permission-prompts --mute-audio --renderer-process-limit=1 "
        "--blink-settings=imagesEnabled=false --js-flags=--max-old-space-size=512"
    ).split(),
    "--disable-features=DialMediaRouteProvider,MediaRouter,OptimizationHints,Translate,WebTransport,AsyncDns,"
    "InterestFeedContentSuggestions,CertificateTransparencyComponentUpdater,AutofillServerCommunication,"
    # a plain http page stays one: else it is asked for as https, which nothing answers, and an error page is rendered
    "HttpsUpgrades,HttpsFirstBalancedMode,HttpsFirstBalancedModeAutoEnable,HttpsFirstModeV2",
)


class NoChromium(WellreadError):
    """There is no Chromium at the path that the setting names."""


class BrowserProcess(NamedTuple):
    """A running browser: its process, a session leader, and our ends of its pipes, which the user of them closes."""

    pid: int
    commands: int
    answers: int


def find_chromium(setting: str) -> str:
    """Return the browser's path for the setting (``auto``, ``off`` or a path); "" for none.

    Raises NoChromium if a path was given and no program is there.
    """
    names = _NAMES if setting == "auto" else () if setting == "off" else (setting,)
    found = next((path for name in names if (path := shutil.which(name))), "")
    if not found and names == (setting,):
        raise NoChromium(f"{setting} cannot be run: set WELLREAD_CHROMIUM to Chromium's path, auto or off.")
    return found


@contextmanager
def run_browser(executable: str, *, offline: bool = True) -> Iterator[BrowserProcess]:
    """Run a browser until the block ends; then none of its processes and files is left.

    ``offline`` takes it off the network: DevTools must answer its requests.
    """
    profile = tempfile.mkdtemp(prefix="wellread-chromium-")
    commands_in, commands_out = _pipe()
    answers_in, answers_out = _pipe()
    if os.geteuid() == 0:  # its sandbox does not run as root, so the launcher gives that up
        os.chown(profile, NOBODY, NOBODY)
    mode, all_options = ("offline", OFFLINE_OPTIONS) if offline else ("online", ())
    command = [executable, *_OPTIONS, *all_options, f"--user-data-dir={profile}"]
    launcher = [sys.executable, "-I", str(_LAUNCHER), str(commands_in), str(answers_out), mode, str(NOBODY)]
    # our keys and passwords are not in its environment
    inherited = {name: value for name in ("PATH", "LANG", "TZ") if (value := os.environ.get(name))}
    process = subprocess.Popen(  # noqa: S603 (the operator's own setting names the program)
        [*launcher, *command],
        pass_fds=(commands_in, answers_out),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=profile,
        env={**inherited, "HOME": profile, "XDG_RUNTIME_DIR": profile, "TMPDIR": profile},
        start_new_session=True,
    )
    os.close(commands_in)
    os.close(answers_out)
    try:
        yield BrowserProcess(process.pid, commands_out, answers_in)
    finally:
        kill(process.pid)
        process.wait()
        shutil.rmtree(profile, ignore_errors=True)


def kill(pid: int) -> None:
    """Kill a browser with all its processes."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def memory_used(pid: int) -> int:
    """Return the private memory of all processes of a browser, in bytes; 0 if the system does not tell."""
    pages = 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):  # it may have ended
            if int((process / "stat").read_text().rpartition(")")[2].split()[3]) == pid:
                _, resident, shared = map(int, (process / "statm").read_text().split()[:3])
                pages += resident - shared
    return pages * _PAGE


def _pipe() -> tuple[int, int]:
    pair = os.pipe()
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _HIGH) for end in pair)
    for end in pair:
        os.close(end)
    return high[0], high[1]


#: bytes of one message; the page controls what the browser sends, so it is bounded too
MAX_MESSAGE = 64_000_000

#: called with each event's method and parameters
OnEvent = Callable[[str, dict[str, Any]], None]


class BrowserFailed(WellreadError):
    """The browser ended, or refused a command."""


class DevTools:
    """A connection to a browser, with a session for each of its targets."""

    def __init__(
        self,
        reading: asyncio.BaseTransport,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        on_event: OnEvent,
    ) -> None:
        self._reading, self._reader, self._writer, self._on_event = reading, reader, writer, on_event
        self._count = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._listening = asyncio.ensure_future(self._listen())

    @classmethod
    async def connect(cls, browser: BrowserProcess, on_event: OnEvent) -> Self:
        """Connect to a browser's pipes; ``on_event`` is called with every event."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=MAX_MESSAGE)
        answers, commands = os.fdopen(browser.answers, "rb", 0), os.fdopen(browser.commands, "wb", 0)
        reading, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), answers)
        transport, protocol = await loop.connect_write_pipe(FlowControlMixin, commands)
        return cls(reading, reader, asyncio.StreamWriter(transport, protocol, None, loop), on_event)

    async def call(self, method: str, *, session: str = "", **parameters: Any) -> dict[str, Any]:
        """Call a method, of the session or else of the browser, and return its result; raises BrowserFailed."""
        self._count += 1
        number = self._count
        message = {"id": number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            if self._listening.done():
                raise BrowserFailed("The browser ended.")
            self._writer.write(json.dumps(message).encode() + b"\0")
            await self._writer.drain()
            return await answer
        except ConnectionError as error:
            raise BrowserFailed("The browser ended.") from error
        finally:
            del self._waiting[number]

    async def close(self) -> None:
        """Close the pipes; the browser then ends."""
        self._listening.cancel()
        with suppress(asyncio.CancelledError):
            await self._listening
        if not self._writer.transport.is_closing():  # a browser that ended has closed it
            self._writer.transport.abort()
        self._reading.close()
        await asyncio.sleep(0)  # the pipes close in the loop's next round

    async def _listen(self) -> None:
        try:
            while True:
                self._receive(json.loads((await self._reader.readuntil(b"\0"))[:-1]))
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ValueError) as error:
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(BrowserFailed(f"The browser ended ({type(error).__name__})."))

    def _receive(self, message: dict[str, Any]) -> None:
        if "id" not in message:
            self._on_event(str(message.get("method", "")), message.get("params", {}))
            return
        answer = self._waiting.get(message["id"])
        if answer is not None and not answer.done():
            if "error" in message:
                answer.set_exception(BrowserFailed(f"The browser refused: {message['error'].get('message', '')}"))
            else:
                answer.set_result(message.get("result", {}))
