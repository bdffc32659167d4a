"""Measure questions answered from the knowledge base over HTTP while a site is read and embedded, beside alone."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count, cycle
from pathlib import Path

from api.cli.demo.site_server import serve
from benchmarks.corpus.knowledge_base import make_knowledge_base, real_set
from benchmarks.crawl import site as pages_of_a_site
from benchmarks.report import Figure, Options, Report, ratio, spread
from evals.measure.stopwatch import seconds_of
from evals.sandbox import sandbox, up
from wellread import Client

#: pages of the site
_PAGES = 500
#: questions asked before measuring
_WARM = 15
_WAIT_S = 60.0
#: how much later an answer may come
_LATER = 1.2


def measure(options: Options) -> Report:
    """Ask one question after another, each as a new row: alone, then until a site is read."""
    texts = cycle([question.text for question in real_set().questions if question.answerable])
    with sandbox() as settings, _site(_PAGES) as address:
        shutil.copytree(make_knowledge_base(options), settings.data_dir, dirs_exist_ok=True)
        with up(settings, WELLREAD_EMBEDDER="minilm") as (_, client):

            def ask() -> float:
                return seconds_of(lambda: client.ask(next(texts), wait=_WAIT_S, crawl_enabled=False, reuse=False))

            for _ in range(_WARM):
                ask()
            alone = [ask() for _ in range(options.rounds)]
            client.add_source(address, own=True, min_delay_s=0.0)
            is_read = _reading(client, address)
            began, meanwhile = time.monotonic(), list[float]()
            for number in count(1):
                meanwhile.append(ask())
                if number % 10 == 0 and is_read():
                    break
            read_s = time.monotonic() - began
    p95_ratio = _p95(meanwhile) / _p95(alone)
    return Report(
        title=f"while_reading: {options.passages:,} passages, {len(meanwhile)} questions while {_PAGES} pages are read",
        figures=[
            *spread("answered over HTTP, alone", alone),
            *spread("answered over HTTP, while pages are read", meanwhile),
            ratio("the median, while pages are read / alone", meanwhile, alone, at_most=_LATER),
            Figure(name="p95, while pages are read / alone", value=p95_ratio, unit="×", at_most=_LATER),
            Figure(name="pages read and embedded in a second meanwhile", value=_PAGES / read_s),
        ],
        notes=("the pages are synthetic, of some 500 words each",),
    )


def _p95(seconds: list[float]) -> float:
    return sorted(seconds)[int(0.95 * (len(seconds) - 1))]


def _reading(client: Client, address: str) -> Callable[[], bool]:
    """Begin to read a site; return what tells whether all of it is in the knowledge base."""
    begun = client.read_site(address)

    def is_read() -> bool:
        now = client.site_read(begun.id)
        return now.status.is_final and now.embedding == 0

    return is_read


@contextmanager
def _site(number: int) -> Iterator[str]:
    """Serve pages and an index of them; yield its address."""
    with tempfile.TemporaryDirectory(prefix="wr-site-") as name:
        folder = Path(name)
        for place, page in enumerate(pages_of_a_site.pages(number, folders=())):
            (folder / f"page-{place}.html").write_bytes(page)
        links = "".join(f'<li><a href="page-{place}.html">Page {place}</a></li>' for place in range(number))
        (folder / "index.html").write_text(f"<title>All pages</title><ul>{links}</ul>", "utf-8")
        with serve(folder) as site:
            yield f"{site.origin}/"
