"""Take the rows of a workbook (XLSX, XLSM, XLSB, XLS, ODS), sheet by sheet, as text; dates are as ISO has them."""

import io
import re
import zipfile
from collections.abc import Iterator
from datetime import datetime, time, timedelta
from functools import reduce
from itertools import islice
from typing import Any, Final

from crawler.extract.files.archive import Archive, Unreadable, texts

_BATCH: Final = 500  #: rows in a line of output
#: cells from the first to the last corner of a sheet: one that a stray cell makes larger is packed
_MOST_CELLS: Final = 5_000_000
#: of a row or cell
_REFERENCE: Final = re.compile(rb'(<(?:c|row)\b[^>]{0,300}?\br=")([A-Z]{0,3})(\d{1,7})(?=")')
_MERGED: Final = re.compile(rb"<mergeCells.*?</mergeCells>|<dimension\b[^>]*>", re.DOTALL)


def read_workbook(body: bytes, archive: Archive | None = None) -> Iterator[dict[str, Any]]:
    """Yield the workbook's metadata, then each visible sheet's rows; raises Unreadable."""
    import python_calamine as calamine

    if archive is not None:
        core = texts(archive.xml("docProps/core.xml"), "title", "language", "created", "modified")
        yield {"about": core or texts(archive.xml("meta.xml"), "title", "language")}
        body = _packed(archive, body)
    try:
        book = calamine.load_workbook(io.BytesIO(body))
        names = [each.name for each in book.sheets_metadata if each.visible == calamine.SheetVisibleEnum.Visible]
    except calamine.PasswordError as error:
        raise Unreadable("is encrypted: it opens only with a password. Save it without one.") from error
    except calamine.CalamineError as error:
        raise Unreadable("is damaged, or is no workbook.") from error
    unread = []
    for name in names:
        try:
            sheet = book.get_sheet_by_name(name)
        except calamine.CalamineError:
            unread.append(f"the sheet {name}")
            continue
        rows = _rows(sheet)
        while some := list(islice(rows, _BATCH)):
            yield {"sheet": name, "rows": some}
    yield {"missing": unread}


def _rows(sheet: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield a sheet's rows that have a value, with their numbers; a cell that spans rows has its value in each."""
    top, left = sheet.start or (0, 0)
    spans: dict[int, list[tuple[int, int]]] = {}
    for (first, column), (last, _) in sheet.merged_cell_ranges or ():
        if last > first and column >= left:
            spans.setdefault(first, []).append((column - left, last))
    reaching: dict[int, tuple[str, int]] = {}  # by column, a value from above, and to which row it reaches
    for at, row in enumerate(sheet.iter_rows(), start=top):
        cells = [_text(cell) for cell in row]
        for column, (value, last) in reaching.items():
            if at <= last:
                cells[column] = value
        reaching |= {column: (cells[column], last) for column, last in spans.get(at, ())}
        if any(cells):
            yield at + 1, cells


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, datetime):
        return value.isoformat(" ", "minutes")
    return str(value) if not isinstance(value, timedelta) else str(value).removesuffix(":00")


def _packed(archive: Archive, body: bytes) -> bytes:
    """Return the workbook, its used rows and columns side by side if a stray cell would make a sheet too large."""
    changed = {}
    for name in archive.names():
        if name.startswith("xl/worksheets/") and name.endswith(".xml"):
            try:
                sheet = archive.read(name)
            except Unreadable:  # as large as this, it is hardly empty between its cells
                continue
            found = [(column, int(row)) for _, column, row in _REFERENCE.findall(sheet) if column]
            if found and max(row for _, row in found) * max(_number(column) for column, _ in found) > _MOST_CELLS:
                changed[name] = _pack(sheet, found)
    if not changed:
        return body
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for name in archive.names():
            packed.writestr(name, changed.get(name) or archive.read(name))
    return out.getvalue()


def _pack(sheet: bytes, cells: list[tuple[bytes, int]]) -> bytes:
    rows = {row: at for at, row in enumerate(sorted({row for _, row in cells}), start=1)}
    columns = {column: at for at, column in enumerate(sorted({column for column, _ in cells}, key=_number), start=1)}
    if len(rows) * len(columns) > _MOST_CELLS:
        raise Unreadable("has a sheet whose cells lie too far apart to be read: save it as CSV.")

    def written(found: re.Match[bytes]) -> bytes:
        column = _letters(columns[found[2]]) if found[2] else b""
        return found[1] + column + b"%d" % rows.get(int(found[3]), len(rows) + 1)

    return _REFERENCE.sub(written, _MERGED.sub(b"", sheet))


def _number(column: bytes) -> int:
    return reduce(lambda number, letter: number * 26 + letter - 64, column, 0)


def _letters(number: int) -> bytes:
    out = b""
    while number:
        number, letter = divmod(number - 1, 26)
        out = bytes([65 + letter]) + out
    return out
