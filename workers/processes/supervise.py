"""Starts processes, restarts them when they die, and leaves none behind.

A child that dies is restarted after a pause that grows while it keeps dying. Children die with the supervisor
(:mod:`workers.processes.parent_death`): not even ``kill -9`` of it leaves an orphan. To the kernel a child's parent is
the thread that started it, so one thread starts them all and lives until they have stopped.
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
from workers.processes import parent_death
from workers.processes.fork_server import Forked, ForkServer

log = structlog.get_logger()

#: a child that lived this long starts again with the shortest pause
STEADY_S = 30.0
MAX_PAUSE_S = 15.0
#: of a program that is run to its end, and was killed
MOST_RUNS = 3
#: how long the end of a killed child is waited for
KILLED_S = 5.0
#: elsewhere libraries that a process has begun to use do not survive a fork, nor do children end with a killed parent
FORKS = sys.platform == "linux"
#: a child's log is cut at this size; what it held before is kept beside it, as NAME.log.1
MAX_LOG_BYTES = 20_000_000
#: the name of its log
FORK_SERVER = "fork-server"
#: a child: one of Wellread's programs, or another's
Process = subprocess.Popen[bytes] | Forked


class StartError(WellreadError):
    """A child could not be started or died at once; the message shows the end of its log."""


@dataclass(frozen=True, kw_only=True)
class Program:
    """One child to keep running."""

    name: str
    command: tuple[str, ...]
    #: what it shares with others of its kind (:meth:`ForkServer.fork`); its command is then what follows ``python -m``
    shares: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    stop_s: float = 25.0  #: how long it may take to stop before it is killed
    stops_last: bool = False  #: the others need it while they stop
    death_signal: signal.Signals = signal.SIGKILL  #: sent by the kernel when the supervisor dies


@dataclass(kw_only=True)
class _Child:
    program: Program
    process: Process
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
        self._spawner = ThreadPoolExecutor(1, thread_name_prefix="spawner")
        self._fork_server = ForkServer(self._log_path(FORK_SERVER))
        self._on_restart = on_restart or (lambda name, code: None)

    def start(self, program: Program) -> None:
        """Start a program and keep it running from now on."""
        self._log_dir.mkdir(parents=True, exist_ok=True)
        self._children[program.name] = _Child(
            program=program, process=self._spawn(program), started_at=time.monotonic()
        )

    def run(self, program: Program) -> None:
        """Run a program to its end, again where it was killed; raises StartError with what it said where it fails."""
        self._log_dir.mkdir(parents=True, exist_ok=True)
        for _ in range(MOST_RUNS):
            code = self._run_once(program)
            if code >= 0:
                break
        if code:
            raise StartError(self.log_tail(program.name) or f"{program.name} ended with the exit code {code}.")

    def _run_once(self, program: Program) -> int:
        self._log_path(program.name).unlink(missing_ok=True)
        process = self._spawn(program)
        try:
            return process.wait()
        except BaseException:  # Ctrl-C: let it roll back
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(program.stop_s)
            raise

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
            code = child.process.poll()
            if code is None:
                continue
            if child.restart_at is None:
                self._plan_restart(child, code, now)
            elif now >= child.restart_at:
                self._restart(child, now)

    def rotate_logs(self, most_bytes: int = MAX_LOG_BYTES) -> None:
        """Move what a log holds aside once it is too large; its child writes on into the same file."""
        for path in map(self._log_path, (*self._children, FORK_SERVER)):
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
                _signal(child.process, signal.SIGTERM)
            for child in together:
                _end(child.process, child.program.stop_s)
        self._children.clear()
        self._fork_server.stop()
        self._spawner.shutdown()

    def log_tail(self, name: str, lines: int = 15) -> str:
        """Return the end of a child's log; of one that said nothing, that of the server which was to fork it."""
        texts = (path.read_text(errors="replace") for path in map(self._log_path, (name, FORK_SERVER)) if path.exists())
        text = next(filter(None, texts), "")
        return "\n".join(text.splitlines()[-lines:])

    def _restart(self, child: _Child, now: float) -> None:
        try:
            child.process, child.started_at, child.restart_at = self._spawn(child.program), now, None
        except OSError as error:  # no memory, no more processes, a full disk
            log.warning("child_not_started", child=child.program.name, error=str(error))
            child.restart_at = now + MAX_PAUSE_S

    def _plan_restart(self, child: _Child, code: int, now: float) -> None:
        child.failures = 0 if now - child.started_at > STEADY_S else child.failures + 1
        pause = min(MAX_PAUSE_S, 0.25 * 2.0 ** max(0, child.failures - 1))
        child.restart_at = now + pause
        log.warning("child_died", child=child.program.name, exit_code=code, restart_in_s=pause)
        self._on_restart(child.program.name, code)

    def _spawn(self, program: Program) -> Process:
        spawn: Callable[[Program], Process] = self._fork if program.shares and FORKS else self._run
        return self._spawner.submit(spawn, program).result()

    def _fork(self, program: Program) -> Forked:
        log_path = self._log_path(program.name)
        log_path.touch(0o600)  # it is there before the program is
        return self._fork_server.fork(
            program.command,
            shares=program.shares,
            env={**os.environ, **program.env},
            log=log_path,
            death_signal=program.death_signal,
        )

    def _run(self, program: Program) -> subprocess.Popen[bytes]:
        with self._log_path(program.name).open("ab") as output:
            return subprocess.Popen(  # noqa: S603 (the supervisor's own command line)
                (*parent_death.command(os.getpid(), program.death_signal), *_alone(program)),
                env={**os.environ, "PYTHONUNBUFFERED": "1", **program.env},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C reaches the supervisor alone, which stops the children in order
            )

    def _log_path(self, name: str) -> Path:
        return self._log_dir / f"{name}.log"


def _alone(program: Program) -> tuple[str, ...]:
    """Return the command line of a program that is not forked."""
    # -P: a folder of the user's called `api` is not ours
    return (sys.executable, "-P", "-m", *program.command) if program.shares else program.command


def _signal(process: Process, number: signal.Signals) -> None:
    if process.poll() is None:
        process.send_signal(number)


def _end(process: Process, within_s: float) -> None:
    if isinstance(process, Forked) and not process.has_begun:
        return  # it ends with the server
    try:
        process.wait(timeout=within_s)
    except subprocess.TimeoutExpired:
        _kill_group(process)
        with suppress(subprocess.TimeoutExpired):  # a server that stands still says nothing of it
            process.wait(timeout=KILLED_S)


def _kill_group(process: Process) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        process.kill()


def wait_until(ready: Callable[[], bool], *, within_s: float, meanwhile: Callable[[], None] = lambda: None) -> bool:
    """Wait until ``ready()``, and do ``meanwhile()`` between the checks; False when the time is up."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if ready():
            return True
        meanwhile()
        time.sleep(0.05)
    return ready()
