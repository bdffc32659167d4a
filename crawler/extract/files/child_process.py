"""Parse a zipped document, as a process of its own: reads the file from standard input and writes JSON lines.

The first line has its metadata, or why it cannot be read; each other one a part of the text as HTML, and its place.
Arguments: seconds of processor time, bytes of memory, characters.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from crawler.extract.bounded_process import limit_this_process
from crawler.extract.files.archive import Archive, Unreadable
from crawler.extract.files.docx import read_docx
from crawler.extract.files.epub import read_epub
from crawler.extract.files.odt import read_odt
from crawler.extract.files.pptx import read_pptx

_Reader = Callable[[Archive], Iterator[dict[str, Any]]]

#: by the beginning of what the archive's part "mimetype" says
_BY_TYPE: Final[dict[bytes, _Reader]] = {
    b"application/vnd.oasis.opendocument.text": read_odt,
    b"application/epub+zip": read_epub,
}
_NOT_READ: Final = {
    "xl/workbook.xml": "is a workbook (XLSX), which is not read: save its sheets as CSV.",
    "content.xml": "is an OpenDocument file other than a text: only ODT is read.",
    "AndroidManifest.xml": "is a program.",
}


def main() -> None:
    """Read the file within the bounds."""
    cpu_s, memory, chars = map(int, sys.argv[1:4])
    limit_this_process(cpu_s=cpu_s, memory=memory)
    try:
        for line in _lines(sys.stdin.buffer.read(), chars, until=time.process_time() + 0.8 * cpu_s):
            _write(line)
        _write({"end": True})
    except MemoryError:
        _write({"problem": f"needs more than {memory // 1_000_000} MB of memory to be read."})
    except Unreadable as error:
        _write({"problem": str(error)})
    except Exception as error:  # damage can raise anything, and the process ends here either way
        _write({"problem": f"is damaged ({type(error).__name__})."})


def _lines(body: bytes, chars: int, until: float) -> Iterator[dict[str, Any]]:
    archive = Archive(body)
    for line in _reader(archive)(archive):
        html = line.get("html", "")
        yield {**line, "html": html[:chars]}
        chars -= len(html)
        if chars <= 0 or time.process_time() > until:
            return


def _reader(archive: Archive) -> _Reader:
    """Return what reads the archive, by what is in it and not by its name; raises Unreadable."""
    kind = archive.read("mimetype").strip()
    if kind in _BY_TYPE:
        return _BY_TYPE[kind]
    parts = [part for sort, part in archive.relations("").values() if sort == "officeDocument"]
    main = parts[0] if parts else ""
    if main.startswith("word/") or "word/document.xml" in archive:
        return read_docx
    if main.startswith("ppt/") or "ppt/presentation.xml" in archive:
        return read_pptx
    if "META-INF/container.xml" in archive:
        return read_epub
    for name, problem in _NOT_READ.items():
        if name in archive:
            raise Unreadable(problem)
    raise Unreadable("is a ZIP archive: unpack it and add the files in it.")


def _write(line: dict[str, Any]) -> None:
    text = json.dumps(line, ensure_ascii=False) + "\n"
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
