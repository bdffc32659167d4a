"""Read a PDF's text in a process that is bounded in time and memory: a PDF can hang any parser."""

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from itertools import groupby
from typing import Any, Final

from crawler.extract.bounded_process import BOUNDS, Bounds, parsed_lines
from crawler.extract.element_text import Rendered
from crawler.extract.metadata import parse_date
from crawler.extract.pdf.layout import Heading, join_pages
from domain import PageText
from domain.errors import WellreadError
from text.invisible import strip_invisible
from text.language import detect_page_language, is_gibberish

#: titles that programs write by themselves
_NO_TITLE: Final = re.compile(r"untitled|microsoft \w+ - |(?:document|slide) ?\d*$|\S+\.\w{2,4}$", re.IGNORECASE)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udfff]")
_TITLE_CHARS: Final = 120
_SCANNED_PAGE: Final = "it is perhaps scanned, and pictures of text are not read"
_SCANNED: Final = (
    "it is perhaps scanned. Pictures of text are read once the extra is installed: pip install '.[ocr]' in a checkout"
)


class NoPdfText(WellreadError):
    """The file has no readable text; the message continues a sentence that begins with its URL."""


def read_pdf(body: bytes, *, url: str, bounds: Bounds = BOUNDS, ocr: bool = False) -> PageText:
    """Return a PDF's text, title, dates and headings, and which of its pages are missing; raises NoPdfText.

    With ``ocr``, the pages that are pictures are read, where the extra for that is installed.
    """
    about, started = dict[str, Any](), time.monotonic()
    lines = list[dict[str, Any]]()
    limits = map(str, (bounds.cpu_s, bounds.memory, bounds.pages, bounds.chars))
    command, wall_s = ("-m", "crawler.extract.pdf.child_process", *limits), min(bounds.wall_s, bounds.all_s)
    for line in parsed_lines(command, body, wall_s=wall_s):
        if "problem" in line and not lines:
            raise NoPdfText(f"{line['problem']}.")
        if "text" in line:
            lines.append(dict(line))
        about = about or dict(line)
    if not about:
        raise NoPdfText(f"could not be read within {bounds.cpu_s} s and {bounds.memory // 1_000_000} MB.")
    pages = [line["text"] for line in lines]
    unread = [number for number, line in enumerate(lines) if line.get("is_picture")]
    has_ocr = ocr and is_installed()
    if has_ocr and (unread or not any(page.strip() for page in pages)):
        try:
            left = replace(bounds, ocr_wall_s=min(bounds.ocr_wall_s, bounds.all_s - (time.monotonic() - started)))
            found = _read_pictures(body, unread or list(range(len(pages))), left)
        except NoPdfText:
            if not any(page.strip() for page in pages):
                raise
            found = {}
        pages = [found.get(number, page) for number, page in enumerate(pages)]
        unread = [number for number in unread if number not in found]
    wrong = [number for number, page in enumerate(pages) if lines[number].get("is_lost") or is_gibberish(page)]
    written = join_pages(
        ["" if number in wrong else strip_invisible(_CONTROL.sub(" ", page)) for number, page in enumerate(pages)],
        [Heading(*entry) for entry in about.get("outline", ())],
    )
    if not written.text.strip():
        raise NoPdfText(_why_none(about.get("pages", 0), wrong, ocr=ocr, has_ocr=has_ocr))
    beyond = list(range(len(pages), about.get("pages", 0)))
    missing = (
        _named(beyond),
        f"{len(unread):,} page{'s' * (len(unread) > 1)} of pictures" if unread else "",
        f"{_named(wrong)}, whose letters cannot be told" if wrong else "",
        "the end of the file, which is cut off" if about.get("is_cut") else "",
    )
    return _page(written, about.get("about", {}), url, tuple(filter(None, missing)))


def _why_none(pages: int, wrong: Sequence[int], *, ocr: bool, has_ocr: bool) -> str:
    if wrong:
        return "is not read: its letters cannot be told, as its fonts do not say which they are."
    why = "its pictures hold none that can be read" if has_ocr else _SCANNED if ocr else _SCANNED_PAGE
    return f"has {pages} pages and no text: {why}."


def _named(pages: Sequence[int]) -> str:
    """Return pages by their numbers, those that follow each other together: "pages 3 to 5, 9"."""
    runs = [[number for _, number in run] for _, run in groupby(enumerate(pages), key=lambda each: each[0] - each[1])]
    named = ", ".join(f"{run[0] + 1:,} to {run[-1] + 1:,}" if len(run) > 1 else f"{run[0] + 1:,}" for run in runs)
    return f"page{'s' * (len(pages) > 1)} {named}" if named else ""


def is_installed() -> bool:
    """Return whether the package of the extra "ocr" is there."""
    return find_spec("rapidocr") is not None


def _read_pictures(body: bytes, pages: Sequence[int], bounds: Bounds) -> dict[int, str]:
    """Return the text in the pictures of pages, by their number; raises NoPdfText if none could be looked at."""
    wanted = ",".join(map(str, pages[: bounds.ocr_pages]))
    command = ("-m", "crawler.extract.pdf.ocr_process", str(bounds.ocr_cpu_s), str(bounds.ocr_memory), wanted)
    lines = list(parsed_lines(command, body, wall_s=bounds.ocr_wall_s))
    found = {line["page"]: line["text"] for line in lines if "text" in line}
    if not found:
        limit = f"they take more than {bounds.ocr_cpu_s} s of processor time or {bounds.ocr_memory // 1_000_000} MB"
        raise NoPdfText(f"is scanned, and {next((line['problem'] for line in lines if 'problem' in line), limit)}.")
    return found


def _page(written: Rendered, about: dict[str, str], url: str, missing: tuple[str, ...]) -> PageText:
    return PageText(
        title=_title(about.get("title", ""), written.text) or url,
        text=written.text,
        lang=detect_page_language(written.text, declared=about.get("lang", "").split("-")[0].lower()[:3]),
        published=parse_date(about.get("published", "")),
        modified=parse_date(about.get("modified", "")),
        headings=written.headings,
        places=written.places,
        missing=missing,
    )


def _title(named: str, text: str) -> str:
    """Return the file's title, unless a program wrote it; else its first line."""
    title = " ".join(strip_invisible(_CONTROL.sub(" ", named)).split())
    if title and not _NO_TITLE.match(title):
        return title[:300]
    return text.split("\n", 1)[0][:_TITLE_CHARS].strip()
