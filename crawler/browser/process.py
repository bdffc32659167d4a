"""Run Chromium as a process: find it, start it on a pair of pipes in a folder of its own, end it with its children."""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from domain.errors import WellreadError

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
#: the user that the browser runs as where we are root; it owns nothing but the browser's folder
NOBODY: Final = 65_534
#: file descriptors from here on are not those of the browser's commands (3) and answers (4)
_HIGH: Final = 10
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_LAUNCHER: Final = Path(__file__).with_name("launcher.py")
_OPTIONS: Final = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--no-default-browser-check",
)
#: all traffic goes through DevTools: no name resolves, not even the proxy's, and no address bypasses the proxy
OFFLINE_OPTIONS: Final = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://127.0.0.1:1",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--dns-over-https-mode=off",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-extensions",
    "--disable-default-apps",
    "--disable-client-side-phishing-detection",
    "--no-pings",
    "--metrics-recording-only",
    "--disable-breakpad",
    "--block-new-web-contents",
    "--deny-permission-prompts",
    "--mute-audio",
    "--renderer-process-limit=1",
    "--blink-settings=imagesEnabled=false",
    "--js-flags=--max-old-space-size=512",
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

    Raises NoChromium where a path was given and no program is there.
    """
    if setting == "off":
        return ""
    if setting != "auto":
        if path := shutil.which(setting):
            return path
        raise NoChromium(f"{setting} cannot be run: set WELLREAD_CHROMIUM to Chromium's path, auto or off.")
    return next((path for name in _NAMES if (path := shutil.which(name))), "")


@contextmanager
def run_browser(executable: str, *, options: Sequence[str] = (), offline: bool = True) -> Iterator[BrowserProcess]:
    """Run a browser until the block ends; then none of its processes and files is left.

    ``offline`` takes it off the network: DevTools must answer its requests.
    """
    profile = tempfile.mkdtemp(prefix="wellread-chromium-")
    commands_in, commands_out = _pipe()
    answers_in, answers_out = _pipe()
    if os.geteuid() == 0:  # its sandbox does not run as root, so the launcher gives that up
        os.chown(profile, NOBODY, NOBODY)
    command = [
        executable,
        *_OPTIONS,
        *(OFFLINE_OPTIONS if offline else ()),
        *options,
        f"--user-data-dir={profile}",
    ]
    process = subprocess.Popen(  # noqa: S603 (the operator's own setting names the program)
        [
            sys.executable,
            "-I",
            str(_LAUNCHER),
            str(commands_in),
            str(answers_out),
            "offline" if offline else "online",
            str(NOBODY),
            *command,
        ],
        pass_fds=(commands_in, answers_out),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=profile,
        env=_environment(profile),
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
    """Return the private memory of all processes of a browser, in bytes; 0 where the system does not tell."""
    return sum(_private(stat.parent) for stat in Path("/proc").glob("[0-9]*/stat") if _session(stat) == pid)


def _session(stat: Path) -> int:
    try:
        return int(stat.read_text().rpartition(")")[2].split()[3])
    except (OSError, ValueError, IndexError):
        return 0


def _private(process: Path) -> int:
    try:
        _, resident, shared = map(int, (process / "statm").read_text().split()[:3])
    except (OSError, ValueError):
        return 0
    return (resident - shared) * _PAGE


def _environment(profile: str) -> dict[str, str]:
    """Return the environment it needs to run, without our keys and passwords."""
    inherited = {name: value for name in ("PATH", "LANG", "TZ") if (value := os.environ.get(name))}
    return {**inherited, "HOME": profile, "XDG_RUNTIME_DIR": profile, "TMPDIR": profile}


def _pipe() -> tuple[int, int]:
    pair = os.pipe()
    high = tuple(fcntl.fcntl(kill, fcntl.F_DUPFD_CLOEXEC, _HIGH) for kill in pair)
    for kill in pair:
        os.close(kill)
    return high[0], high[1]
