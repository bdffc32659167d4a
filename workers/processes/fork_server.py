"""Forks Wellread's programs from a process that has loaded what they share: they begin at once, and it is there once.

Run as a program it reads requests from its standard input, a line of JSON each, and forks for each; its standard
output tells who was started and who ended. It ends with its input, or its parent, and its children end with it.
"""

import atexit
import gc
import json
import os
import runpy
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Final, NoReturn

from setproctitle import setproctitle

from workers.processes import parent_death

#: how long a program may take to be forked: it waits until what it shares is loaded
FORK_S: Final = 60.0
#: how long it may take to end when its input has
END_S: Final = 10.0
#: how often the server looks who has ended, if no signal says so
LOOK_EVERY_S: Final = 1.0
#: signals at which it looks who has ended
_LOOK: Final = (signal.SIGCHLD, signal.SIGALRM)
_STOPPING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
#: who ended with the server
_KILLED: Final = -int(signal.SIGKILL)


class ForkError(Exception):
    """The server ended, or did not answer."""


class Forked:
    """A program that was forked; has what of `subprocess.Popen` its supervisor uses."""

    def __init__(self) -> None:
        self._pid = 0
        self._code: int | None = None
        self._started, self._ended = threading.Event(), threading.Event()

    @property
    def pid(self) -> int:
        """Its process id; waits until it has one, and raises ForkError where it gets none."""
        if not self._started.wait(FORK_S) or not self._pid:
            raise ForkError("A program was not started.")
        return self._pid

    @property
    def has_begun(self) -> bool:
        """Whether it has a process id."""
        return self._pid != 0

    def poll(self) -> int | None:
        """Return its exit status once it has ended: that of `subprocess.Popen`."""
        return self._code

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; raises subprocess.TimeoutExpired."""
        if not self._ended.wait(timeout) or self._code is None:
            raise subprocess.TimeoutExpired(str(self._pid), timeout or 0.0)
        return self._code

    def send_signal(self, number: signal.Signals) -> None:
        """Send it a signal unless it has not begun or has ended."""
        with suppress(ProcessLookupError):
            if self._pid and self._code is None:
                os.kill(self._pid, number)

    def kill(self) -> None:
        """Kill it unless it has ended."""
        self.send_signal(signal.SIGKILL)

    def has_started(self, pid: int) -> None:
        """Note its process id."""
        self._pid = pid
        self._started.set()

    def has_ended(self, code: int) -> None:
        """Note its exit status."""
        self._code = code
        self._ended.set()
        self._started.set()


class ForkServer:
    """A fork server as its supervisor sees it; it is started with the first program, and again once it has died.

    To the kernel its parent is the thread that calls `fork`, which must live as long as the programs.
    """

    def __init__(self, log: Path) -> None:
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._asked: list[Forked] = []  #: which it has not told of yet, in their order
        self._changing = threading.Lock()
        self._shares = True

    def fork(
        self, arguments: Sequence[str], *, shares: Sequence[str], env: Mapping[str, str], log: Path, death_signal: int
    ) -> Forked:
        """Run ``python -m`` with these arguments, its output appended to ``log``; returns before it has started.

        ``shares``: what the server loads before it forks: modules, or as "module:function" what is called once. None of
        it may read the environment, which is each program's own, or start a thread. Nothing is loaded any more once a
        server has died over it.
        """
        forked = Forked()
        with self._changing:
            if self._process is not None and self._process.poll() is not None:
                self.stop()
            if self._process is None:
                self._launch()
            request = {
                "arguments": arguments,
                "shares": shares if self._shares else [],
                "env": dict(env),
                "log": str(log),
                "death_signal": int(death_signal),
            }
            server = self._process
            assert server is not None and server.stdin is not None  # noqa: PT018
            self._asked.append(forked)
            try:
                server.stdin.write(json.dumps(request).encode() + b"\n")
                server.stdin.flush()
            except BrokenPipeError:  # it has just died
                forked.has_ended(_KILLED)
        return forked

    def stop(self) -> None:
        """End the server; programs that still run end with it."""
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

    def _launch(self) -> None:
        # -P: a folder of the user's called `workers` is not ours
        server = (sys.executable, "-P", "-m", __name__)
        with self._log.open("ab") as output:
            self._process = subprocess.Popen(  # noqa: S603 (its own command line)
                (*parent_death.command(os.getpid(), signal.SIGKILL), *server),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
                start_new_session=True,  # Ctrl-C reaches the supervisor alone
            )
        self._asked = []
        threading.Thread(
            target=self._listen, args=(self._process, self._asked), name="fork-server", daemon=True
        ).start()

    def _listen(self, server: subprocess.Popen[bytes], asked: list[Forked]) -> None:
        """Note what the server tells until it ends, or tells what is not understood."""
        running: dict[int, Forked] = {}
        try:
            assert server.stdout is not None
            with server.stdout:
                for line in server.stdout:
                    _note(json.loads(line), asked, running)
        finally:
            self._shares = self._shares and not asked
            server.kill()
            server.wait()
            for forked in (*running.values(), *asked):
                forked.has_ended(_KILLED)


def _note(told: Mapping[str, int], asked: list[Forked], running: dict[int, Forked]) -> None:
    if "failed" in told:
        asked.pop(0).has_ended(told["failed"])
    elif "code" not in told:
        running[told["pid"]] = forked = asked.pop(0)
        forked.has_started(told["pid"])
    elif ended := running.pop(told["pid"], None):
        ended.has_ended(told["code"])


def main() -> None:
    """Serve until the input ends, or become the program that is asked for."""
    setproctitle("wellread fork-server")
    if request := _Server().serve():
        _become(**request)
        _end(_run(request["arguments"]))


class _Server:
    """Forks for each request, and tells who was started and who ended."""

    def __init__(self) -> None:
        # what a module prints is nothing that is told
        self._told = os.dup(1)
        os.dup2(2, 1)
        self._is_forking = False
        for number in _LOOK:
            signal.signal(number, self._reap)
        # a child that ends just before the next request is waited for sets a flag that Python looks at only afterwards
        signal.setitimer(signal.ITIMER_REAL, LOOK_EVERY_S, LOOK_EVERY_S)
        for number in _STOPPING:  # sent to a whole group, they are for the programs: it ends with its input
            signal.signal(number, lambda *_: None)

    def serve(self) -> dict[str, Any] | None:
        """Fork for each request; return it in the child, and nothing in the server, once its input has ended."""
        server, loaded = os.getpid(), set[str]()
        for line in sys.stdin:
            request = json.loads(line)
            shares = request.pop("shares")
            _load([name for name in shares if name not in loaded])
            loaded.update(shares)
            if self._forks():
                return {"server": server, **request}
        return None

    def _forks(self) -> bool:
        """Fork; return whether this is the child. It gets a signal to stop only once it has Python's own handlers."""
        self._is_forking = True
        signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
        try:
            pid = os.fork()
        except OSError as error:  # no memory, or no more processes: the others live on
            sys.stderr.write(f"fork: {error}\n")
            self._tell({"failed": 1})
        else:
            if not pid:
                os.close(self._told)
                for number in (*_LOOK, *_STOPPING):
                    signal.signal(number, signal.SIG_DFL)
                signal.signal(signal.SIGINT, signal.default_int_handler)
                signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPPING)
                return True
            self._tell({"pid": pid})
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPPING)
        self._is_forking = False
        self._reap()
        return False

    def _reap(self, *_: object) -> None:
        """Tell who has ended; not before its beginning was told."""
        with suppress(ChildProcessError):
            while not self._is_forking and (ended := os.waitpid(-1, os.WNOHANG))[0]:
                self._tell({"pid": ended[0], "code": os.waitstatus_to_exitcode(ended[1])})

    def _tell(self, what: Mapping[str, int]) -> None:
        with suppress(BrokenPipeError):
            os.write(self._told, json.dumps(what).encode() + b"\n")  # short: written whole


def _load(names: Sequence[str]) -> None:
    for name in names:
        with suppress(Exception):  # who needs it says what is wrong with it
            found = resolve_name(name)
            if ":" in name:
                found()
    if names:
        gc.collect()
        gc.freeze()  # the collector writes to all that it looks at, and what is written to is shared no more


def _become(*, server: int, arguments: Sequence[str], env: Mapping[str, str], log: str, death_signal: int) -> None:
    """Take on the environment, the log and a session of the program that is asked for."""
    os.setsid()
    parent_death.die_with_parent(server, signal.Signals(death_signal))
    nothing, output = os.open(os.devnull, os.O_RDONLY), os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    for target, source in ((0, nothing), (1, output), (2, output)):
        os.dup2(source, target)
    os.close(nothing)
    os.close(output)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 (what was read ahead is other programs')
    os.environ.clear()
    os.environ.update(env)
    setproctitle(" ".join(("wellread", *arguments[1:])))
    sys.argv = ["wellread", *arguments[1:]]


def _run(arguments: Sequence[str]) -> int:
    """Run a module as ``python -m`` does; return the status that the process is to end with."""
    try:
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        sys.stderr.write(f"{end.code}\n")
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _end(code: int) -> NoReturn:
    """End as a forked process must: what libraries would end beyond Python are threads that a fork does not have."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
