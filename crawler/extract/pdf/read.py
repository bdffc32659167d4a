"""Read a PDF's text in a process that is bounded in time and memory: a PDF can hang any parser."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final

from crawler.extract.bounded_process import parsed_lines
from crawler.extract.element_text import Rendered
from crawler.extract.metadata import parse_date
from crawler.extract.pdf.layout import Heading, join_pages
from domain import PageText
from domain.errors import WellreadError
from text.invisible import strip_invisible
from text.language import detect_page_language

#: titles that programs write by themselves
_NO_TITLE: Final = re.compile(r"untitled|microsoft \w+ - |(?:document|slide) ?\d*$|\S+\.\w{2,4}$", re.IGNORECASE)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udfff]")
_TITLE_CHARS: Final = 120
_SCANNED_PAGE: Final = "it is perhaps scanned, and pictures of text are not read"
_SCANNED: Final = (
    "it is perhaps scanned. Pictures of text are read once the extra is installed: pip install '.[ocr]' in a checkout"
)


@dataclass(frozen=True, kw_only=True)
class PdfBounds:
    """Limits for reading one file; a file beyond them is read up to there."""

    pages: int = 500
    chars: int = 2_000_000
    cpu_s: int = 20
    wall_s: float = 30.0
    memory: int = 1_000_000_000  #: bytes of address space


@dataclass(frozen=True, kw_only=True)
class OcrBounds:
    """Limits for reading the pictures of one file; a page takes about a second."""

    pages: int = 500
    cpu_s: int = 60
    wall_s: float = 75.0
    memory: int = 3_000_000_000  #: bytes of address space; some 800 MB are used


_BOUNDS: Final = PdfBounds()


class NoPdfText(WellreadError):
    """The file has no readable text; the message continues a sentence that begins with its URL."""


def read_pdf(body: bytes, *, url: str, bounds: PdfBounds = _BOUNDS, ocr: OcrBounds | None = None) -> PageText:
    """Return a PDF's text, title, dates and headings; of a long one the first pages. Raises NoPdfText.

    With ``ocr``, the pictures of one without text are read, where the extra for that is installed.
    """
    about: dict[str, Any] = {}
    pages = list[str]()
    limits = map(str, (bounds.cpu_s, bounds.memory, bounds.pages, bounds.chars))
    for line in parsed_lines(("-m", "crawler.extract.pdf.child_process", *limits), body, wall_s=bounds.wall_s):
        if "problem" in line and not pages:
            raise NoPdfText(f"{line['problem']}.")
        if "text" in line:
            pages.append(_CONTROL.sub(" ", line["text"]))
        about = about or dict(line)
    if not about:
        raise NoPdfText(f"could not be read within {bounds.cpu_s} s and {bounds.memory // 1_000_000} MB.")
    has_ocr = ocr is not None and is_installed()
    if ocr is not None and has_ocr and not any(page.strip() for page in pages):
        pages = _read_pictures(body, ocr)
    written = join_pages(
        [strip_invisible(page) for page in pages], [Heading(*entry) for entry in about.get("outline", ())]
    )
    if not written.text.strip():
        why = "its pictures hold none that can be read" if has_ocr else _SCANNED if ocr else _SCANNED_PAGE
        raise NoPdfText(f"has {about.get('pages', 0)} pages and no text: {why}.")
    return _page(written, about.get("about", {}), url)


def is_installed() -> bool:
    """Return whether the packages of the extra "ocr" are there."""
    return all(find_spec(name) is not None for name in ("rapidocr", "pypdfium2"))


def _read_pictures(body: bytes, bounds: OcrBounds) -> list[str]:
    command = ("-m", "crawler.extract.pdf.ocr_process", *map(str, (bounds.cpu_s, bounds.memory, bounds.pages)))
    lines = list(parsed_lines(command, body, wall_s=bounds.wall_s))
    if not any("text" in line for line in lines):
        limit = f"they take more than {bounds.cpu_s} s of processor time or {bounds.memory // 1_000_000} MB"
        raise NoPdfText(f"is scanned, and {next((line['problem'] for line in lines if 'problem' in line), limit)}.")
    return [_CONTROL.sub(" ", line["text"]) for line in lines if "text" in line]


def _page(written: Rendered, about: dict[str, str], url: str) -> PageText:
    return PageText(
        title=_title(about.get("title", ""), written.text) or url,
        text=written.text,
        lang=detect_page_language(written.text, declared=about.get("lang", "").split("-")[0].lower()[:3]),
        published=parse_date(about.get("published", "")),
        modified=parse_date(about.get("modified", "")),
        headings=written.headings,
        places=written.places,
    )


def _title(named: str, text: str) -> str:
    """Return the file's title, unless a program wrote it; else its first line."""
    title = " ".join(strip_invisible(_CONTROL.sub(" ", named)).split())
    if title and not _NO_TITLE.match(title):
        return title[:300]
    return text.split("\n", 1)[0][:_TITLE_CHARS].strip()
