"""Read a PDF's text in a process that is bounded in time and memory: a PDF can hang any parser.

Its pages are joined without running headers and footers, with words and paragraphs rejoined.
"""

import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from itertools import groupby
from typing import Any, Final, NamedTuple

from crawler.extract.bounded_process import BOUNDS, Bounds, Unreadable, parsed_lines
from crawler.extract.charset import CONTROL
from crawler.extract.element_text import Rendered
from crawler.extract.metadata import parse_date
from domain import PageText
from text.invisible import strip_invisible
from text.language import detect_page_language, is_gibberish

_PROCESS: Final = "crawler.extract.pdf_process"
#: titles that programs write by themselves
_NO_TITLE: Final = re.compile(r"untitled|microsoft \w+ - |(?:document|slide) ?\d*$|\S+\.\w{2,4}$", re.IGNORECASE)
_TITLE_CHARS: Final = 120
_WRONG: Final = "is not read: its letters cannot be told, as its fonts do not say which they are."
_SCANNED_PAGE: Final = "it is perhaps scanned, and pictures of text are not read"
_SCANNED: Final = (
    "it is perhaps scanned. Pictures of text are read once the extra is installed: pip install '.[ocr]' in a checkout"
)
_DIGITS = re.compile(r"\d+")
_BULLET = re.compile(r"[•‣▪◦·–*-]\s|\[[x ]\] |\(?\d{1,2}[.)]\s|[^\W\d_][^:.,;]{0,30}: \S")
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
_ENDS = (".", "!", "?", ":", "。", "”", '"')
#: lines at a page's edge that may be a header or footer, and on how many pages (share, least number) they then are
_EDGE, _REPEATS, _MANY = 2, 0.4, 3
_LONG = 7  #: digits: a longer number counts no pages
_FEW = 3  #: lines: a page with no more has no header or footer
#: of the usual width: a line at least as long continues in the next
_FULL = 0.75


def read_pdf(body: bytes, *, url: str, bounds: Bounds = BOUNDS, ocr: bool = False) -> PageText:
    """Return a PDF's text, title, dates and headings, and which of its pages are missing; raises Unreadable.

    With ``ocr``, the pages that are pictures are read, if the extra for that is installed.
    """
    started, wall_s = time.monotonic(), min(bounds.wall_s, bounds.all_s)
    limits = {"cpu_s": bounds.cpu_s, "memory": bounds.memory, "pages": bounds.pages, "chars": bounds.chars}
    lines = parsed_lines(_PROCESS, "text", body, wall_s=wall_s, **limits)
    failed = {"problem": f"could not be read within {bounds.cpu_s} s and {bounds.memory // 1_000_000} MB."}
    about: Mapping[str, Any] = next(lines, failed)
    others = list(lines)
    read = [line for line in others if "text" in line]
    problems = [line["problem"] for line in (about, *others) if "problem" in line]
    if problems and not read:  # else the pages before it are read
        raise Unreadable(problems[0])
    pages = [line["text"] for line in read]
    unread = [number for number, line in enumerate(read) if line.get("is_picture")]
    has_ocr, has_text = ocr and find_spec("rapidocr") is not None, any(page.strip() for page in pages)
    if has_ocr and (unread or not has_text):
        wall_s = min(bounds.ocr_wall_s, bounds.all_s - (time.monotonic() - started))
        found = _read_pictures(body, unread or range(len(pages)), bounds, wall_s=wall_s, is_needed=not has_text)
        pages = [found.get(number, page) for number, page in enumerate(pages)]
        unread = [number for number in unread if number not in found]
    wrong = [number for number, page in enumerate(pages) if read[number].get("is_lost") or is_gibberish(page)]
    written = join_pages(
        ["" if number in wrong else strip_invisible(CONTROL.sub(" ", page)) for number, page in enumerate(pages)],
        [Heading(*entry) for entry in about["outline"]],
    )
    if not written.text.strip():
        why = "its pictures hold none that can be read" if has_ocr else _SCANNED if ocr else _SCANNED_PAGE
        raise Unreadable(_WRONG if wrong else f"has {about['pages']} pages and no text: {why}.")
    own = about["about"]
    title = " ".join(strip_invisible(CONTROL.sub(" ", own["title"])).split())[:300]
    if not title or _NO_TITLE.match(title):
        title = written.text.split("\n", 1)[0][:_TITLE_CHARS].strip()
    return PageText(
        title=title or url,
        text=written.text,
        lang=detect_page_language(written.text, declared=own["lang"].split("-")[0].lower()[:3]),
        published=parse_date(own["published"]),
        modified=parse_date(own["modified"]),
        headings=written.headings,
        places=written.places,
        missing=_missing(range(len(pages), about["pages"]), unread, wrong, is_cut=about["is_cut"]),
    )


def _missing(beyond: Sequence[int], unread: Sequence[int], wrong: Sequence[int], *, is_cut: bool) -> tuple[str, ...]:
    missing = (
        _named(beyond),
        f"{len(unread):,} page{'s' * (len(unread) > 1)} of pictures" if unread else "",
        f"{_named(wrong)}, whose letters cannot be told" if wrong else "",
        "the end of the file, which is cut off" if is_cut else "",
    )
    return tuple(filter(None, missing))


def _named(pages: Sequence[int]) -> str:
    runs = [[number for _, number in run] for _, run in groupby(enumerate(pages), key=lambda each: each[0] - each[1])]
    named = ", ".join(f"{run[0] + 1:,} to {run[-1] + 1:,}" if len(run) > 1 else f"{run[0] + 1:,}" for run in runs)
    return f"page{'s' * (len(pages) > 1)} {named}" if named else ""


def _read_pictures(
    body: bytes, pages: Sequence[int], bounds: Bounds, *, wall_s: float, is_needed: bool
) -> dict[int, str]:
    """Return the text in the pictures of pages, by their number; raises Unreadable if some is needed and none found."""
    limits = {"cpu_s": bounds.ocr_cpu_s, "memory": bounds.ocr_memory, "failure": "its pictures could not be read"}
    wanted = list(pages[: bounds.ocr_pages])
    lines = list(parsed_lines(_PROCESS, "pictures", body, wall_s=wall_s, pages=wanted, **limits))
    found = {line["page"]: line["text"] for line in lines if "text" in line}
    if is_needed and not found:
        limit = f"they take more than {bounds.ocr_cpu_s} s of processor time or {bounds.ocr_memory // 1_000_000} MB."
        raise Unreadable(f"is scanned, and {next((line['problem'] for line in lines if 'problem' in line), limit)}")
    return found


class Heading(NamedTuple):
    """A heading of the file's outline."""

    page: int
    level: int
    title: str


def join_pages(pages: Sequence[str], outline: Sequence[Heading]) -> Rendered:
    """Join a file's pages, whose beginnings are its places; lines of the outline become headings."""
    lines = _without_edges([[line for line in map(_clean, page.splitlines()) if line] for page in pages])
    titles = {(heading.page, _key(heading.title)): heading for heading in reversed(outline)}
    lengths = sorted(len(line) for page in lines for line in page)
    width = lengths[int(0.9 * (len(lengths) - 1))] if lengths else 0  # of a full line: longer than nine of ten
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
    return " ".join(line.translate(_LIGATURES).split())


def _key(line: str) -> str:
    return _clean(line).casefold()


def _without_edges(pages: list[list[str]]) -> list[list[str]]:
    """Remove headers and footers: lines at the edge that are on many pages letter by letter, or count the pages."""
    least = max(_MANY, _REPEATS * len(pages))
    keys: list[dict[int, set[tuple[str, int]]]] = []
    for number, page in enumerate(pages, start=1):
        edge = {*range(_EDGE), *range(len(page) - _EDGE, len(page))} if len(page) > _FEW else ()
        keys.append({at: _keys(page, at, number, len(pages)) for at in edge})
    seen = Counter(key for page in keys for key in {key for of_line in page.values() for key in of_line})
    return [
        [line for at, line in enumerate(page) if not any(seen[key] >= least for key in of_page.get(at, ()))]
        for page, of_page in zip(pages, keys, strict=True)
    ]


def _keys(page: list[str], at: int, number: int, pages: int) -> set[tuple[str, int]]:
    """Return what is equal on other pages if a line is a header or footer: the line, or what it is ahead of the page.

    A number that is all of a line counts pages, and so does one before the number of all pages. One next to words does
    only at the foot: at the head it may be that of a chapter, or of what a page is about.
    """
    line = page[at]
    words, numbers = _DIGITS.sub("#", line), [int(found) for found in _DIGITS.findall(line) if len(found) < _LONG]
    of_all = len(numbers) == 2 and abs(numbers[1] - pages) <= _EDGE
    at_foot = len(numbers) == 1 and at >= len(page) - _EDGE and "#" in (words[0], words[-1])
    is_counted = bool(numbers) and (of_all or at_foot or not any(map(str.isalpha, words)))
    return {(line, 0), *({(words, numbers[0] - number)} if is_counted else ())}


def _gap(before: str, line: str, width: int) -> str:
    """Return the text between two lines: a blank within a paragraph; "-" if a word was hyphenated."""
    if before.endswith("-") and before[-2:-1].isalpha() and line[:1].islower():
        return "-"
    if _BULLET.match(line):
        return "\n"
    if len(before) >= _FULL * width or line[:1].islower():
        return " "
    return "\n\n" if before.endswith(_ENDS) else "\n"
