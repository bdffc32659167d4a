"""Tell tables of data from those for layout, and write each of their rows whole: with all labels and in its columns.

A cell that spans several rows or columns is repeated in each of them, several rows of headers become one, and a title
that spans the table is put above it. So every value is in its column, and in a row that says what it is of.
"""

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import islice
from typing import Any

from domain import BlockKind

_FIRST_ROWS = 20  #: that tell whether rows have labels
_MAX_COLUMNS, _MAX_CELLS = 60, 20_000
_MAX_COPIED = 100_000  #: characters of what spans several rows
_MOST_HEADERS = 4
_GROUP_WORDS = 6  #: of a title within a table that is written before the label of each row below it
_DIGIT = re.compile(r"\d")
_LONG_CELL = 400  #: characters; more, in elements, is a column of the page


def layout_tables(root: Any) -> set[Any]:
    """Return the tables for layout: with a table or heading in a cell, of one cell, or with much text in a cell."""
    found: set[Any] = set()
    for element in root.iter("table", "h1", "h2", "h3"):
        for above in element.iterancestors("table"):
            if above in found:
                break
            found.add(above)
    return found | {table for table in root.iter("table") if table not in found and _is_layout(table)}


def _is_layout(table: Any) -> bool:
    if next(table.iter("th"), None) is not None:
        return False
    rows = [[cell for cell in row if cell.tag == "td"] for row in table.iter("tr")]
    filled = [sum(1 for cell in row if any(text.strip() for text in cell.itertext())) for row in rows]
    if max(filled, default=0) <= 1:
        return True
    cells = [cell for row in rows for cell in row if len(cell)]
    if len(rows) == 1 and any(cell.find(".//p") is not None or cell.find(".//pre") is not None for cell in cells):
        return True
    return any(sum(map(len, cell.itertext())) > _LONG_CELL for cell in cells)


def kind_of_table(table: Any) -> BlockKind:
    """Return whether a table's first row names its columns; if none says so, two columns have no names."""
    rows = list(islice(_rows_of(table), _FIRST_ROWS)) or [[]]
    if _is_header(rows[0]):
        return "table"
    return "rows" if len(rows[0]) <= 2 or any(cell.tag == "th" for row in rows for cell in row) else "table"


def level_tables(root: Any) -> None:
    """Rewrite the tables of data whose cells span rows or columns, or that have several rows of headers, in place."""
    layout = layout_tables(root)
    for table in list(root.iter("table")):
        if table not in layout:
            rows = list(_rows_of(table))
            spans = any("rowspan" in cell.attrib or "colspan" in cell.attrib for row in rows for cell in row)
            if spans or (len(rows) > 2 and _is_header(rows[0]) and _is_header(rows[1])):
                _level(rows)


def _rows_of(table: Any) -> Iterator[list[Any]]:
    for row in table.iter("tr"):
        if cells := [cell for cell in row if cell.tag in ("td", "th")]:
            yield cells


def _is_header(row: Sequence[Any]) -> bool:
    if not row:
        return False
    above = row[0].getparent().getparent()
    return (above is not None and above.tag == "thead") or all(cell.tag == "th" for cell in row)


def _level(rows: Sequence[Sequence[Any]]) -> None:
    grid = _grid(rows)
    if sum(map(len, grid)) > _MAX_CELLS:
        return
    lines = [row[0].getparent() for row in rows]
    width = max(map(len, grid), default=0)
    titles = [len(set(row)) == 1 and len(row) == width > 1 for row in grid]
    first = next((at for at, is_title in enumerate(titles) if not is_title), len(grid))
    ends = next((at for at in range(first, len(grid)) if titles[at]), len(grid))
    headers = _count_headers(rows[first:ends], followed=ends < len(grid))
    for at in range(first):
        title = " ".join(lines[at].text_content().split())
        _write(lines[at], [])
        lines[at].tag, lines[at].text = "caption", title
    if headers:
        _write(lines[first], _column_names(grid[first : first + headers], width))
        for at in range(first + 1, first + headers):
            lines[at].getparent().remove(lines[at])
    group = ""
    room = _MAX_COPIED
    for at in range(first + headers, len(grid)):
        if titles[at]:
            group = " ".join(grid[at][0].text_content().split())
            continue
        cells: list[Any] = []
        unplaced = set(rows[at])
        for cell in grid[at]:
            own = cell in unplaced
            unplaced.discard(cell)
            room -= 0 if own else len(cell.text_content())
            cells.append(cell if own else deepcopy(cell) if room > 0 else cell.makeelement("td"))
            cells[-1].tail = None
        if cells and group and len(group.split()) <= _GROUP_WORDS:
            cells[0].text = f"{group}: {cells[0].text or ''}"
        _write(lines[at], cells)


def _column_names(rows: Sequence[Sequence[Any]], width: int) -> list[Any]:
    """Return a cell for each column with the names above it, each once: "Fee Day"."""
    cells = []
    for at in range(width):
        names = dict.fromkeys(" ".join(row[at].text_content().split()) for row in rows if at < len(row))
        cells.append(rows[0][0].makeelement("th"))
        cells[-1].text = " ".join(filter(None, names))
    return cells


def _write(line: Any, cells: Sequence[Any]) -> None:
    del line[:]
    line.extend(cells)
    for cell in cells:
        cell.attrib.pop("rowspan", None)
        cell.attrib.pop("colspan", None)


def _count_headers(rows: Sequence[Sequence[Any]], *, followed: bool) -> int:
    """Return how many rows name the columns: those of headers, else those that a cell of the first row spans."""
    marked = 0
    while marked < min(len(rows) - (not followed), _MOST_HEADERS) and _is_header(rows[marked]):
        marked += 1
    if marked or not rows:
        return marked
    spans = [(_span(cell, "rowspan", len(rows)), _span(cell, "colspan", _MAX_COLUMNS)) for cell in rows[0]]
    parted = any(down == 1 < across for down, across in spans)
    deepest = max(down for down, _ in spans)
    has_values = any(_DIGIT.search(cell.text_content()) for row in rows[:deepest] for cell in row)
    return deepest if parted and 1 < deepest <= _MOST_HEADERS and deepest < len(rows) and not has_values else 0


def _grid(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return for each row the cell in each of its columns; a cell that spans some is in each."""
    grid: list[list[Any]] = []
    reaching: dict[int, tuple[Any, int]] = {}  # column → the cell from above, and to which row it reaches
    total = 0
    for at, row in enumerate(rows):
        line: list[Any] = []
        waiting = iter(row)
        cell = next(waiting, None)
        while cell is not None or len(line) in reaching:
            above, last = reaching.get(len(line), (None, -1))
            if last >= at:
                line.append(above)
            elif cell is None or len(line) > _MAX_CELLS:
                break
            else:
                down = _span(cell, "rowspan", len(rows) - at)
                for _ in range(_span(cell, "colspan", _MAX_COLUMNS)):
                    reaching[len(line)] = (cell, at + down - 1)
                    line.append(cell)
                cell = next(waiting, None)
        total += len(line)
        if total > _MAX_CELLS:
            break
        grid.append(line)
    return grid if len(grid) == len(rows) else [list(row) for row in rows]


def _span(cell: Any, name: str, most: int) -> int:
    """Return how many rows or columns a cell spans; 0 says all the rest of the rows."""
    written = (cell.get(name) or "1").strip()
    number = int(written) if written.isdecimal() and len(written) < 6 else 1
    return min(number or (most if name == "rowspan" else 1), max(1, most))
