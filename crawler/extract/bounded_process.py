"""Parse untrusted bytes in a process of their own, bounded in time, memory and output: a file can hang any parser.

What has a program of its own is started as one; what is read by this one, as a web page, in a fork of it.
"""

import json
import math
import os
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Timer
from typing import Any, Final, NoReturn, TypeVar

from domain.errors import WellreadError

Value = TypeVar("Value")

#: bytes that a process may write
MAX_OUTPUT = 100_000_000
#: seconds of processor time for reading anything, and for each character: ten times what a page of its length takes
_BASE_S, _CHARACTER_S = 5.0, 20e-6
#: fewer characters are read in this process: a fork costs 15 ms, and what takes their square is still soon over
_LEAST: Final = 50_000
#: seconds that may pass for each second of processor time, on a machine where many processes want it
_WALL: Final = 8.0


class TooMuchWork(WellreadError):
    """Reading something took more processor time than its length allows; the message continues a sentence about it."""


def read_bounded(read: Callable[[], Value], characters: int) -> Value:
    """Return what ``read`` makes of so many characters, or raise what it does; TooMuchWork where it takes too long."""
    return read() if characters < _LEAST else forked(read, cpu_s=_BASE_S + _CHARACTER_S * characters)


def forked(work: Callable[[], Value], *, cpu_s: float) -> Value:
    """Return what ``work`` returns in a fork of this process, or raise what it does.

    Raises TooMuchWork when the fork was ended, because it took so much processor time.
    """
    limit_s = math.ceil(cpu_s)
    source, sink = os.pipe()
    pid = os.fork()
    if pid == 0:
        _work(work, sink, limit_s)
    os.close(sink)
    timer = Timer(_WALL * limit_s, os.kill, (pid, signal.SIGKILL))
    timer.daemon = True
    timer.start()
    try:
        with os.fdopen(source, "rb") as reply:
            told = reply.read()
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        raise
    finally:
        timer.cancel()
        os.waitpid(pid, 0)
    if not told:
        raise TooMuchWork(f"takes more than {limit_s} s of processor time to read: it is perhaps made to do so.")
    has_failed, result = pickle.loads(told)  # noqa: S301 (of a fork of this process)
    if has_failed:
        raise result
    value: Value = result
    return value


def _work(work: Callable[[], object], sink: int, limit_s: int) -> NoReturn:
    """Write what work returns or raises, and end at once: threads and connections are the parent's."""
    try:
        with suppress(ValueError):  # it is within another fork, which has less time left
            resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s))
        try:
            told = pickle.dumps((False, work()))
        except Exception as error:  # the parent raises it
            told = pickle.dumps((True, error))
        with os.fdopen(sink, "wb") as reply:
            reply.write(told)
    finally:
        os._exit(0)


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Limits for reading one file; of one beyond them it is said what was not read."""

    pages: int = 5_000  #: of a PDF
    chars: int = 5_000_000  #: of its text, or of the HTML that it is written as
    cpu_s: int = 40  #: of processor time
    wall_s: float = 60.0
    memory: int = 1_500_000_000  #: bytes of address space
    ocr_pages: int = 500  #: whose pictures are read; a page takes about a second
    ocr_cpu_s: int = 60
    ocr_wall_s: float = 75.0
    ocr_memory: int = 3_000_000_000  #: bytes of address space; some 800 MB are used


BOUNDS: Final = Bounds()


def parsed_lines(command: Sequence[str], body: bytes, *, wall_s: float) -> Iterator[Mapping[str, Any]]:
    """Yield the JSON lines that Python writes when it runs ``command`` on ``body``, also if it had to be killed."""
    with tempfile.TemporaryFile() as out:  # a file, not a pipe: its size can be limited
        with subprocess.Popen(  # noqa: S603 (our own script)
            [sys.executable, "-I", *command], stdin=subprocess.PIPE, stdout=out, stderr=subprocess.DEVNULL, env={}
        ) as process:
            try:
                process.communicate(body, timeout=wall_s)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
            except BaseException:
                process.kill()
                raise
        out.seek(0)
        for line in out:
            try:
                yield json.loads(line)
            except ValueError:  # a killed process leaves its last line incomplete
                continue


def limit_this_process(*, cpu_s: int, memory: int) -> None:
    """Limit processor time, bytes of address space and of output; called by the process that parses."""
    limits = {
        resource.RLIMIT_CPU: cpu_s,
        resource.RLIMIT_AS: memory,
        resource.RLIMIT_FSIZE: MAX_OUTPUT,
        resource.RLIMIT_CORE: 0,
    }
    for limit, value in limits.items():
        with suppress(ValueError, OSError):  # not every system can limit memory
            resource.setrlimit(limit, (value, value))
