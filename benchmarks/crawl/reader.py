"""Our side: processes that read one page at a time, as crawl workers do, and chunk it, as the embed worker does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from multiprocessing import get_context

import psutil

from crawler.extract.chunk import chunk
from crawler.fetch.client import Fetcher
from crawler.fetch.guard import Guard, allowlist_entry
from crawler.fetch.response import Limits
from crawler.read import ReadResult, read
from crawler.robots import RobotsFile
from domain import Candidate, Passage

#: pages given to a process at a time
_TAKEN = 4


@dataclass(frozen=True, kw_only=True)
class TimedRead:
    """One page, read and chunked, with the time that took."""

    outcome: str
    passages: tuple[Passage, ...]
    fetch_s: float
    extract_s: float  #: with its links, facts and the check of robots.txt
    chunk_s: float
    cpu_s: float  #: since the page before
    megabytes: float  #: of its process and the one that extracts for it, now: what they share counts twice


class _Robots(dict[str, RobotsFile]):
    """robots.txt files in memory; a worker keeps them in SQL."""

    def put(self, origin: str, file: RobotsFile) -> None:
        self[origin] = file


class Reader:
    """The client and event loop of one process, used for all its pages."""

    def __init__(self, site: str) -> None:
        self._loop, self._robots = asyncio.new_event_loop(), _Robots()
        guard = Guard(own_sites=frozenset({allowlist_entry(site)}))
        self._client = Fetcher(guard=guard, limits=Limits(), user_agent="wellread-bench/1.0")
        self._used_s = _used()[0]

    def read(self, url: str) -> TimedRead:
        """Read a page and chunk it."""
        began = time.perf_counter()
        result = self._loop.run_until_complete(self._read(url))
        done = time.perf_counter()
        passages = chunk(result.page, page_id=1, url=url) if result.page else ()
        chunked = time.perf_counter()
        used_s, megabytes = _used()
        cpu_s, self._used_s = used_s - self._used_s, used_s
        return TimedRead(
            outcome=result.outcome,
            passages=tuple(passages),
            fetch_s=result.elapsed_s,
            extract_s=done - began - result.elapsed_s,
            chunk_s=chunked - done,
            cpu_s=cpu_s,
            megabytes=megabytes,
        )

    async def _read(self, url: str) -> ReadResult:
        candidate, now = Candidate(url=url), datetime.now(UTC)
        return await read(candidate, client=self._client, robots=self._robots, agent="wellread-bench", now=now)

    def close(self) -> None:
        """Close the connections."""
        self._loop.run_until_complete(self._client.aclose())
        self._loop.close()


_reader: Reader  #: of a process of the pool


@contextmanager
def readers(site: str, processes: int) -> Iterator[Callable[[Sequence[str]], list[TimedRead]]]:
    """Start processes; yield a function that reads each page once, in any order. The passages stay in the processes."""
    with get_context("spawn").Pool(processes, initializer=_open, initargs=(site,)) as pool:

        def read_all(urls: Sequence[str]) -> list[TimedRead]:
            return list(pool.imap_unordered(_read, urls, chunksize=_TAKEN))

        read_all([site] * processes * _TAKEN)  # each process connects before measuring
        yield read_all


def _open(site: str) -> None:
    global _reader
    _reader = Reader(site)


def _read(url: str) -> TimedRead:
    return replace(_reader.read(url), passages=())


_known: list[psutil.Process] = []  #: this process, and the one that extracts for it: to find it takes .5 ms


def _used() -> tuple[float, float]:
    """Return the seconds of processor time that these processes took, and the megabytes that they hold."""
    if len(_known) < 2 or not _known[1].is_running():
        own = psutil.Process()
        _known[:] = [own, *own.children()]
    times = [each.cpu_times() for each in _known]
    held = sum(each.memory_info().rss for each in _known)
    return float(sum(each.user + each.system for each in times)), float(held / 1e6)
