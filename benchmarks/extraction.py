"""Measure how long a page takes to extract, beside trafilatura on the same pages in the same run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from benchmarks.report import Figure, Options, Report, ratio
from crawler.extract.document import extract
from crawler.extract.main_content import library_text
from evals.measure.stopwatch import seconds_of
from evals.sets.pages import GoldPage, read_pages

_ROUNDS = 5


def measure(options: Options) -> Report:
    """Extract each page of known main text in turn with both, one thread; the first round is not counted."""
    manuals, articles = list(read_pages("manuals")), list(read_pages("articles"))
    figures: list[Figure] = []
    for name, pages in (("manual", manuals), ("article", articles)):
        ours, theirs = _in_turn(pages)
        figures += [
            Figure(name=f"{name}, a page", value=sum(ours) / len(ours) * 1e3, unit="ms"),
            Figure(name=f"{name}, trafilatura alone", value=sum(theirs) / len(theirs) * 1e3, unit="ms"),
            ratio(f"{name}, ours / trafilatura", ours, theirs),
        ]
    size = sum(len(page.html) for page in (*manuals, *articles)) / (len(manuals) + len(articles)) / 1e3
    return Report(
        title=f"extraction: {len(manuals)} pages of manuals and {len(articles)} articles of {size:.0f} kB, one thread",
        figures=figures,
        notes=("ours also reads links, facts and dates, and detects the language",),
    )


def _in_turn(pages: Sequence[GoldPage]) -> tuple[list[float], list[float]]:
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(_ROUNDS):
        for page in pages:
            body = page.html.encode()
            ours.append(seconds_of(partial(extract, body, url="http://a.example/", content_type="text/html")))
            theirs.append(seconds_of(partial(library_text, body)))
    return ours[len(pages) :], theirs[len(pages) :]
