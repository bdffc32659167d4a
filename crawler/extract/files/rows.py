"""Write rows of values, of CSV or a workbook, as lines that name their columns; titles above the names stay text."""

import csv
import io
import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice, zip_longest
from typing import Final

from crawler.extract.element_text import Rendered
from domain import Block
from text.invisible import strip_invisible

_DELIMITERS: Final = ",;\t|"
_SAMPLE: Final = 20_000  #: characters that tell the delimiter
_HEAD: Final = 20  #: rows that tell which of the first name the columns
_NUMBER: Final = re.compile(r"[\d\s.,:%€$£/+-]+")
_YEAR: Final = re.compile(r"(?:19|20)\d\d(?:[/-]\d{2,4})?")
_SPACE: Final = re.compile(r"\s+")


def rows_of(text: str) -> list[tuple[int, list[str]]]:
    """Return the rows of a text with delimiters, with their numbers."""
    separator = re.match(r"\s*sep=(.)[ \t]*\r?\n", text, re.IGNORECASE)
    delimiter = separator[1] if separator else _delimiter(text[:_SAMPLE])
    found = list[tuple[int, list[str]]]()
    rest = text[separator.end() if separator else 0 :].replace("\0", " ")
    reader = csv.reader(io.StringIO(rest, newline=""), delimiter=delimiter)
    with suppress(csv.Error):  # a cell without end: what comes before it is read
        found += enumerate(reader, start=2 if separator else 1)
    return found


def _delimiter(sample: str) -> str:
    best, most = ",", (0, 0)
    for mark in _DELIMITERS:
        with suppress(csv.Error):
            sizes = [len(row) for row in islice(csv.reader(io.StringIO(sample, newline=""), delimiter=mark), 200)]
            usual = max(set(sizes) - {0, 1}, key=sizes.count, default=1)
            equal = (sizes.count(usual) if usual > 1 else 0, usual)
            best, most = (mark, equal) if equal > most else (best, most)
    return best


def render_rows(rows: Sequence[tuple[int, Sequence[str]]], max_chars: int) -> tuple[Rendered, str]:
    """Return the rows as text with their numbers as places, and what of them is beyond ``max_chars``."""
    clean = [(number, [_SPACE.sub(" ", strip_invisible(cell)).strip() for cell in row]) for number, row in rows]
    filled = [
        (number, row[: max(at for at, cell in enumerate(row, start=1) if cell)]) for number, row in clean if any(row)
    ]
    begin, (titles, heads, names) = 0, _names([row for _, row in filled[:_HEAD]])
    out, places, blocks, length, rest = list[str](), list[tuple[int, str]](), list[Block](), 0, ""
    for at, (number, row) in enumerate(filled):
        is_apart = at >= max(1, begin + titles + heads) and number > filled[at - 1][0] + 1
        if is_apart and (found := _next_names(filled[at : at + _HEAD], names)):
            begin, (titles, heads, names) = at, found
        if titles <= at - begin < titles + heads:
            continue
        is_title = at - begin < titles
        named = zip_longest(names[: len(row)], row, fillvalue="")
        written = "; ".join(f"{name}: {cell}" if name else cell for name, cell in named if cell)
        line = " ".join(filter(None, row)) if is_title else f"- {written}"
        if length + len(line) > max_chars:
            rest = f"rows {number:,} to {rows[-1][0]:,}"
            break
        gap = "" if not out else "\n\n" if at - begin in (0, titles + heads) else "\n"
        out += [gap, line]
        start, length = length + len(gap), length + len(gap) + len(line)
        places.append((start, f"row {number}"))
        if is_title or not blocks or blocks[-1].kind == "prose":
            blocks.append(Block(kind="prose" if is_title else "list", start=start, end=length))
        else:
            blocks[-1] = Block(kind="list", start=blocks[-1].start, end=length)
    return Rendered(text="".join(out), blocks=tuple(blocks), places=tuple(places)), rest


def _names(rows: Sequence[Sequence[str]]) -> tuple[int, int, list[str]]:
    """Return how many of the first rows are titles, how many name the columns, and the names."""
    width = max((sum(map(bool, row)) for row in rows), default=0)
    titles = next((at for at, row in enumerate(rows) if len(set(filter(None, row))) > 1 or width < 2), 0)
    below = rows[titles:]
    if len(below) > 1 and _name_columns(below[0], below[1:]):
        return titles, 1, list(below[0])
    # names in the upper row span columns, whose other cells are empty
    has_gaps = len(below) > 2 and (len(below[0]) < len(below[1]) or not all(below[0][1:]))
    if has_gaps and not any(map(_NUMBER.fullmatch, below[1])):
        above, names = "", []
        for at, name in enumerate(below[1]):  # a name above reaches to the next one
            above = (below[0][at] if at < len(below[0]) else "") or above
            names.append(f"{above} {name}".strip() if above != name else name)
        if _name_columns(names, below[2:]):
            return titles, 2, names
    return (0, 0, []) if titles == len(rows) else (titles, 0, [])


def _next_names(rows: Sequence[tuple[int, Sequence[str]]], before: Sequence[str]) -> tuple[int, int, list[str]] | None:
    """Return what ``_names`` does of rows up to an empty one, if they are a table other than that of the names before.

    They are if they are wider, or if all cells below a name are numbers.
    """
    table = [row for at, (number, row) in enumerate(rows) if number == rows[0][0] + at]
    titles, heads, names = _names(table)
    below = ([row[at] for row in table[titles + heads :] if at < len(row) and row[at]] for at in range(len(names)))
    are_numbers = any(cells and all(map(_NUMBER.fullmatch, cells)) for cells in below)
    return (titles, heads, names) if heads and (are_numbers or len(names) > len(before)) else None


def _name_columns(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether names are those of columns: each another, and no number but a year above other numbers."""
    given = [cell for cell in names if cell]
    if len(set(given)) < len(given) or len(given) < len(names) - (not names[0]) or not given:
        return False
    numbers = [at for at, cell in enumerate(names) if cell and _NUMBER.fullmatch(cell)]
    below = [row[at] for row in rows for at in numbers if at < len(row)]
    years = all(_YEAR.fullmatch(names[at]) for at in numbers)
    return not numbers or (
        years and len(numbers) < len(names) and not all(_YEAR.fullmatch(cell) for cell in below if cell)
    )
