"""Starts processes, restarts them when they die, and leaves none behind.

A child that dies is restarted after a pause that grows while it keeps dying. Children die with the supervisor: where
the kernel tells them of its death (Linux), not even ``kill -9`` of it leaves an orphan.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from domain.errors import WellreadError

log = structlog.get_logger()

#: a child that lived this long starts again with the shortest pause
STEADY_S = 30.0
MAX_PAUSE_S = 15.0
#: of a program that is run to its end, and was killed
MOST_RUNS = 3
#: a child's log is cut at this size; what it held before is kept next to it, as NAME.log.1
MAX_LOG_BYTES = 20_000_000
#: becomes the program of its arguments after two: it gets the second, a signal, when its parent, the first, dies
_BECOME = """
import ctypes, os, sys
if sys.platform == "linux": ctypes.CDLL(None).prctl(1, int(sys.argv[2]), 0, 0, 0)
if os.getppid() != int(sys.argv[1]): sys.exit(1)
try: os.execvp(sys.argv[3], sys.argv[3:])
except OSError as error: sys.exit(f"{sys.argv[3]}: {error.strerror}")
"""


class StartError(WellreadError):
    """A child could not be started or died at once; the message shows the end of its log."""


@dataclass(frozen=True, kw_only=True)
class Program:
    """One child to keep running."""

    name: str
    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    stop_s: float = 25.0  #: how long it may take to stop before it is killed
    stops_last: bool = False  #: the others need it while they stop
    death_signal: signal.Signals = signal.SIGKILL  #: sent by the kernel when the supervisor dies


def of_ours(module: str, *arguments: str) -> tuple[str, ...]:
    """Return the command that runs a module of ours."""
    return (sys.executable, "-P", "-m", module, *arguments)  # -P: a folder of the user's called `api` is not ours


@dataclass(kw_only=True)
class _Child:
    program: Program
    process: subprocess.Popen[bytes]
    started_at: float
    failures: int = 0
    restart_at: float | None = None


class Supervisor:
    """Keeps programs running: call ``start``, then ``restart_dead`` again and again, then ``stop``, never two at once.

    The thread that calls may end before the children do.
    """

    def __init__(self, log_dir: Path, on_restart: Callable[[str, int], None] | None = None) -> None:
        self._log_dir = log_dir
        self._children: dict[str, _Child] = {}
        self._on_restart = on_restart or (lambda name, code: None)
        # to the kernel a child's parent is the thread that starts it, which must live as long
        self._starter = ThreadPoolExecutor(1, thread_name_prefix="starter")

    def start(self, program: Program) -> None:
        """Start a program and keep it running from now on."""
        process = self._spawn(program)
        self._children[program.name] = _Child(program=program, process=process, started_at=time.monotonic())

    def run(self, program: Program) -> None:
        """Run a program to its end, again where it was killed; raises StartError with what it said where it fails."""
        for _ in range(MOST_RUNS):
            self._log_path(program.name).unlink(missing_ok=True)
            process = self._spawn(program)
            try:
                process.wait()
            except BaseException:  # Ctrl-C: let it roll back
                process.send_signal(signal.SIGINT)
                process.wait(program.stop_s)
                raise
            if process.returncode >= 0:
                break
        if process.returncode:
            said = self.log_tail(program.name)
            raise StartError(said or f"{program.name} ended with the exit code {process.returncode}.")

    def pids(self) -> dict[str, int]:
        """Return the children's process ids, by name."""
        return {name: child.process.pid for name, child in self._children.items()}

    def is_alive(self, name: str) -> bool:
        """Return whether a child is running."""
        return self._children[name].process.poll() is None

    def has_failed(self, name: str, most_deaths: int) -> bool:
        """Return whether a child ended with an error of its own, or was killed this often since it was started."""
        child = self._children[name]
        code = child.process.poll()
        return code is not None and (code >= 0 or child.failures >= most_deaths)

    def restart_dead(self) -> None:
        """Restart the dead children that are due; call it a few times a second."""
        now = time.monotonic()
        for child in self._children.values():
            name, code = child.program.name, child.process.poll()
            if code is None:
                continue
            if child.restart_at is None:
                child.failures = 0 if now - child.started_at > STEADY_S else child.failures + 1
                pause = min(MAX_PAUSE_S, 0.25 * 2.0 ** max(0, child.failures - 1))
                child.restart_at = now + pause
                log.warning("child_died", child=name, exit_code=code, restart_in_s=pause)
                self._on_restart(name, code)
            elif now >= child.restart_at:
                try:
                    child.process, child.started_at, child.restart_at = self._spawn(child.program), now, None
                except OSError as error:  # no memory, no more processes, a full disk
                    log.warning("child_not_started", child=name, error=str(error))
                    child.restart_at = now + MAX_PAUSE_S

    def rotate_logs(self, most_bytes: int = MAX_LOG_BYTES) -> None:
        """Move what a log holds aside once it is too large; its child writes on into the same file."""
        for path in map(self._log_path, self._children):
            if path.exists() and path.stat().st_size > most_bytes:
                with suppress(OSError):  # the disk is full: what is cut off gives some of it back
                    shutil.copyfile(path, path.with_suffix(".log.1"))
                os.truncate(path, 0)  # it is open for appending: the next line is written at its beginning

    def stop(self) -> None:
        """Stop all children, the last started first; kill those that take too long."""
        last = [child for child in self._children.values() if child.program.stops_last]
        first = [child for child in reversed(self._children.values()) if not child.program.stops_last]
        for together in (first, last):
            for child in together:
                child.process.send_signal(signal.SIGTERM)
            for child in together:
                _end(child.process, child.program.stop_s)
        self._children.clear()
        self._starter.shutdown()

    def log_tail(self, name: str, lines: int = 15) -> str:
        """Return the end of a child's log."""
        path = self._log_path(name)
        return "\n".join(path.read_text(errors="replace").splitlines()[-lines:]) if path.exists() else ""

    def _spawn(self, program: Program) -> subprocess.Popen[bytes]:
        self._log_dir.mkdir(parents=True, exist_ok=True)
        become = (sys.executable, "-I", "-S", "-c", _BECOME, str(os.getpid()), str(int(program.death_signal)))

        def start() -> subprocess.Popen[bytes]:
            with self._log_path(program.name).open("ab") as output:
                return subprocess.Popen(  # noqa: S603 (its own command line)
                    (*become, *program.command),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    env={"PYTHONUNBUFFERED": "1", **os.environ, **program.env},
                    process_group=0,  # Ctrl-C reaches the supervisor alone, which stops the programs in order
                )

        return self._starter.submit(start).result()

    def _log_path(self, name: str) -> Path:
        return self._log_dir / f"{name}.log"


def _end(process: subprocess.Popen[bytes], within_s: float) -> None:
    try:
        process.wait(within_s)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_until(
    ready: Callable[[], bool], *, within_s: float, every_s: float = 0.05, meanwhile: Callable[[], None] = lambda: None
) -> bool:
    """Wait until ``ready()``, and do ``meanwhile()`` between the checks; False when the time is up."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if ready():
            return True
        meanwhile()
        time.sleep(every_s)
    return ready()
