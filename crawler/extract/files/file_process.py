"""Parse a file, as a process of its own: reads it from standard input and writes JSON lines.

The first line has its metadata; each other one a part of the text as HTML, Markdown, plain text or rows, with its
place, a file within the file, what cannot be read, or that the time is over.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from crawler.extract.bounded_process import Unreadable, write_lines
from crawler.extract.files.docx import read_docx
from crawler.extract.files.epub import read_epub
from crawler.extract.files.odt import read_odt
from crawler.extract.files.pptx import read_pptx
from crawler.extract.files.texts import read_json, read_mail, read_notebook
from crawler.extract.files.workbook import read_workbook
from crawler.extract.files.zip_document import ZipDocument

_Lines = Iterator[dict[str, Any]]

#: by the beginning of what the archive's part "mimetype" says
_BY_TYPE: Final[dict[bytes, Callable[[ZipDocument], _Lines]]] = {
    b"application/vnd.oasis.opendocument.text": read_odt,
    b"application/vnd.oasis.opendocument.presentation": read_odt,
    b"application/epub+zip": read_epub,
}
_SHEETS: Final = b"application/vnd.oasis.opendocument.spreadsheet"
_NOT_READ: Final = {
    "content.xml": "is an OpenDocument file other than a text, a presentation or a workbook: no other is read.",
    "AndroidManifest.xml": "is a program.",
}


def _read(read: Callable[[bytes], _Lines], body: bytes, until: float, *, chars: int) -> _Lines:
    """Yield the lines up to a number of characters and a time, then what is missing."""
    left = chars
    for line in read(body):
        if time.process_time() > until:
            yield {"late": True}
            return
        kind = next((name for name in ("html", "markdown", "plain") if name in line), "")
        text = line[kind] if kind else ""
        yield {**line, kind: text[:left]} if kind else line
        left -= len(text) + sum(len(cell) + 2 for _, row in line.get("rows", ()) for cell in row)
        if left <= 0:
            yield {"missing": [f"what follows the first {chars:,} characters"]}
            return


def _read_archive(body: bytes) -> _Lines:
    """Yield the lines of an archive, by what is in it and not by its name; raises Unreadable."""
    archive = ZipDocument(body)
    kind = archive.read("mimetype").strip()
    main = archive.main_part("")
    for known, read in _BY_TYPE.items():
        if kind.startswith(known):
            return read(archive)
    if main.startswith("word/") or "word/document.xml" in archive:
        return read_docx(archive)
    if main.startswith("ppt/") or "ppt/presentation.xml" in archive:
        return read_pptx(archive)
    if main.startswith("xl/") or kind.startswith(_SHEETS):
        return read_workbook(body, archive)
    if "META-INF/container.xml" in archive:
        return read_epub(archive)
    for name, problem in _NOT_READ.items():
        if name in archive:
            raise Unreadable(problem)
    raise Unreadable("is a ZIP archive: unpack it and add the files in it.")


_READERS: Final[dict[str, Callable[[bytes], _Lines]]] = {
    "archive": _read_archive,
    "workbook": read_workbook,
    "json": read_json,
    "notebook": read_notebook,
    "mail": read_mail,
}

if __name__ == "__main__":
    write_lines({name: partial(_read, read) for name, read in _READERS.items()})
