"""The pages that both crawlers read: two manuals as their projects publish them, or where neither is here, made-up."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from html import escape
from itertools import cycle, islice
from pathlib import Path

from benchmarks.corpus.synthetic import Language, MadeUp

#: Debian's python3.11-doc and postgresql-doc-15
MANUALS = (Path("/usr/share/doc/python3.11/html"), Path("/usr/share/doc/postgresql-doc-15/html"))
#: made-up pages, enough that none is read often
_MADE_UP = 500
#: a longer page is an index, and would be most of what is measured
_MAX_BYTES = 400_000
_LINKS = 20


def pages(count: int) -> Iterator[bytes]:
    """Yield ``count`` pages of HTML, from the beginning again where there are fewer."""
    files = [file for folder in MANUALS for file in folder.rglob("*.html") if _is_page(file)]
    if files:
        # in an order that mixes the manuals and stays the same
        files.sort(key=lambda file: hashlib.blake2b(file.name.encode()).digest())
        yield from (file.read_bytes() for file in islice(cycle(files), count))
    else:
        made = list(Language(_MADE_UP).pages())
        yield from islice(cycle([_html(each, made) for each in made]), count)


def source() -> str:
    """Say which pages these are."""
    found = [folder.parent.name for folder in MANUALS if folder.is_dir()]
    return " and ".join(found) if found else "made-up pages (neither manual is installed)"


def _is_page(file: Path) -> bool:
    return file.is_file() and file.stat().st_size <= _MAX_BYTES


def _html(each: MadeUp, made: list[MadeUp]) -> bytes:
    """A made-up page among what stands around pages."""
    title, at = escape(each.page.title), made.index(each)
    links = "".join(
        f'<li><a href="{other.url}">{escape(other.page.title)}</a></li>' for other in made[at : at + _LINKS]
    )
    text = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in each.page.text.split("\n\n"))
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title></head><body>"
        f"<nav><ul>{links}</ul></nav><div class=content><h1>{title}</h1>{text}</div>"
        "<footer>Made up.</footer></body></html>"
    ).encode()
