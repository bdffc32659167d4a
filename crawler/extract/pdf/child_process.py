"""Parse a PDF: a script of its own, so that a file that takes too much time or memory ends only this process.

Reads the file from standard input and writes JSON lines: its metadata, or why it cannot be read; then the text of each
page as soon as it is known. Arguments: seconds of processor time, bytes of memory, pages, characters.
"""

from __future__ import annotations

import io
import json
import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from crawler.extract.bounded_process import limit_this_process

MAX_OUTLINE = 500


def main() -> None:
    """Read the file within the bounds."""
    seconds, memory, pages, chars = map(int, sys.argv[1:5])
    limit_this_process(cpu_s=seconds, memory=memory)
    logging.disable()
    try:
        for line in _lines(sys.stdin.buffer.read(), pages, chars, until=time.process_time() + 0.8 * seconds):
            sys.stdout.write(json.dumps(line) + "\n")
            sys.stdout.flush()
    except Exception as error:  # damage can raise anything, and the process ends here either way
        sys.stdout.write(json.dumps({"problem": f"is damaged ({type(error).__name__})"}) + "\n")


def _lines(body: bytes, pages: int, chars: int, until: float) -> Iterator[dict[str, Any]]:
    import pypdf

    reader: Any = pypdf.PdfReader(io.BytesIO(body))
    if reader.is_encrypted and not reader.decrypt(""):  # an empty password only restricts printing and changes
        yield {"problem": "is encrypted: it opens only with a password. Save it without one"}
        return
    yield {"pages": len(reader.pages), "about": _about(reader), "outline": _outline(reader)}
    for number, page in enumerate(reader.pages):
        if number >= pages or chars <= 0 or time.process_time() > until:
            return
        text = ""
        with suppress(Exception):  # the other pages are read all the same
            text = page.extract_text()[:chars]
        chars -= len(text)
        yield {"text": text}


def _about(reader: Any) -> dict[str, str]:
    found = {}
    fields: tuple[tuple[str, Callable[[], Any]], ...] = (
        ("title", lambda: reader.metadata.title),
        ("published", lambda: reader.metadata.creation_date.isoformat()),
        ("modified", lambda: reader.metadata.modification_date.isoformat()),
        ("lang", lambda: reader.root_object.get("/Lang")),
    )
    for name, read in fields:
        with suppress(Exception):  # each may be missing or malformed
            found[name] = str(read() or "")[:500]
    return found


def _outline(reader: Any) -> list[tuple[int, int, str]]:
    """Return the file's outline: (page, level, title) of each heading."""
    found: list[tuple[int, int, str]] = []

    def collect(entries: list[Any], level: int) -> None:
        for entry in entries:
            if len(found) >= MAX_OUTLINE or level > 6:
                return
            if isinstance(entry, list):
                collect(entry, level + 1)
            else:
                found.append((reader.get_destination_page_number(entry) or 0, level, str(entry.title)[:200]))

    with suppress(Exception):
        collect(reader.outline, 1)
    return found


if __name__ == "__main__":
    main()
