"""Read a list of objects out of a page: the rows of a table whose header has the fields' names, or the items of a list.

A row is an object, and its line is the citation of each of its values. A value that a cell does not give is null.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from domain.answer import Value
from pipeline.answering.structured.fill import cell_value
from pipeline.answering.structured.schema import MAX_ROWS, Leaf, Rows
from pipeline.safety.sanitize import sanitize_line
from text.terms import terms_of

_BORDER: Final = re.compile(r"(?:^|(?<=\s))\|(?=\s|$)")
_ITEM: Final = re.compile(r"[^\S\n]*(?:[-*•‣]|\d{1,3}[.)])[^\S\n]+(?P<said>\S.*)")
#: what parts a name from what is said of it
_SAYS: Final = re.compile(r"\s*[:：]\s+|\s+[–—-]\s+")

Place = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class FoundRow:
    """A row of a page, which is its text from ``start`` to ``end``, with the values of fields by name."""

    start: int
    end: int
    values: dict[str, Value]


def rows_of(rows: Rows, text: str, within: Place, lang: str) -> list[FoundRow]:
    """Return the rows that a part of a page gives, of the table that has most of the fields, or of a list; at most 20.

    ``within`` is the part of the page that was found: a table that begins or ends beyond it is read as a whole.
    """
    tables = [table for table in _tables(text) if table[0][0] < within[1] and within[0] < table[-1][1]]
    read = [found for table in tables if (found := _of_table(rows, text, table, lang))]
    most = max(read, key=lambda found: sum(len(row.values) for row in found), default=[])
    return (most or _of_list(rows, text, within))[:MAX_ROWS]


def _tables(text: str) -> Iterator[list[Place]]:
    """Yield the lines of each table of two rows or more."""
    run: list[Place] = []
    start = 0
    for line in [*text.split("\n"), ""]:
        if _BORDER.search(line.strip(" |")):
            run.append((start, start + len(line)))
        else:
            if len(run) > 1:
                yield run
            run = []
        start += len(line) + 1


def _of_table(rows: Rows, text: str, lines: Sequence[Place], lang: str) -> list[FoundRow]:
    header = _cells(text[slice(*lines[0])])
    columns = _columns(rows.fields, header, lang)
    found = []
    for start, end in lines[1:] if columns else ():
        cells = _cells(text[start:end])
        if len(cells) != len(header):  # merged cells: which column is which?
            continue
        said = {leaf.path[-1]: cell_value(leaf, cells[at]) for leaf, at in columns}
        values = {name: value for name, value in said.items() if value is not None}
        found += [FoundRow(start=start, end=end, values=values)] if values else []
    return found


def _cells(line: str) -> list[str]:
    return [sanitize_line(cell) for cell in _BORDER.split(line.strip().removeprefix("| ").removesuffix(" |"))]


def _columns(fields: Sequence[Leaf], header: Sequence[str], lang: str) -> list[tuple[Leaf, int]]:
    """Return the column of each field; none unless the header names half of the fields.

    The first column, which names the rows, may be the first text that the header does not name.
    """
    heads = [frozenset(terms_of(cell, lang)) for cell in header]
    wanted = {leaf: frozenset(terms_of(leaf.words, lang)) for leaf in fields}
    alike = sorted(
        ((_likeness(wanted[leaf], head), -at, leaf) for leaf in fields for at, head in enumerate(heads)),
        key=lambda each: each[:2],
        reverse=True,
    )
    columns: dict[Leaf, int] = {}
    for likeness, at, leaf in alike:
        if likeness and leaf not in columns and -at not in columns.values():
            columns[leaf] = -at
    left = [leaf for leaf in fields if leaf not in columns and leaf.kind == "string" and not leaf.choices]
    if columns and left and 0 not in columns.values():
        columns[left[0]] = 0
    return [(leaf, columns[leaf]) for leaf in fields if leaf in columns] if 2 * len(columns) >= len(fields) else []


def _likeness(wanted: frozenset[str], head: frozenset[str]) -> float:
    """Return the share of words that a field and a column have in common, if one has all of the other's."""
    is_alike = bool(wanted and head) and (wanted <= head or head <= wanted)
    return len(wanted & head) / len(wanted | head) if is_alike else 0.0


def _of_list(rows: Rows, text: str, within: Place) -> list[FoundRow]:
    """Return the items of a list for one field, or for two if every item has a name and what is said of it."""
    lines = [found for found in _ITEM.finditer(text, *within) if found.start() == 0 or text[found.start() - 1] == "\n"]
    said = [[found["said"]] if len(rows.fields) == 1 else _SAYS.split(found["said"], maxsplit=1) for found in lines]
    if len(said) < 2 or any(len(parts) != len(rows.fields) for parts in said):
        return []
    found = []
    for line, parts in zip(lines, said, strict=True):
        read = zip(rows.fields, parts, strict=True)
        values = {leaf.path[-1]: cell_value(leaf, sanitize_line(part).rstrip(" .;,")) for leaf, part in read}
        if any(value is None for value in values.values()):
            return []
        kept = {name: value for name, value in values.items() if value is not None}
        found.append(FoundRow(start=line.start("said"), end=line.end(), values=kept))
    return found
