"""Pages read in a second, beside Scrapy on the same pages of a loopback site; what each part takes; memory."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from statistics import mean

from benchmarks.crawl.pages import source
from benchmarks.crawl.reader import Read, Reader, readers
from benchmarks.crawl.site import serving
from benchmarks.options import Options
from benchmarks.report import Figure, Report
from domain import ReadOutcome
from domain.errors import WellreadError
from evals.knowledge.stored import DefaultSettings
from store.embedders import open_embedder
from store.passages.schema import embedding_text

#: each side reads so many pages a turn, the sides in turn; the best counts, as what else the machine does only slows
_TURN, _TURNS = 600, 2
#: pages read one after another by one process, of which shares are taken, and of these embedded
_ALONE, _EMBEDDED = 200, 25
#: processes' memory is compared between the first and the last so many pages
_SETTLED = 1_000


_NOTES = (
    "both obey robots.txt, pause at no host and extract with trafilatura; Scrapy is one process with 16 requests in"
    " flight and does no more; ours also reads links, dates, language and facts, and cuts passages",
    "a page that marks its own main element is read without trafilatura on our side",
    "neither side keeps what it read; a worker also claims and records each page in SQL, and leaves a site a pause",
    "shares are of one process that reads one page at a time and embeds on one thread",
)


class NoScrapy(WellreadError):
    """Scrapy is not installed: `make bench NAME=crawl` installs it, from the locked dependency group `bench`."""


class Unread(WellreadError):
    """Pages were not read; the message counts them."""


def measure(options: Options) -> Report:
    """Read the same pages by turns, then many; then by one process, part by part."""
    if find_spec("scrapy") is None:
        raise NoScrapy(NoScrapy.__doc__)
    processes = int(DefaultSettings().crawl_processes)
    with serving(max(options.pages, _TURN)) as urls:
        turns = [(_ours(urls[:_TURN], processes), _scrapy(urls[:_TURN])) for _ in range(_TURNS)]
        grown = _growth(_ours(urls[: options.pages], processes).found)
        parts = _parts(urls[:_ALONE], options)
    ours, theirs = max(ours.rate for ours, _ in turns), max(theirs.rate for _, theirs in turns)
    shares = {name: seconds / sum(parts.values()) for name, seconds in parts.items()}
    return Report(
        title=f"crawl: {_TURN} pages of {source()}, best of {_TURNS}",
        figures=[
            Figure(name=f"read by {processes} processes, as many as crawl workers", value=ours, unit="pages/s"),
            Figure(name="Scrapy, extracting in its callback", value=theirs, unit="pages/s"),
            Figure(name="read / Scrapy", value=ours / theirs, unit="×", at_least=1.5),
            Figure(name="CPU a page", value=1e3 * min(ours.cpu_s for ours, _ in turns), unit="ms"),
            Figure(name="CPU a page, Scrapy", value=1e3 * min(theirs.cpu_s for _, theirs in turns), unit="ms"),
            *(Figure(name=f"share: {name}", value=share * 100, unit="%") for name, share in shares.items()),
            Figure(name=f"memory, end / start of {options.pages} pages", value=grown, unit="×", at_most=1.1),
        ],
        notes=_NOTES,
        values={"pages_per_s": ours, "ratio_to_scrapy": ours / theirs, "shares": shares, "memory_growth": grown},
    )


@dataclass(frozen=True, kw_only=True)
class _Turn:
    rate: float  #: pages a second
    cpu_s: float  #: a page, of all processes but the site's
    found: Sequence[Read] = ()


def _ours(urls: Sequence[str], processes: int) -> _Turn:
    with readers(urls[0], processes) as ready:
        began = time.perf_counter()
        found = list(ready.read(urls))
        spent = time.perf_counter() - began
    kept = sum(each.outcome == ReadOutcome.READ for each in found)
    if kept < 0.98 * len(urls):
        raise Unread(f"ours read {kept} of {len(urls)} pages")
    return _Turn(rate=len(found) / spent, cpu_s=mean(each.cpu_s for each in found), found=found)


def _scrapy(urls: Sequence[str]) -> _Turn:
    command = [sys.executable, "-m", "benchmarks.crawl.scrapy"]
    done = subprocess.run(command, input=json.dumps(list(urls)), capture_output=True, text=True, check=False)
    if done.returncode:
        raise Unread(f"Scrapy ended with {done.returncode}: {done.stderr[-2000:]}")
    told = json.loads(done.stdout.splitlines()[-1])
    if told["pages"] < 0.98 * len(urls):
        raise Unread(f"Scrapy read {told['pages']} of {len(urls)} pages: {done.stderr[-2000:]}")
    return _Turn(rate=told["pages"] / told["seconds"], cpu_s=told["cpu"] / told["pages"])


def _growth(found: Sequence[Read]) -> float:
    """Return how much more the processes hold together at the end than when they had read their first pages."""
    early, late = found[_SETTLED // 2 : _SETTLED], found[-_SETTLED // 2 :]
    return mean(each.megabytes for each in late) / max(1.0, mean(each.megabytes for each in early))


def _parts(urls: Sequence[str], options: Options) -> dict[str, float]:
    """Seconds a page, by part."""
    reader = Reader(urls[0])
    reader.read(urls[0])
    found = [reader.read(url) for url in urls]
    reader.close()
    embedder = open_embedder(options.embedder, models_dir=options.models_dir, threads=1)
    texts = [[embedding_text(passage) for passage in each.passages] for each in found[-_EMBEDDED:]]
    embedder.embed(["warm"])
    began = time.perf_counter()
    for page in filter(None, texts):
        embedder.embed(page)
    embed_s = time.perf_counter() - began
    return {
        "fetch": mean(each.fetch_s for each in found),
        "extract": mean(each.extract_s for each in found),
        "chunk": mean(each.chunk_s for each in found),
        "embed": embed_s / _EMBEDDED,
    }
