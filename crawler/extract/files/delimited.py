"""Write a table of values (CSV, TSV) as text: each row is a line that names its columns and can be quoted alone."""

from __future__ import annotations

import csv
import io
import re
from contextlib import suppress
from itertools import islice
from typing import Final

from crawler.language import detect_page_language
from domain import Block, PageText
from text.invisible import strip_invisible

MAX_CHARS: Final = 2_000_000
MAX_ROWS: Final = 50_000
MAX_COLUMNS: Final = 200
#: of which the delimiter is guessed, in a time that grows with its square
SAMPLE: Final = 4_000
_DELIMITERS: Final = ",;\t|"
_NUMBER: Final = re.compile(r"[\d\s.,:%€$£/+-]+")
_SPACE: Final = re.compile(r"\s+")


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
