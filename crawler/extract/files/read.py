"""Read a file of the operator's own: its first bytes say what it is; its name only tells kinds of text apart."""

from __future__ import annotations

import csv
import io
import re
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Final

from crawler.content_types import BY_SUFFIX, NAMES, suffix_of
from crawler.extract.bounded_process import TooMuchWork, read_bounded
from crawler.extract.charset import decode
from crawler.extract.document import CONTROL, NothingToRead, extract
from crawler.extract.files.office import NoOfficeText, read_office
from crawler.extract.pdf.read import NoPdfText, OcrBounds, read_pdf
from domain import Block, PageText
from domain.file import name_of
from text.invisible import strip_invisible
from text.language import detect_page_language

_BINARY_READERS: Final = frozenset({"archive", "pdf"})
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_OLE: Final = "EncryptedPackage".encode("utf-16-le")
_BINARY: Final = {
    b"\x89PNG": "a picture", b"GIF8": "a picture", b"\xff\xd8\xff": "a picture", b"RIFF": "a picture or sound",
    b"\x1f\x8b": "a packed file", b"Rar!": "a packed file", b"7z\xbc\xaf": "a packed file", b"\x7fELF": "a program",
    b"MZ": "a program", b"OggS": "sound", b"ID3": "sound",
}  # fmt: skip
#: texts begin so, too: only a NUL byte tells them apart
_SHORT: Final = frozenset({b"MZ", b"ID3"})
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
MAX_CHARS: Final = 2_000_000
MAX_ROWS: Final = 50_000
MAX_COLUMNS: Final = 200
#: of which the delimiter is guessed, in a time that grows with its square
SAMPLE: Final = 4_000
_DELIMITERS: Final = ",;\t|"
_NUMBER: Final = re.compile(r"[\d\s.,:%€$£/+-]+")
_SPACE: Final = re.compile(r"\s+")


def read_file(body: bytes, *, address: str) -> PageText:
    """Return a file's text; raises NothingToRead, whose message says why and what to do."""
    name = name_of(address)
    suffix = suffix_of(name)
    try:
        return _read(body, address, name, suffix)
    except (NoOfficeText, TooMuchWork) as error:
        raise NothingToRead(f"{name} {error}") from error
    except NothingToRead as error:
        raise NothingToRead(str(error).replace(address, name)) from error


def _read(body: bytes, address: str, name: str, suffix: str) -> PageText:
    if not body.strip():
        raise NothingToRead(f"{name} is empty.")
    if _is_pdf(body, suffix):
        return _titled(_read_pdf(body[body.index(b"%PDF-") :], address), address, name)
    if body.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return read_office(body, title=name)
    if body.startswith(_OLE):
        if _ENCRYPTED_OLE in body:
            raise NothingToRead(f"{name} is encrypted: it opens only with a password. Save it without one.")
        raise NothingToRead(f"{name} is in an old format (DOC, PPT or XLS): save it as DOCX, PPTX, PDF or CSV.")
    kind = BY_SUFFIX.get(suffix)
    if kind is not None and kind.reader in _BINARY_READERS:
        raise NothingToRead(f"{name} is no {suffix.upper()} file, or is damaged: its first bytes are those of none.")
    _refuse_binary(body, name)
    if kind is None:
        raise NothingToRead(f"{name} is of a kind that is not read: only {NAMES} are.")
    if kind.reader == "rows":
        page = read_bounded(lambda: read_delimited(CONTROL.sub(" ", decode(body)), title=name), len(body))
        if not page.text:
            raise NothingToRead(f"{name} has no rows.")
        return page
    page = extract(body, url=address, content_type=kind.media_types[0])
    return _titled(page, address, name)


def _read_pdf(body: bytes, address: str) -> PageText:
    try:
        return read_pdf(body, url=address, ocr=OcrBounds())
    except NoPdfText as error:
        raise NothingToRead(f"{address} {error}") from error


def _is_pdf(body: bytes, suffix: str) -> bool:
    """Return whether a file is a PDF: its mark may follow other bytes, but in a text only blanks."""
    start = body[:1024]
    return start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"%PDF-") if _is_text(suffix) else b"%PDF-" in start


def _is_text(suffix: str) -> bool:
    kind = BY_SUFFIX.get(suffix)
    return kind is not None and kind.reader not in _BINARY_READERS


def _titled(page: PageText, address: str, name: str) -> PageText:
    """Return a file's page: what a site says of indexing, and of where it is, does not count for a file."""
    title = page.title if page.title != address else name
    return replace(page, title=title, canonical_url="", links=(), is_hub=False, index=True, follow=False)


def _refuse_binary(body: bytes, name: str) -> None:
    has_nul = b"\0" in body[:4096]
    for mark, what in _BINARY.items():
        if body.startswith(mark) and (has_nul if mark in _SHORT else not body[:4].isalpha()):
            raise NothingToRead(f"{name} is {what}, whatever its name says: only {NAMES} are read.")
    if has_nul and not body.startswith(_UTF_16):
        raise NothingToRead(f"{name} is binary, whatever its name says: only {NAMES} are read.")


def read_delimited(text: str, *, title: str) -> PageText:
    """Return the rows as text, with their numbers; the first one names the columns if nothing in it is a number."""
    rows = [row for row in _rows(text[:MAX_CHARS]) if any(row)]
    names = rows[0] if len(rows) > 1 and _names_columns(rows[0]) else []
    lines, places, length = [], [], 0
    for number, row in enumerate(rows[1:] if names else rows, start=2 if names else 1):
        line = _line(names, row)
        if length + len(line) > MAX_CHARS:
            break
        places.append((length, f"row {number}"))
        lines.append(line)
        length += len(line) + 1
    written = "\n".join(lines)
    return PageText(
        title=title,
        text=written,
        lang=detect_page_language(written),
        blocks=(Block(kind="list", start=0, end=len(written)),) if written else (),
        places=tuple(places),
    )


def _rows(text: str) -> list[list[str]]:
    sample = text[:SAMPLE]
    counts = {mark: sample.count(mark) for mark in _DELIMITERS}
    delimiter = max(counts, key=lambda mark: counts[mark])
    with suppress(csv.Error):  # one column, or rows of many lengths: the most frequent mark is as good
        delimiter = csv.Sniffer().sniff(sample, _DELIMITERS).delimiter
    found = []
    reader = csv.reader(io.StringIO(text.replace("\0", " "), newline=""), delimiter=delimiter)
    with suppress(csv.Error):  # a cell without end: what stands before it is read
        for row in islice(reader, MAX_ROWS):
            found.append([_SPACE.sub(" ", strip_invisible(cell)).strip() for cell in row[:MAX_COLUMNS]])
    return found


def _names_columns(row: list[str]) -> bool:
    named = [cell for cell in row if cell]
    return len(set(named)) == len(named) == len(row) and not any(_NUMBER.fullmatch(cell) for cell in named)


def _line(names: list[str], row: list[str]) -> str:
    pairs = [(names[at] if at < len(names) else "", cell) for at, cell in enumerate(row) if cell]
    return "- " + "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs)
