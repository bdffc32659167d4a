"""Join the pages of a PDF to one text: without running headers and footers, with words and paragraphs rejoined."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from crawler.extract.element_text import Rendered

_DIGITS = re.compile(r"\d+")
_SPACE = re.compile(r"\s+")
_BULLET = re.compile(r"[•‣▪◦·–*-]\s|\[[x ]\] |\(?\d{1,2}[.)]\s|[^\W\d_][^:.,;]{0,30}: \S")
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_LIGATURE = re.compile("[" + "".join(_LIGATURES) + "]")
_ENDS = (".", "!", "?", ":", "。", "”", '"')
#: lines at a page's edge that may be a header or footer, and on how many pages (share, least number) they then are
_EDGE, _REPEATS, _MANY = 2, 0.4, 3
_LONG = 7  #: digits: a longer number counts no pages
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
    lines = _without_edges([[line for line in map(_clean, page.splitlines()) if line] for page in pages])
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
            if is_first and before.endswith(_ENDS):  # the paragraph has ended with its page
                gap = "\n\n"
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


def _clean(line: str) -> str:
    return _LIGATURE.sub(lambda found: _LIGATURES[found[0]], _SPACE.sub(" ", line)).strip()


def _key(line: str) -> str:
    return _clean(line).casefold()


def _without_edges(pages: list[list[str]]) -> list[list[str]]:
    """Remove headers and footers: lines at the edge that are on many pages letter by letter, or count the pages."""
    least = max(_MANY, _REPEATS * len(pages))
    keys = [
        {at: _keys(page, at, number, len(pages)) for at in _edge(page)} for number, page in enumerate(pages, start=1)
    ]
    seen = Counter(key for page in keys for key in {key for of_line in page.values() for key in of_line})
    return [
        [line for at, line in enumerate(page) if not any(seen[key] >= least for key in of_page.get(at, ()))]
        for page, of_page in zip(pages, keys, strict=True)
    ]


def _keys(page: list[str], at: int, number: int, pages: int) -> set[tuple[str, int]]:
    """Return what is equal on other pages if a line is a header or footer: the line, or what it is ahead of the page.

    A number that is all of a line counts pages, and so does one before the number of all pages. One beside words does
    only at the foot: at the head it may be that of a chapter, or of what a page is about.
    """
    line = page[at]
    words, numbers = _DIGITS.sub("#", line), [int(found) for found in _DIGITS.findall(line) if len(found) < _LONG]
    of_all = len(numbers) == 2 and abs(numbers[1] - pages) <= _EDGE
    at_foot = len(numbers) == 1 and at >= len(page) - _EDGE and "#" in (words[0], words[-1])
    is_counted = bool(numbers) and (of_all or at_foot or not any(map(str.isalpha, words)))
    return {(line, 0), *({(words, numbers[0] - number)} if is_counted else ())}


def _edge(page: list[str]) -> set[int]:
    """Return where the lines at a page's edges stand; none of a page that has hardly any."""
    return {*range(_EDGE), *range(len(page) - _EDGE, len(page))} if len(page) > _FEW else set()


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
