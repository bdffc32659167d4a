"""Starts programs from a process that has loaded what they share: they begin at once, and it is there once.

Run as a program it reads requests from its standard input, a line of JSON each, and forks for each; its standard
output tells who was started and who ended. However its parent dies, it dies too, and its children with it. Without
``prctl`` (macOS) a parent that ends in order still stops its children, a killed one does not.
"""

import atexit
import ctypes
import gc
import json
import os
import runpy
import select
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Final, NoReturn

from setproctitle import setproctitle

#: how long a program may take to be forked: it waits until what it shares is loaded
FORK_S: Final = 60.0
#: how long it may take to end when its input has
END_S: Final = 10.0
#: sent to a whole group, they are for the programs: the server ends with its input
_STOPPING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
#: who ended with the server
_KILLED: Final = -int(signal.SIGKILL)
_PR_SET_PDEATHSIG: Final = 1
#: whether the kernel sends a process a signal when its parent dies; elsewhere what the server started outlives it
_KERNEL_TELLS: Final = sys.platform == "linux"


class ForkError(Exception):
    """The server ended, or did not answer."""


class Forked:
    """A program that was forked."""

    def __init__(self, death_signal: int) -> None:
        self.code: int | None = None  #: its exit status once it has ended, as `subprocess.Popen` gives it
        self.started, self.ended = threading.Event(), threading.Event()
        self._pid, self._death_signal = 0, death_signal

    @property
    def pid(self) -> int:
        """Its process id; waits until it has one, and raises ForkError where it gets none."""
        if not self.started.wait(FORK_S) or not self._pid:
            raise ForkError("A program was not started.")
        return self._pid

    def send_signal(self, number: signal.Signals) -> None:
        """Send it a signal unless it has not begun or has ended."""
        with suppress(ProcessLookupError):
            if self._pid and self.code is None:
                os.kill(self._pid, number)

    def has_started(self, pid: int) -> None:
        """Note its process id."""
        self._pid = pid
        self.started.set()

    def has_ended(self, code: int) -> None:
        """Note its exit status."""
        self.code = code
        self.ended.set()
        self.started.set()

    def has_lost_server(self) -> None:
        """Note that it ended with its server; one that may put away what it holds is waited for, then killed."""
        give_up = time.monotonic() + END_S
        with suppress(ProcessLookupError):
            if self._pid and not _KERNEL_TELLS:
                os.killpg(self._pid, self._death_signal)
            while self._pid and self._death_signal != signal.SIGKILL:
                with suppress(ChildProcessError):  # the first process of a container inherits it
                    os.waitpid(self._pid, os.WNOHANG)
                os.kill(self._pid, 0 if time.monotonic() < give_up else signal.SIGKILL)
                if time.monotonic() > give_up:
                    break
                time.sleep(0.05)
        self.has_ended(_KILLED)


class ForkServer:
    """A fork server as its supervisor sees it; it is started with the first program, and again once it has died."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._asked: list[Forked] = []  #: which it has not told of yet, in their order
        self._changing = threading.Lock()
        self._shares = True
        # to the kernel the server's parent is the thread that starts it, which must live as long as the programs
        self._starter = ThreadPoolExecutor(1, thread_name_prefix="fork-server")

    def fork(
        self,
        command: Sequence[str],
        *,
        is_module: bool = True,
        shares: Sequence[str] = (),
        env: Mapping[str, str],
        log: Path,
        death_signal: int,
    ) -> Forked:
        """Run a command, or ``python -m`` with these arguments; returns before it has started.

        Its output is appended to ``log``. ``shares``: what the server loads before it forks: modules, or as
        "module:function" what is called once. None of it may read the environment, which is each program's own, or
        start a thread. Nothing is loaded any more once a server has died over it.
        """
        forked = Forked(death_signal)
        with self._changing:
            if self._process is not None and self._process.poll() is not None:
                self._end()
            server = self._process = self._process or self._starter.submit(self._launch).result()
            assert server.stdin is not None
            request = {
                "command": command,
                "is_module": is_module,
                "shares": shares if self._shares else [],
                "env": dict(env),
                "log": str(log),
                "death_signal": int(death_signal),
            }
            self._asked.append(forked)
            try:
                server.stdin.write(json.dumps(request).encode() + b"\n")
                server.stdin.flush()
            except BrokenPipeError:  # it has just died
                forked.has_ended(_KILLED)
        return forked

    def stop(self) -> None:
        """End the server; programs that still run end with it."""
        self._end()
        self._starter.shutdown()

    def _end(self) -> None:
        if self._process is None or self._process.stdin is None:
            return
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:  # it stands still
            self._process.kill()
            self._process.wait()
        self._process = None

    def _launch(self) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as output:
            server = subprocess.Popen(  # noqa: S603 (its own command line)
                # -P: a folder of the user's called `workers` is not ours
                (sys.executable, "-P", "-m", __name__, str(os.getpid())),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
                start_new_session=True,  # Ctrl-C reaches the supervisor alone, which stops the programs in order
            )
        self._asked = []
        threading.Thread(target=self._listen, args=(server, self._asked), daemon=True).start()
        return server

    def _listen(self, server: subprocess.Popen[bytes], asked: list[Forked]) -> None:
        """Note what the server tells until it ends, or tells what is not understood."""
        running: dict[int, Forked] = {}
        try:
            assert server.stdout is not None
            with server.stdout:
                for line in server.stdout:
                    told = json.loads(line)
                    if "code" not in told:
                        running[told["pid"]] = forked = asked.pop(0)
                        forked.has_started(told["pid"])
                    elif not told["pid"]:  # it could not be forked
                        asked.pop(0).has_ended(told["code"])
                    elif ended := running.pop(told["pid"], None):  # else a library's own child
                        ended.has_ended(told["code"])
        finally:
            self._shares = self._shares and not asked
            server.kill()
            server.wait()
            for forked in (*running.values(), *asked):
                forked.has_lost_server()


def die_with_parent(parent: int, number: signal.Signals = signal.SIGKILL) -> None:
    """Ask the kernel to send this process a signal when its parent dies; does nothing where it cannot.

    A process whose parent died before that ends at once.
    """
    if _KERNEL_TELLS:
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def main() -> None:
    """Serve until the input ends, or become the program that is asked for."""
    die_with_parent(int(sys.argv[1]))
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
    setproctitle("wellread fork-server")
    server = os.getpid()
    if request := _serve():
        _become(server, **request)
        _run(request["command"])


def _serve() -> dict[str, Any] | None:
    """Fork for each request; return it in the child, and nothing in the server, once its input has ended."""
    told = os.dup(1)
    os.dup2(2, 1)  # what a module prints is nothing that is told
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes)
    signal.signal(signal.SIGCHLD, lambda *_: None)

    def tell(what: Mapping[str, int]) -> None:
        with suppress(BrokenPipeError):
            os.write(told, json.dumps(what).encode() + b"\n")  # short: written whole

    loaded = set[str]()
    for request in _requests(woken):
        if request is None:
            with suppress(ChildProcessError):
                while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                    tell({"pid": ended[0], "code": os.waitstatus_to_exitcode(ended[1])})
            continue
        shares = request.pop("shares")
        _load([name for name in shares if name not in loaded])
        loaded.update(shares)
        try:
            pid = os.fork()
        except OSError as error:  # no memory, or no more processes: the others live on
            sys.stderr.write(f"fork: {error}\n")
            tell({"pid": 0, "code": 1})
            continue
        if not pid:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for end in (told, woken, wakes):
                os.close(end)
            return request
        tell({"pid": pid})
    return None


def _requests(woken: int) -> Iterator[dict[str, Any] | None]:
    """Yield each request from the standard input, and None when a child may have ended."""
    read = b""
    while True:
        ready, _, _ = select.select([0, woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
            yield None
        if 0 in ready:
            part = os.read(0, 1 << 16)
            *lines, read = (read + part).split(b"\n")
            yield from map(json.loads, lines)
            if not part:
                return


def _load(names: Sequence[str]) -> None:
    for name in names:
        with suppress(Exception):  # who needs it says what is wrong with it
            found = resolve_name(name)
            if ":" in name:
                found()
    if names:
        gc.collect()
        gc.freeze()  # the collector writes to all that it looks at, and what is written to is shared no more


def _become(
    server: int, *, command: Sequence[str], is_module: bool, env: Mapping[str, str], log: str, death_signal: int
) -> None:
    """Take on the environment, the log and a session of the program that is asked for; or be it, if no module is."""
    os.setsid()
    die_with_parent(server, signal.Signals(death_signal))
    nothing, output = os.open(os.devnull, os.O_RDONLY), os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    for target, source in ((0, nothing), (1, output), (2, output)):
        os.dup2(source, target)
    os.close(nothing)
    os.close(output)
    os.environ.clear()
    os.environ.update(env)
    for number in _STOPPING:  # whatever the supervisor was started with
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPPING)
    if not is_module:
        try:
            os.execvp(command[0], list(command))  # noqa: S606 (the supervisor's own command line)
        except OSError as error:
            sys.stderr.write(f"{command[0]}: {error.strerror}\n")
            os._exit(127)
    setproctitle(" ".join(("wellread", *command[1:])))
    sys.argv = ["wellread", *command[1:]]


def _run(arguments: Sequence[str]) -> NoReturn:
    """Run a module as ``python -m`` does, and end as a forked process must.

    What libraries would end beyond Python are threads that a fork does not have.
    """
    code = 0
    try:
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if not isinstance(end.code, int | None):
            sys.stderr.write(f"{end.code}\n")
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
