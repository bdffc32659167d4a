"""Read DOCX, ODT, PPTX and EPUB: they are unpacked and parsed in a bounded process, and written as a page is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

from crawler.extract.bounded_process import parsed_lines, read_bounded
from crawler.extract.document import MAX_SOURCE
from crawler.extract.element_text import Rendered, render
from crawler.extract.html import parse
from crawler.extract.metadata import parse_date
from crawler.extract.visibility import drop_hidden, drop_invisible_characters
from domain import Block, PageText
from domain.errors import WellreadError
from text.invisible import strip_invisible
from text.language import detect_page_language


@dataclass(frozen=True, kw_only=True)
class OfficeBounds:
    """Limits for reading one file; a file beyond them is read up to there."""

    chars: int = MAX_SOURCE  #: of the HTML that it is written as
    cpu_s: int = 20
    wall_s: float = 40.0
    memory: int = 1_500_000_000  #: bytes of address space


_BOUNDS: Final = OfficeBounds()
#: when the templates were made that python-docx and python-pptx write into every file
_TEMPLATES: Final = tuple(
    datetime.fromisoformat(f"{day}+00:00")
    for day in ("2013-12-23T23:15:00", "2013-01-27T09:14:16", "2013-01-27T09:15:58")
)


class NoOfficeText(WellreadError):
    """The file has no readable text; the message continues a sentence that begins with its address."""


def read_office(body: bytes, *, title: str, bounds: OfficeBounds = _BOUNDS) -> PageText:
    """Return a document's text, headings, places and dates; ``title`` is what it has if it names none.

    Raises NoOfficeText.
    """
    about: Mapping[str, str] = {}
    parts: list[tuple[Rendered, str]] = []
    limits = map(str, (bounds.cpu_s, bounds.memory, bounds.chars))
    command = ("-m", "crawler.extract.files.child_process", *limits)
    is_whole = False
    for line in parsed_lines(command, body, wall_s=bounds.wall_s):
        if "problem" in line and not parts:
            raise NoOfficeText(line["problem"])
        about = line.get("about", about)
        is_whole = is_whole or "end" in line
        if "html" in line:
            html = line["html"]
            parts.append((read_bounded(partial(_rendered, html), len(html)), line.get("place", "")))
    if not is_whole and not parts:
        raise NoOfficeText(f"could not be read within {bounds.cpu_s} s and {bounds.memory // 1_000_000} MB.")
    page = _joined(parts)
    if not page.text.strip():
        raise NoOfficeText("has no text: it is empty, or contains only pictures, which are not read.")
    named = " ".join(strip_invisible(about.get("title", "")).split())
    created, modified = _date(about.get("created", "")), _date(about.get("modified", ""))
    return PageText(
        title=named[:300] or (page.headings[0][1].partition(" › ")[0] if page.headings else title),
        text=page.text,
        lang=detect_page_language(page.text, declared=about.get("language", "").split("-")[0].lower()[:3]),
        # a document begun from an old one keeps the day when that was made
        published=max(created, modified) if created and modified else created or modified,
        modified=modified,
        headings=page.headings,
        blocks=page.blocks,
        places=page.places,
    )


def _date(value: str) -> datetime | None:
    """Return a date of a document, unless it is that of the template which its program began it from."""
    when = parse_date(value)
    return None if when in _TEMPLATES else when


def _rendered(html: str) -> Rendered:
    tree: Any = parse(html) if html.strip() else None
    if tree is None:
        return Rendered(text="")
    drop_invisible_characters(tree)
    drop_hidden(tree)
    body = tree.find("body")
    return render(tree if body is None else body)


def _joined(parts: Iterable[tuple[Rendered, str]]) -> Rendered:
    """Return the parts as one text with blank lines between them."""
    out: list[str] = []
    length = 0
    headings, blocks, places = list[tuple[int, str]](), list[Block](), list[tuple[int, str]]()
    for part, place in parts:
        if not part.text.strip():
            continue
        start = length + 2 if out else 0
        out.append(part.text)
        length = start + len(part.text)
        headings += [(start + at, heading) for at, heading in part.headings]
        blocks += [Block(kind=each.kind, start=start + each.start, end=start + each.end) for each in part.blocks]
        places += [(start, place)] if place else []
    return Rendered(text="\n\n".join(out), headings=tuple(headings), blocks=tuple(blocks), places=tuple(places))
