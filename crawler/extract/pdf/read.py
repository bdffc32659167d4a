"""Read a PDF's text in a process that is bounded in time and memory: a PDF can hang any parser."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from crawler.extract.bounded_process import parsed_lines
from crawler.extract.element_text import Rendered
from crawler.extract.metadata import parse_date
from crawler.extract.pdf.layout import Heading, join_pages
from crawler.language import detect_page_language
from domain import PageText
from domain.errors import WellreadError
from text.invisible import strip_invisible

#: titles that programs write by themselves
_NO_TITLE: Final = re.compile(r"untitled|microsoft \w+ - |(?:document|slide) ?\d*$|\S+\.\w{2,4}$", re.IGNORECASE)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udfff]")
_TITLE_CHARS: Final = 120


@dataclass(frozen=True, kw_only=True)
class PdfBounds:
    """Limits for reading one file; a file beyond them is read up to there."""

    pages: int = 500
    chars: int = 2_000_000
    cpu_s: int = 20
    wall_s: float = 30.0
    memory: int = 1_000_000_000  #: bytes of address space


_BOUNDS: Final = PdfBounds()


class NoPdfText(WellreadError):
    """The file has no readable text; the message continues a sentence that begins with its URL."""


def read_pdf(body: bytes, *, url: str, bounds: PdfBounds = _BOUNDS) -> PageText:
    """Return a PDF's text, title, dates and headings; of a long one the first pages. Raises NoPdfText."""
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
    written = join_pages(
        [strip_invisible(page) for page in pages], [Heading(*entry) for entry in about.get("outline", ())]
    )
    if not written.text.strip():
        raise NoPdfText(
            f"has {about.get('pages', 0)} pages and no text: it is perhaps scanned, and pictures of text are not read."
        )
    return _page(written, about.get("about", {}), url)


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
