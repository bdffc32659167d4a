"""Join the pages of a PDF to one text: without running headers and footers, with words and paragraphs rejoined."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from crawler.extract.element_text import Rendered

_DIGITS = re.compile(r"\d+")
_SPACE = re.compile(r"\s+")
_BULLET = re.compile(r"[•‣▪◦·–*-]\s|\(?\d{1,2}[.)]\s")
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_LIGATURE = re.compile("[" + "".join(_LIGATURES) + "]")
_ENDS = (".", "!", "?", ":", "。", "”", '"')
#: lines at a page's edge that may be a header or footer, and on how many pages (share, least number) they then are
_EDGE, _REPEATS, _MANY = 2, 0.5, 3
_FEW = 3  #: lines: a page with no more has no header or footer
#: of the usual width: a line at least as long continues in the next
_FULL = 0.75


class Heading(NamedTuple):
    """A heading of the file's outline."""

    page: int
    level: int
    title: str


def join_pages(pages: Sequence[str], outline: Sequence[Heading]) -> Rendered:
    """Join a file's pages, whose beginnings are its places; lines of the outline become headings."""
    lines = _without_edges([_lines(page) for page in pages])
    titles = {(heading.page, _key(heading.title)): heading for heading in reversed(outline)}
    width = _width([line for page in lines for line in page])
    out, length = list[str](), 0
    headings, path, before = list[tuple[int, str]](), list[Heading](), ""
    places = list[tuple[int, str]]()
    for number, page in enumerate(lines):
        is_first = True
        for line in page:
            heading = titles.pop((number, _key(line)), None)
            gap = "\n\n" if heading or before == "\n" else _gap(before, line, width)
            if gap == "-":  # a hyphenated word
                out[-1], gap, length = out[-1][:-1], "", length - 1
            gap = gap if out else ""
            if is_first:
                places.append((length + len(gap), f"page {number + 1}"))
                is_first = False
            if heading:
                path = [*(above for above in path if above.level < heading.level), heading]
                headings.append((length + len(gap), " › ".join(_clean(above.title) for above in path)))
            out += [gap, line]
            length += len(gap) + len(line)
            before = "\n" if heading else line
    return Rendered(text="".join(out), headings=tuple(headings), places=tuple(places))


def _lines(page: str) -> list[str]:
    return [line for line in (_clean(line) for line in page.splitlines()) if line]


def _clean(line: str) -> str:
    return _LIGATURE.sub(lambda found: _LIGATURES[found[0]], _SPACE.sub(" ", line)).strip()


def _key(line: str) -> str:
    return _clean(line).casefold()


def _without_edges(pages: list[list[str]]) -> list[list[str]]:
    """Remove headers and footers: lines at the edge that are, except for numbers, on most pages."""
    seen = Counter(key for page in pages for key in {_DIGITS.sub("#", line) for line in _edge(page)})
    least = max(_MANY, _REPEATS * len(pages))
    often = {key for key, count in seen.items() if count >= least}
    return [
        [
            line
            for at, line in enumerate(page)
            if len(page) <= _FEW or _EDGE <= at < len(page) - _EDGE or _DIGITS.sub("#", line) not in often
        ]
        for page in pages
    ]


def _edge(page: list[str]) -> list[str]:
    return [*page[:_EDGE], *page[_EDGE:][-_EDGE:]]


def _width(lines: list[str]) -> int:
    """Return the length of a full line: longer than nine of ten lines."""
    lengths = sorted(map(len, lines))
    return lengths[int(0.9 * (len(lengths) - 1))] if lengths else 0


def _gap(before: str, line: str, width: int) -> str:
    """Return the text between two lines: a blank within a paragraph; "-" where a word was hyphenated."""
    if before.endswith("-") and before[-2:-1].isalpha() and line[:1].islower():
        return "-"
    if _BULLET.match(line):
        return "\n"
    if len(before) >= _FULL * width or line[:1].islower():
        return " "
    return "\n\n" if before.endswith(_ENDS) else "\n"
