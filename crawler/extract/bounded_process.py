"""Parse untrusted bytes in a process of their own, bounded in time, memory and output: a file can hang any parser.

What has a program of its own is started as one. What is read by this one, as a web page, is read in a fork of it: as
many at once as there are processors, each used again until it must be ended, or nothing was to be read for a while.
"""

import asyncio
import gc
import json
import math
import os
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

from domain.errors import WellreadError

Value = TypeVar("Value")

#: bytes that a process may write
MAX_OUTPUT = 100_000_000
#: seconds in which a page is fetched and read, with its frame and what its scripts make: a task has ten more
PAGE_S: Final = 90.0
#: bytes of memory that reading a page may take, in addition to what is there already
_PAGE_MEMORY: Final = 1_500_000_000
#: seconds of processor time for reading anything, and for each byte: ten times what a page of its length takes
_BASE_S, _BYTE_S, _MOST_S = 5.0, 20e-6, 60.0
#: how long a process that reads waits for the next page: another is made in some 15 ms, and each keeps 15 MB
_IDLE_S: Final = 5.0
#: of the processor it takes a ninth of what others get that want it too
_NICENESS: Final = 10


class Unreadable(WellreadError):
    """A document cannot be read; the message continues a sentence that begins with its name or address."""


class TooMuchWork(Unreadable):
    """Reading a document took more time or memory than is allowed."""


class ReadingEnded(TooMuchWork):
    """A process that read was not done in time, or ended by itself, as one that the system ends for want of memory."""


async def read_bounded(read: Callable[[], Value], length: int, *, until: float) -> Value:
    """Return what ``read`` makes of so many bytes, or raise what it does; it works in a fork of this process.

    ``read`` and its value are pickled. Raises TooMuchWork when it took too much memory, or too long for the length,
    and ReadingEnded when it was not done at the monotonic time ``until``, or its process ended.
    """
    reading = _Reading()
    cpu_s = min(_BASE_S + _BYTE_S * length, _MOST_S)
    try:
        work = asyncio.get_running_loop().run_in_executor(_readers, reading.run, read, cpu_s, until)
        value: Value = await work
    except BaseException:
        reading.end()
        raise
    return value


class _Reading:
    """One work of a fork, from a thread that waits for it."""

    def __init__(self) -> None:
        self._child: _Fork | None = None

    def run(self, work: Callable[[], object], cpu_s: float, until: float) -> Any:
        """Return what work returns, or raise what it does; the fork can be used again then."""
        with _changing:
            while _idle and not _idle[-1].is_alive():  # the system may have ended it
                _idle.pop()
            self._child = child = _idle.pop() if _idle else None
        if child is None:
            self._child = child = _Fork()
        value = child.run(work, cpu_s, max(until - time.monotonic(), 0))
        with _changing:
            self._child, child.idle_since = None, time.monotonic()
            _idle.append(child)
            if not _ending:
                _ending.append(True)
                threading.Thread(target=_end_idle, name="idle readers", daemon=True).start()
        return value

    def end(self) -> None:
        """End the fork, whatever it is at."""
        if self._child is not None:
            self._child.end()


def _end_idle() -> None:
    """End the forks that have had nothing to do for a while, until none is left or is at work."""
    while True:
        time.sleep(_IDLE_S / 4)
        with _changing:
            late = [child for child in _idle if child.idle_since < time.monotonic() - _IDLE_S]
            _idle[:] = [child for child in _idle if child not in late]
            is_over = not _idle
            if is_over:
                _ending.clear()
        for child in late:
            child.end()
        if is_over:
            return


def forked(work: Callable[[], Value], *, cpu_s: float) -> Value:
    """Return what ``work`` returns in a fork of this process, or raise what it does.

    Raises TooMuchWork when the fork was ended, because it took so much processor time.
    """
    child = _Fork(work)
    try:
        value: Value = child.run(None, cpu_s, 8 * cpu_s)  # many processes may want the processor
    finally:
        child.end()
    return value


class _Fork:
    """A fork of this process that works for it, and ends with it: it waits for what only this process writes."""

    def __init__(self, own_work: Callable[[], object] = lambda: None) -> None:
        self._pipe, theirs = Pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads: it takes none of their locks
            self._pid = os.fork()
        if self._pid == 0:
            _serve(theirs, own_work)
        os.setpgid(self._pid, 0)
        theirs.close()
        self._ended_by: int | None = None  # signal
        self.idle_since = 0.0
        self._lock = threading.Lock()  # a task that is cancelled ends it while its thread waits

    def run(self, work: Callable[[], object] | None, cpu_s: float, wall_s: float) -> Any:
        """Return what work, or its own, returns there, or raise what it does; TooMuchWork if that took too long."""
        answer, is_late = b"", False
        with suppress(EOFError, OSError):  # a signal has ended it
            self._pipe.send((work, cpu_s))
            is_late = not self._pipe.poll(wall_s)
            answer = b"" if is_late else self._pipe.recv_bytes()
        if not answer and self.end() == signal.SIGPROF:
            what = f"{math.ceil(cpu_s)} s of processor time to read: it is perhaps made to do so."
            raise TooMuchWork(f"takes more than {what}")
        if not answer:
            raise ReadingEnded(
                "was not read in time." if is_late else "was not read: its reader ended. Is memory short?"
            )
        has_failed, value = pickle.loads(answer)  # noqa: S301 (of a fork of this process)
        if has_failed:
            raise value
        return value

    def is_alive(self) -> bool:
        """Return whether it still waits for work: the system may have ended it meanwhile."""
        with self._lock:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            self._ended_by = os.WTERMSIG(status) if pid else None
            return not pid

    def end(self) -> int:
        """End it, and what it has started; return the signal that it ended by, 0 for none.

        The pipe stays open: a thread may still wait there, and sees the end.
        """
        with self._lock:
            if self._ended_by is None:
                with suppress(OSError):  # macOS refuses if it has ended
                    os.killpg(self._pid, signal.SIGKILL)
                self._ended_by = os.WTERMSIG(os.waitpid(self._pid, 0)[1])
            return self._ended_by


#: forks that wait for work, the last used at the end
_idle: list[_Fork] = []
_changing = threading.Lock()
_ending: list[bool] = []  #: one while a thread ends those that wait too long
os.register_at_fork(after_in_child=_idle.clear)
os.register_at_fork(after_in_child=_ending.clear)
_readers = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="reader")


def _serve(pipe: Connection, own_work: Callable[[], object]) -> NoReturn:
    """Send what each work returns or raises, until nobody can ask any more; a signal ends what takes too long."""
    try:
        gc.freeze()  # what is shared stays so
        for file in map(int, os.listdir("/dev/fd")):  # noqa: PTH208 (numbers)
            if file not in (0, 1, 2, pipe.fileno()):  # as connections of the parent
                with suppress(OSError):
                    os.close(file)
        with suppress(OSError, ValueError):  # not every system tells
            taken = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
            most = resource.getrlimit(resource.RLIMIT_AS)[1]
            resource.setrlimit(resource.RLIMIT_AS, (taken + _PAGE_MEMORY, most))
        signal.signal(signal.SIGPROF, signal.SIG_DFL)  # the end of its time ends it, whatever its parent does then
        os.nice(_NICENESS)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it ends after its parent, which may have to finish a page
        while True:
            work, cpu_s = pipe.recv()
            signal.setitimer(signal.ITIMER_PROF, cpu_s)
            try:
                answer = pickle.dumps((False, (work or own_work)()))
            except MemoryError:
                answer = pickle.dumps((True, TooMuchWork("takes too much memory to read.")))
            except Exception as error:  # the parent raises it
                answer = _raised(error)
            signal.setitimer(signal.ITIMER_PROF, 0)
            pipe.send_bytes(answer)
    finally:
        os._exit(0)


def _raised(error: Exception) -> bytes:
    """Return an error for the parent, with where it was raised; of one that cannot be sent, what it says."""
    where = "".join(traceback.format_exception(error))
    with suppress(Exception):
        error.add_note(where)
        answer = pickle.dumps((True, error))
        pickle.loads(answer)  # noqa: S301 (our own)
        return answer
    return pickle.dumps((True, RuntimeError(where)))


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Limits for reading one file; of one beyond them it is said what was not read."""

    pages: int = 5_000  #: of a PDF
    chars: int = 5_000_000  #: of its text, or of the HTML that it is written as
    cpu_s: int = 40  #: of processor time
    wall_s: float = 60.0
    all_s: float = PAGE_S - 5.0  #: in which its text and its pictures are read
    memory: int = 1_500_000_000  #: bytes of address space
    ocr_pages: int = 500  #: whose pictures are read; a page takes about a second
    ocr_cpu_s: int = 60
    ocr_wall_s: float = 75.0
    ocr_memory: int = 3_000_000_000  #: bytes of address space; some 800 MB are used


BOUNDS: Final = Bounds()


def parsed_lines(module: str, reader: str, body: bytes, *, wall_s: float, **limits: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the lines that a module, run as a program, writes with ``write_lines``, also if it had to be killed.

    ``limits`` are ``cpu_s`` and ``memory`` in bytes, ``failure`` if damage has other words, and what its reader takes.
    """
    with tempfile.TemporaryFile() as out:  # a file, not a pipe: its size can be limited
        command, devnull = [sys.executable, "-I", "-m", module, reader, json.dumps(limits)], subprocess.DEVNULL
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(command, input=body, stdout=out, stderr=devnull, env={}, timeout=wall_s, check=False)  # noqa: S603
        out.seek(0)
        for line in out:
            with suppress(ValueError):  # a killed process leaves its last line incomplete
                yield json.loads(line)


def write_lines(readers: Mapping[str, Callable[..., Iterable[Mapping[str, Any]]]]) -> None:
    """Write what is read in the bytes of standard input as JSON lines, each at once, with "end" or "problem" last.

    Called by the process that parses, with the arguments of ``parsed_lines``: it limits its processor time, bytes of
    address space and of output. The reader also gets the processor time by which it should stop.
    """
    read, options = readers[sys.argv[1]], json.loads(sys.argv[2])
    cpu_s, memory, failure = options.pop("cpu_s"), options.pop("memory"), options.pop("failure", "is damaged")
    limits = {resource.RLIMIT_CPU: cpu_s, resource.RLIMIT_AS: memory, resource.RLIMIT_FSIZE: MAX_OUTPUT}
    for limit, value in (limits | {resource.RLIMIT_CORE: 0}).items():
        with suppress(ValueError, OSError):  # not every system can limit memory
            resource.setrlimit(limit, (value, value))
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # what packages print is no line of ours

    def write(line: Mapping[str, Any]) -> None:
        out.write(json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        out.flush()

    try:
        for line in read(sys.stdin.buffer.read(), time.process_time() + 0.8 * cpu_s, **options):
            write(line)
        write({"end": True})
    except MemoryError:
        write({"problem": f"needs more than {memory // 1_000_000} MB of memory to be read."})
    except Unreadable as error:
        write({"problem": str(error)})
    except Exception as error:  # damage can raise anything, and the process ends here either way
        write({"problem": f"{failure} ({type(error).__name__})."})
