"""Checks memory of Redis, disk and file descriptors, which can run out, and that workers and beat run, and how many."""

import resource
import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import redis

from domain.errors import WellreadError
from domain.flow import QUEUES, WORKERS, WRITER
from domain.site import Source
from store import folders
from store.crawl import sources
from store.ephemeral.events import memory_use
from workers.admission import LEAST_DISK_BYTES, MOST_MEMORY
from workers.egress import described
from workers.processes.heartbeat import living_beats, living_workers
from workers.services import Services
from workers.services.collections import every

Level = Literal["ok", "note", "wrong"]

#: of the file descriptors that a process may have open
MOST_DESCRIPTORS = 0.9
_PROCESSES = Path("/proc")


@dataclass(frozen=True)
class Diagnosis:
    """The finding of one check."""

    level: Level
    finding: str
    fix: str = ""  #: what to do, when something is wrong
    name: str = ""
    needed: bool = True  #: False: without it questions are still answered, from pages read before


def memory(client: redis.Redis) -> Diagnosis:
    """Return how much of its memory a Redis uses; raises redis.RedisError."""
    use = memory_use(client)
    if not use.limit:
        return Diagnosis("ok", f"{_mb(use.used)} used, no limit is set")
    detail = f"{_mb(use.used)} of {_mb(use.limit)} used"
    if use.share < MOST_MEMORY:
        return Diagnosis("ok", detail)
    fix = (
        "No question is taken while over 90 % are used: raise `maxmemory` (of the embedded one "
        "WELLREAD_REDIS_MEMORY_MB), or delete what is not Wellread's."
    )
    return Diagnosis("wrong", f"full: {detail}", fix)


def disk(folder: Path) -> Diagnosis:
    """Return the free space on the data folder's disk."""
    try:
        free = shutil.disk_usage(folder).free
    except FileNotFoundError:
        return Diagnosis("ok", "nothing was stored yet")
    if free >= LEAST_DISK_BYTES:
        return Diagnosis("ok", f"{free / 1e9:.1f} GB free")
    fix = f"Free some space: below {_mb(LEAST_DISK_BYTES)} no question is taken, and what is read may not be stored."
    return Diagnosis("wrong", f"full: {_mb(free)} free", fix)


def descriptors(pids: Iterable[int]) -> Diagnosis:
    """Return how many file descriptors the process has open that comes nearest to its limit; all on Linux only."""
    uses = []
    for pid in pids:
        with suppress(OSError, AttributeError):  # the system does not say
            used = sum(1 for _ in (_PROCESSES / str(pid) / "fd").iterdir())
            limit, _ = resource.prlimit(pid, resource.RLIMIT_NOFILE)
            uses.append((used, max(1, limit)))
    if not uses:
        return Diagnosis("ok", "not known on this system")
    used, limit = max(uses, key=lambda use: use[0] / use[1])
    detail = f"{used:,} of {limit:,} open"
    if used < MOST_DESCRIPTORS * limit:
        return Diagnosis("ok", detail)
    return Diagnosis("wrong", detail, "Raise the limit of open files (`ulimit -n`), and start it again.")


def beats(services: Services) -> Diagnosis:
    """Return how many processes of beat there are; raises redis.RedisError."""
    number = living_beats(services)
    if number > 1:
        return Diagnosis("wrong", str(number), "Stop all but one `wellread beat`: each sends every tick.")
    if number:
        return Diagnosis("ok", str(number))
    fix = "Run `wellread beat`: without it nothing that was lost is sent again, and no page is read again when due."
    return Diagnosis("wrong", "none runs", fix, needed=False)


def workers(services: Services) -> Diagnosis:
    """Return how many workers are ready, and for which queues there is none; raises redis.RedisError."""
    alive = {name: count for name, count in living_workers(services).items() if name in WORKERS}
    detail = ", ".join(f"{queue} {count}" for queue, count in alive.items())
    missing = [queue for queue, count in alive.items() if not count]
    if not missing:
        return Diagnosis("ok", detail)
    return Diagnosis(
        "wrong",
        f"no worker for {', '.join(missing)} ({detail})",
        "; ".join(f"run `wellread worker {queue}`" for queue in missing),
        needed=any(
            QUEUES[queue].is_needed or ("model" in QUEUES[queue].loads and services.settings.has_model)
            for queue in missing
        ),
    )


def writers(services: Services) -> Diagnosis:
    """Return how many workers may write passages; raises redis.RedisError."""
    number = living_workers(services)[WRITER.name]
    fix = f"Stop all but one `{WRITER.name}` worker: only one may write." if number > 1 else ""
    return Diagnosis("wrong" if fix else "ok", f"{number} may write", fix)


def egress(services: Services) -> Diagnosis:
    """Return what may leave the machine, to which hosts and by which setting."""
    known: list[Source] = []
    servers: set[str] = set()
    with suppress(WellreadError):  # the check of the database says why it does not answer
        for each in every(services) if not services.settings.is_new else ():
            known += each.read(sources.list_all)
            servers |= {folder.server for folder in each.read(folders.list_all) if folder.server}
    return Diagnosis("ok", described(services.settings, known, sorted(servers)))


def children(pid: int) -> list[int]:
    """Return a process with its children."""
    try:
        threads = (_PROCESSES / str(pid) / "task").iterdir()
        found = [int(child) for thread in threads for child in (thread / "children").read_text().split()]
    except OSError:
        found = []
    return [pid, *found]


def _mb(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"
