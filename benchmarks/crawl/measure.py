"""Measure pages read in a second beside Scrapy on the same loopback pages, the share of each part, and memory."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from statistics import mean

from benchmarks.crawl.reader import Reader, TimedRead, readers
from benchmarks.crawl.site import serving, source
from benchmarks.report import Figure, Options, Report
from domain import ReadOutcome
from domain.errors import WellreadError
from evals.knowledge.stored import DefaultSettings
from evals.measure.stopwatch import seconds_of
from store.embedders import open_embedder
from store.passages.schema import embedding_text

#: pages a turn; the sides take turns, and the best turn counts, since other work of the machine only slows
_TURN, _TURNS = 600, 2
#: pages that one process reads one after another to measure the shares, and how many of them are embedded
_ALONE, _EMBEDDED = 200, 25
#: memory is compared between the first and the last so many pages
_SETTLED = 1_000


_NOTES = (
    "both obey robots.txt, pause at no host and extract with trafilatura; Scrapy is one process with 16 requests in"
    " flight and does no more; ours also reads links, dates, language and facts, and cuts passages",
    "a page that marks its own main element is read without trafilatura on our side",
    "neither side stores the pages; a worker also claims and records each page in SQL, and pauses between pages",
    "shares are of one process that reads one page at a time and embeds on one thread",
)


class NoScrapy(WellreadError):
    """Scrapy is not installed: `make bench NAME=crawl` installs it, from the locked dependency group `bench`."""


class Unread(WellreadError):
    """Too many pages were not read."""


def measure(options: Options) -> Report:
    """Read the same pages in turns, then many, then with one process part by part."""
    if find_spec("scrapy") is None:
        raise NoScrapy(NoScrapy.__doc__)
    processes = int(DefaultSettings.model_validate({}).crawl_processes)
    with serving(max(options.pages, _TURN)) as urls:
        marked = _in_turn(urls[:_TURN], processes)
        grown = _growth(_ours(urls[: options.pages], processes).found)
        parts = _parts(urls[:_ALONE], options)
    with serving(_TURN, marked=False) as urls:
        unmarked = _in_turn(urls, processes)
    shares = {name: seconds / sum(parts.values()) for name, seconds in parts.items()}
    return Report(
        title=f"crawl: {_TURN} pages by {processes} processes, as many as crawl workers; best of {_TURNS}",
        figures=[
            *_beside_scrapy(source(), *marked),
            *_beside_scrapy("synthetic pages, whose main element is not marked", *unmarked),
            *(Figure(name=f"share: {name}", value=share * 100, unit="%") for name, share in shares.items()),
            Figure(name=f"memory, end / start of {options.pages} pages", value=grown, unit="×", at_most=1.1),
        ],
        notes=_NOTES,
        values={
            "pages_per_s": marked[0].rate,
            "ratio_to_scrapy": marked[0].rate / marked[1].rate,
            "ratio_to_scrapy_unmarked": unmarked[0].rate / unmarked[1].rate,
            "shares": shares,
            "memory_growth": grown,
        },
    )


@dataclass(frozen=True, kw_only=True)
class _Turn:
    rate: float  #: pages a second
    cpu_s: float  #: a page, of all processes but the site's
    found: Sequence[TimedRead] = ()


def _in_turn(urls: Sequence[str], processes: int) -> tuple[_Turn, _Turn]:
    """Return the best turn of ours and of Scrapy's."""
    turns = [(_ours(urls, processes), _scrapy(urls)) for _ in range(_TURNS)]
    ours, theirs = (_best([pair[side] for pair in turns]) for side in (0, 1))
    return ours, theirs


def _best(turns: Sequence[_Turn]) -> _Turn:
    return _Turn(rate=max(turn.rate for turn in turns), cpu_s=min(turn.cpu_s for turn in turns))


def _beside_scrapy(pages: str, ours: _Turn, theirs: _Turn) -> list[Figure]:
    return [
        Figure(name=f"{pages}: read", value=ours.rate, unit="pages/s"),
        Figure(name="Scrapy, extracting in its callback", value=theirs.rate, unit="pages/s"),
        Figure(name="read / Scrapy", value=ours.rate / theirs.rate, unit="×", at_least=1.5),
        Figure(name="CPU a page", value=1e3 * ours.cpu_s, unit="ms"),
        Figure(name="CPU a page, Scrapy", value=1e3 * theirs.cpu_s, unit="ms"),
    ]


def _ours(urls: Sequence[str], processes: int) -> _Turn:
    with readers(urls[0], processes) as read_all:
        started = time.perf_counter()
        found = read_all(urls)
        spent_s = time.perf_counter() - started
    read = sum(each.outcome == ReadOutcome.READ for each in found)
    if read < 0.98 * len(urls):
        raise Unread(f"We read {read} of {len(urls)} pages")
    return _Turn(rate=len(found) / spent_s, cpu_s=mean(each.cpu_s for each in found), found=found)


def _scrapy(urls: Sequence[str]) -> _Turn:
    command = [sys.executable, "-m", "benchmarks.crawl.scrapy"]
    scrapy = subprocess.run(command, input=json.dumps(list(urls)), capture_output=True, text=True, check=False)
    if scrapy.returncode:
        raise Unread(f"Scrapy ended with {scrapy.returncode}: {scrapy.stderr[-2000:]}")
    result = json.loads(scrapy.stdout.splitlines()[-1])
    if result["pages"] < 0.98 * len(urls):
        raise Unread(f"Scrapy read {result['pages']} of {len(urls)} pages: {scrapy.stderr[-2000:]}")
    return _Turn(rate=result["pages"] / result["seconds"], cpu_s=result["cpu"] / result["pages"])


def _growth(found: Sequence[TimedRead]) -> float:
    """Return the processes' memory at the end, over that after their first pages."""
    early, late = found[_SETTLED // 2 : _SETTLED], found[-_SETTLED // 2 :]
    return mean(each.megabytes for each in late) / max(1.0, mean(each.megabytes for each in early))


def _parts(urls: Sequence[str], options: Options) -> dict[str, float]:
    """Return the seconds a page, by part."""
    reader = Reader(urls[0])
    reader.read(urls[0])
    found = [reader.read(url) for url in urls]
    reader.close()
    embedder = open_embedder(options.embedder, threads=1)
    texts = [[embedding_text(passage) for passage in each.passages] for each in found[-_EMBEDDED:]]
    embedder.embed(["warm"])
    embed_s = seconds_of(lambda: [embedder.embed(page) for page in texts if page])
    return {
        "fetch": mean(each.fetch_s for each in found),
        "extract": mean(each.extract_s for each in found),
        "chunk": mean(each.chunk_s for each in found),
        "embed": embed_s / _EMBEDDED,
    }
