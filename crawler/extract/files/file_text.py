"""Read a file of the operator's own: its first bytes say what it is; its name only tells kinds of text apart.

The kinds are ``KINDS`` of :mod:`crawler.file_kinds`; ``file_process.py`` reads them in a process of its own.
"""

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Any, Final

from crawler.extract.bounded_process import BOUNDS, Bounds, Unreadable, parsed_lines
from crawler.extract.charset import CONTROL, decode, wide_charset
from crawler.extract.document import NO_LETTERS, NothingToRead, extract, markdown_to_html
from crawler.extract.element_text import Rendered, render
from crawler.extract.files.rows import render_rows, rows_of
from crawler.extract.files.texts import to_markdown
from crawler.extract.html import parse
from crawler.extract.html_tables import level_tables
from crawler.extract.metadata import parse_date
from crawler.extract.pdf import read_pdf
from crawler.extract.superscripts import write_superscripts
from crawler.extract.visibility import drop_hidden, drop_invisible_characters
from crawler.file_kinds import BY_SUFFIX, NAMES, FileKind, suffix_of
from domain import Block, PageText
from domain.file import name_of
from text.invisible import strip_invisible
from text.language import detect_page_language, is_gibberish

_BINARY_READERS: Final = frozenset({"archive", "pdf", "workbook"})
#: what is parsed in a process of its own
_PARSED: Final = frozenset({"archive", "workbook", "json", "notebook", "mail"})
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_OLE: Final = "EncryptedPackage".encode("utf-16-le")
_WORKBOOK_OLE: Final = ("Workbook".encode("utf-16-le"), "Book\0".encode("utf-16-le"))
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
_BINARY: Final = {
    b"\x89PNG": "a picture", b"GIF8": "a picture", b"\xff\xd8\xff": "a picture", b"RIFF": "a picture or sound",
    b"\x1f\x8b": "a packed file", b"Rar!": "a packed file", b"7z\xbc\xaf": "a packed file", b"\x7fELF": "a program",
    b"MZ": "a program", b"OggS": "sound", b"ID3": "sound",
}  # fmt: skip
#: texts begin so, too: only a NUL byte tells them apart
_SHORT: Final = frozenset({b"MZ", b"ID3"})
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
#: when the templates were made that python-docx and python-pptx write into every file
_TEMPLATES: Final = tuple(
    datetime.fromisoformat(f"{day}+00:00")
    for day in ("2013-12-23T23:15:00", "2013-01-27T09:14:16", "2013-01-27T09:15:58")
)


def read_file(body: bytes, *, address: str, bounds: Bounds = BOUNDS) -> PageText:
    """Return a file's text; raises NothingToRead, whose message says why and what to do."""
    return read_document(body, name=name_of(address), url=address, bounds=bounds, pictures=True)


def read_document(
    body: bytes, *, name: str, url: str, bounds: Bounds = BOUNDS, kind: FileKind | None = None, pictures: bool = False
) -> PageText:
    """Return the text of a file called ``name``, of the kind that the name tells unless one is given.

    With ``pictures``, those of a scanned PDF are read if the extra for that is installed. Raises NothingToRead.
    """
    try:
        page = _read(body, url, name, kind or BY_SUFFIX.get(suffix_of(name)), bounds, pictures)
    except Unreadable as error:
        raise NothingToRead(f"{name} {error}") from error
    except NothingToRead as error:
        raise NothingToRead(str(error).replace(url, name)) from error
    if is_gibberish(page.text):
        raise NothingToRead(f"{name} {NO_LETTERS}")
    return page


def _read(body: bytes, url: str, name: str, kind: FileKind | None, bounds: Bounds, pictures: bool) -> PageText:
    if not body.strip():
        raise NothingToRead(f"{name} is empty.")
    start = body[:1024]
    if kind is not None and kind.reader not in _BINARY_READERS:  # in a text, only blanks come before its mark
        is_pdf = start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"%PDF-")
    else:
        is_pdf = b"%PDF-" in start
    if is_pdf:
        return _titled(read_pdf(body[body.index(b"%PDF-") :], url=url, bounds=bounds, ocr=pictures), url, name)
    if body.startswith(_ZIP):
        return _read_parts("archive", body, name, bounds)
    if body.startswith(_OLE):
        if _ENCRYPTED_OLE in body:
            raise NothingToRead(f"{name} is encrypted: it opens only with a password. Save it without one.")
        if not any(mark in body for mark in _WORKBOOK_OLE):
            raise NothingToRead(f"{name} is in an old format (DOC or PPT): save it as DOCX, PPTX or PDF.")
        return _read_parts("workbook", body, name, bounds)
    if kind is not None and kind.reader in _BINARY_READERS:
        raise NothingToRead(f"{name} is no {kind.name} file, or is damaged: its first bytes are those of none.")
    _refuse_binary(body, name)
    if kind is None:
        raise NothingToRead(f"{name} is of a kind that is not read: only {NAMES} are.")
    if kind.reader in _PARSED:
        return _read_parts(kind.reader, body, name, bounds)
    if kind.reader == "rows":
        rendered, rest = render_rows(rows_of(CONTROL.sub(" ", decode(body))), bounds.chars)
        return _page(name, rendered, {}, [], [rest] if rest else [])
    if kind.reader == "markup":
        body = to_markdown(decode(body), suffix_of(name)).encode()
    page = extract(body, url=url, content_type=kind.content_type, max_chars=bounds.chars)
    return _titled(page, url, name)


def _titled(page: PageText, url: str, name: str) -> PageText:
    """Return a file's page: what a site says of indexing, and of where it is, does not count for a file."""
    title = page.title if page.title != url else name
    return replace(page, title=title, canonical_url="", links=(), is_hub=False, index=True, follow=False)


def _refuse_binary(body: bytes, name: str) -> None:
    has_nul = b"\0" in body[:4096]
    for mark, what in _BINARY.items():
        if body.startswith(mark) and (has_nul if mark in _SHORT else not body[:4].isalpha()):
            raise NothingToRead(f"{name} is {what}, whatever its name says: only {NAMES} are read.")
    if has_nul and not wide_charset(body) and not body.startswith(_UTF_16):
        raise NothingToRead(f"{name} is binary, whatever its name says: only {NAMES} are read.")


def _read_parts(reader: str, body: bytes, name: str, bounds: Bounds) -> PageText:
    parts, unread, missing = list[Rendered](), list[str](), list[str]()
    is_whole, left = False, bounds.chars
    about: Mapping[str, str] = {}
    limits = {"cpu_s": bounds.cpu_s, "memory": bounds.memory, "chars": bounds.chars}
    lines = parsed_lines("crawler.extract.files.file_process", reader, body, wall_s=bounds.wall_s, **limits)
    for sheet, some in groupby(lines, key=lambda line: line.get("sheet")):
        if sheet is not None:  # all rows of a sheet are read as one
            some = iter([{"sheet": sheet, "rows": [row for line in some for row in line["rows"]]}])
        for line in some:
            if "problem" in line and not parts:
                raise NothingToRead(f"{name} {line['problem']}")
            about = line.get("about", about)
            missing += line.get("missing", ())
            missing += [f"what could not be read within {bounds.cpu_s} s of processor time"] if "late" in line else []
            is_whole = is_whole or "end" in line
            if left > 0 and (part := _part(line, replace(bounds, chars=left))) is not None:
                parts.append(part[0])
                unread += filter(None, part[1:])
                left -= len(part[0].text)
    if left <= 0:
        missing.append(f"what follows the first {bounds.chars:,} characters")
    limit = f"within {bounds.cpu_s} s and {bounds.memory // 1_000_000} MB"
    if not is_whole and not parts:
        raise NothingToRead(f"{name} could not be read {limit}.")
    if not is_whole:
        missing.append(f"what could not be read {limit}")
    return _page(name, _joined(parts), about, missing, unread)


def _part(line: Mapping[str, Any], bounds: Bounds) -> tuple[Rendered, str] | None:
    """Return the text that a line of the process has, and what of it is missing; None if it has none."""
    if "sheet" in line:
        rendered, rest = render_rows(line["rows"], bounds.chars)
        text = _below(line["sheet"], rendered) if rendered.text else rendered
        return text, f"{rest} of {line['sheet']}" if rest else ""
    if "file" in line:
        return _attached(str(line["file"]), base64.b64decode(line["body"]), bounds)
    if "plain" in line:
        return Rendered(text=strip_invisible(CONTROL.sub(" ", line["plain"])).strip()), ""
    written = line.get("markdown", line.get("html"))
    if written is None:
        return None
    rendered = _rendered(CONTROL.sub(" ", written), is_markdown="markdown" in line)
    return replace(rendered, places=((0, line["place"]),) if "place" in line else ()), ""


def _attached(name: str, body: bytes, bounds: Bounds) -> tuple[Rendered, str]:
    """Return the text of a mail's attachment below its name as a heading, unless it is a mail, too."""
    try:
        if suffix_of(name) in ("eml", "mhtml", "mht"):
            raise NothingToRead(f"{name} is a mail within a mail.")
        page = read_document(body, name=name, url=name, bounds=bounds)
    except NothingToRead as error:
        return Rendered(text=""), f"the attachment {str(error).rstrip('.')}"
    text = Rendered(text=page.text, headings=page.headings, blocks=page.blocks, places=page.places)
    below = _below(name, text)
    return replace(below, places=((0, name), *below.places)), ", ".join(page.missing)


def _below(heading: str, text: Rendered) -> Rendered:
    above = Rendered(text=heading, headings=((0, heading),), blocks=(Block(kind="heading", start=0, end=len(heading)),))
    inner = tuple((at, f"{heading} › {below}") for at, below in text.headings)
    return _joined([above, replace(text, headings=inner)])


def _rendered(written: str, *, is_markdown: bool) -> Rendered:
    html = markdown_to_html(written) if is_markdown else written
    tree: Any = parse(html) if html.strip() else None
    if tree is None:
        return Rendered(text="")
    drop_invisible_characters(tree)
    drop_hidden(tree)
    write_superscripts(tree)
    level_tables(tree)
    body = tree.find("body")
    return render(tree if body is None else body)


def _page(
    name: str, page: Rendered, about: Mapping[str, str], missing: Sequence[str], unread: Sequence[str]
) -> PageText:
    if not page.text.strip():
        why = "it is empty, or contains only pictures, which are not read"
        raise NothingToRead(f"{name} has no text: {', '.join(missing) or why}.")
    named = " ".join(strip_invisible(about.get("title", "")).split())
    created, modified = (parse_date(about.get(each, "")) for each in ("created", "modified"))
    created, modified = (None if each in _TEMPLATES else each for each in (created, modified))
    return PageText(
        title=named[:300] or (page.headings[0][1].partition(" › ")[0] if page.headings else name),
        text=page.text,
        lang=detect_page_language(page.text, declared=about.get("language", "").split("-")[0].lower()[:3]),
        # a document begun from an old one keeps the day when that was made
        published=max(created, modified) if created and modified else created or modified,
        modified=modified,
        headings=page.headings,
        blocks=page.blocks,
        places=page.places,
        missing=tuple(dict.fromkeys((*missing, *unread))),
    )


def _joined(parts: Iterable[Rendered]) -> Rendered:
    """Return the parts as one text with blank lines between them."""
    out, start = list[str](), 0
    headings, blocks, places = list[tuple[int, str]](), list[Block](), list[tuple[int, str]]()
    for part in parts:
        if part.text.strip():
            out.append(part.text)
            headings += [(start + at, heading) for at, heading in part.headings]
            blocks += [replace(each, start=start + each.start, end=start + each.end) for each in part.blocks]
            places += [(start + at, place) for at, place in part.places]
            start += len(part.text) + 2
    return Rendered(text="\n\n".join(out), headings=tuple(headings), blocks=tuple(blocks), places=tuple(places))
