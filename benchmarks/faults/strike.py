"""The faults that strike a running stack: processes killed or stopped, the broker emptied, PostgreSQL, a full disk."""

from __future__ import annotations

import random
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil
import redis

#: the programs of the stack, and those among them that work on questions
PROGRAMS = ("valkey", "api", "answer", "crawl")
#: how long a program is stopped; how long a worker is: longer than the leases of its rows
STOPPED_S, BEYOND_LEASE_S = 4.0, 25.0
#: how long a disk stays full; a folder on one that is larger is not filled up
FULL_S, SMALL_DISK_BYTES = 4.0, 4_000_000_000
#: how often it is looked whether a fault that strikes alone is over
_LOOK_S = 0.05
_PIECE = b"\0" * 1_000_000

#: the process ids of the running programs, by name
Pids = Callable[[], Mapping[str, int]]


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One thing that goes wrong, and for how long."""

    name: str
    strike: Callable[[], object]
    alone: bool = False  #: no other strikes until it is over


def kill(pids: Pids, name: str) -> None:
    """End a program at once, with none of its own words."""
    with _gone():
        psutil.Process(pids()[name]).kill()


def kill_reader(pids: Pids, name: str = "crawl") -> None:
    """End at once a process that reads a page for a worker, or the worker where none does."""
    with _gone():
        worker = psutil.Process(pids()[name])
        next(iter(worker.children()), worker).kill()


def stop(pids: Pids, name: str, seconds: float = STOPPED_S) -> None:
    """Let a program with all its processes stand still for some seconds."""
    with _gone():
        whole = psutil.Process(pids()[name])
        _stand_still([whole, *whole.children(recursive=True)], seconds)


def empty(redis_url: str) -> None:
    """Forget every message, lease and event of the broker."""
    with suppress(redis.RedisError):  # it was killed and is not back yet
        redis.Redis.from_url(redis_url, socket_timeout=5).flushall()


def fill_disk(folder: Path, seconds: float = FULL_S) -> None:
    """Leave no room on the folder's disk for some seconds."""
    filler = folder / "filler"
    try:
        with suppress(OSError), filler.open("ab", buffering=0) as output:
            while output.write(_PIECE):
                pass
        time.sleep(seconds)
    finally:
        filler.unlink(missing_ok=True)


def is_small_disk(folder: Path) -> bool:
    """Return whether the folder is on a disk that may be filled up."""
    return shutil.disk_usage(folder).total <= SMALL_DISK_BYTES


def all_faults(pids: Pids, redis_url: str) -> list[Fault]:
    """Return what may befall any stack."""
    kinds: dict[str, tuple[Callable[[Pids, str], None], tuple[str, ...]]] = {
        "kill -9": (kill, PROGRAMS),
        "kill -9 a reader of": (kill_reader, ("crawl",)),
        "stop": (stop, PROGRAMS),
        "stop beyond its leases:": (partial(stop, seconds=BEYOND_LEASE_S), ("crawl",)),
    }
    return [
        *(
            Fault(name=f"{kind} {name}", strike=partial(do, pids, name))
            for kind, (do, names) in kinds.items()
            for name in names
        ),
        Fault(name="empty the broker", strike=partial(empty, redis_url)),
    ]


@dataclass(frozen=True, kw_only=True)
class Struck:
    """A fault that struck, and when."""

    name: str
    at: float  #: seconds since 1970


class Strikes:
    """Faults that strike in the background: each once in a shuffled order, then each again."""

    def __init__(self, faults: list[Fault], *, every_s: float, seed: int) -> None:
        self.struck: list[Struck] = []  #: in its order
        self._drawn, self._every_s = _shuffled(faults, seed), every_s
        self._over, self._running = threading.Event(), list[threading.Thread]()
        self._striker = threading.Thread(target=self._strike, name="striker")
        self._striker.start()

    @property
    def names(self) -> list[str]:
        """The faults that have struck, in their order."""
        return [struck.name for struck in self.struck]

    def end(self) -> None:
        """Let no further fault strike; those that last go on."""
        self._over.set()
        self._striker.join()

    def wait(self) -> None:
        """Wait until every fault is over."""
        for running in self._running:
            running.join()

    def _strike(self) -> None:
        while not self._over.is_set():
            fault = next(self._drawn)
            self.struck.append(Struck(name=fault.name, at=time.time()))
            running = threading.Thread(target=fault.strike, name=fault.name)
            self._running.append(running)
            running.start()
            self._over.wait(self._every_s)
            while fault.alone and running.is_alive() and not self._over.wait(_LOOK_S):
                pass


@contextmanager
def striking(faults: list[Fault], *, every_s: float, seed: int = 1) -> Iterator[Strikes]:
    """Let faults strike while the block runs, or until they are ended in it; afterwards all are over."""
    strikes = Strikes(faults, every_s=every_s, seed=seed)
    try:
        yield strikes
    finally:
        strikes.end()
        strikes.wait()


def _shuffled(faults: list[Fault], seed: int) -> Iterator[Fault]:
    chance = random.Random(seed)
    while True:
        yield from chance.sample(faults, len(faults))


def _stand_still(processes: list[psutil.Process], seconds: float) -> None:
    for process in processes:
        with _gone():
            process.suspend()
    time.sleep(seconds)
    for process in processes:
        with _gone():
            process.resume()


@contextmanager
def _gone() -> Iterator[None]:
    """Pass over what another fault has ended."""
    with suppress(psutil.NoSuchProcess, ProcessLookupError, KeyError):
        yield


def programs_of(parent: int) -> dict[str, int]:
    """Return the process ids of the programs that `wellread up` runs, by name."""
    found = {}
    for child in psutil.Process(parent).children():
        with _gone():
            found[_name(child)] = child.pid
    return {name: pid for name, pid in found.items() if name}


def _name(process: psutil.Process) -> str:
    if process.status() == psutil.STATUS_ZOMBIE:
        return ""
    if Path(process.exe()).name.startswith("valkey-server"):  # it writes over its arguments
        return "valkey"
    # a worker's title ends with its arguments in brackets, and the first names it
    words = " ".join(process.cmdline()).replace("(", " ").split()
    name = words[words.index("worker") + 1] if "worker" in words else words[-1]
    return name if name in PROGRAMS else ""
