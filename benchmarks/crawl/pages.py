"""The pages that both crawlers read: two published manuals, or synthetic pages where neither is installed."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from html import escape
from itertools import cycle, islice
from pathlib import Path

from benchmarks.corpus.synthetic import Language, SyntheticPage
from evals.measure.crawl_focus import MANUALS

#: synthetic pages, enough that none is read often
_SYNTHETIC = 500
#: a longer page is an index, and would take most of the time
_MAX_BYTES = 400_000
_LINKS = 20


def pages(count: int, folders: Collection[Path] = tuple(MANUALS.values())) -> Iterator[bytes]:
    """Yield ``count`` pages of HTML, from the first again where there are fewer."""
    files = [file for folder in folders for file in folder.rglob("*.html") if _is_page(file)]
    if files:
        # a fixed order that mixes the manuals
        files.sort(key=lambda file: hashlib.blake2b(file.name.encode()).digest())
        yield from (file.read_bytes() for file in islice(cycle(files), count))
    else:
        made = list(Language(_SYNTHETIC).pages())
        yield from islice(cycle([html_of(each, made) for each in made]), count)


def source() -> str:
    """Return the name of these pages."""
    found = [folder.parent.name for folder in MANUALS.values() if folder.is_dir()]
    return " and ".join(found) if found else "synthetic pages (neither manual is installed)"


def _is_page(file: Path) -> bool:
    return file.is_file() and file.stat().st_size <= _MAX_BYTES


def html_of(page: SyntheticPage, pages: list[SyntheticPage]) -> bytes:
    """Return a synthetic page as HTML with navigation and a footer."""
    title, at = escape(page.page.title), pages.index(page)
    links = "".join(
        f'<li><a href="{other.url}">{escape(other.page.title)}</a></li>' for other in pages[at : at + _LINKS]
    )
    text = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in page.page.text.split("\n\n"))
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title></head><body>"
        f"<nav><ul>{links}</ul></nav><div class=content><h1>{title}</h1>{text}</div>"
        "<footer>Made up.</footer></body></html>"
    ).encode()
