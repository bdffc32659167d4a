"""Tell tables for layout, whose cells are blocks of text, from tables of data, whose rows are lines."""

from __future__ import annotations

from typing import Any

_LONG_CELL = 400  #: characters; more, in elements, is a column of the page


def layout_tables(root: Any) -> set[Any]:
    """Return the tables for layout: with a table or heading in a cell, of one cell, or with much text in a cell."""
    found: set[Any] = set()
    for element in root.iter("table", "h1", "h2", "h3"):
        above = element.getparent()
        while above is not None and above not in found:
            if above.tag == "table":
                found.add(above)
            above = above.getparent()
    for table in root.iter("table"):
        if table not in found and _is_layout(table):
            found.add(table)
    return found


def _is_layout(table: Any) -> bool:
    """Return whether a table without tables in it is for layout."""
    if next(table.iter("th"), None) is not None:
        return False
    rows = [[cell for cell in row if cell.tag == "td"] for row in table.iter("tr")]
    filled = [sum(1 for cell in row if any(text.strip() for text in cell.itertext())) for row in rows]
    if max(filled, default=0) <= 1:
        return True
    cells = [cell for row in rows for cell in row if len(cell)]
    if len(rows) == 1 and any(cell.find(".//p") is not None or cell.find(".//pre") is not None for cell in cells):
        return True
    return any(_length(cell) > _LONG_CELL for cell in cells)


def _length(cell: Any) -> int:
    return sum(map(len, cell.itertext()))
