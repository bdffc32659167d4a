"""Take the rows of a workbook (XLSX, XLSM, XLSB, XLS, ODS), sheet by sheet, as text; dates are as ISO has them."""

import io
import re
import zipfile
from collections.abc import Iterator
from datetime import datetime, time, timedelta
from functools import reduce
from html import escape
from itertools import islice
from typing import Any, Final

from crawler.extract.bounded_process import Unreadable
from crawler.extract.files.zip_document import ZipDocument, attribute, elements, texts
from crawler.extract.superscripts import write_raised

_BATCH: Final = 500  #: rows in a line of output
#: cells from the first to the last corner of a sheet: one that a stray cell makes larger is packed
_MOST_CELLS: Final = 5_000_000
#: of a row or cell
_REFERENCE: Final = re.compile(rb'(<(?:c|row)\b[^>]{0,300}?\br=")([A-Z]{0,3})(\d{1,7})(?=")')
#: a part of a cell's text that has properties: these, and the text
_RUN: Final = re.compile(rb"(<r>\s*<rPr>)(.{0,2000}?)(</rPr>\s*<t\b[^>]{0,100}>)([^<]*)", re.DOTALL)
_STRUCK: Final = re.compile(rb'<strike(?! val="(?:0|false)")')
_OFF: Final = ("0", "false")
_RAISED: Final = b'<vertAlign val="superscript"'
_CONTEXT: Final = 200  #: bytes before and after raised text that are looked at
_TAG: Final = re.compile(rb"\s*<[^<>]*>\s*")
_COMMENTS: Final = ("comments", "threadedcomment")
#: the text of the old-style copy that programs write of a threaded comment
_FOR_OLD_PROGRAMS: Final = "[Threaded comment]"
_MERGED: Final = re.compile(rb"<mergeCells.*?</mergeCells>|<dimension\b[^>]*>", re.DOTALL)


def read_workbook(body: bytes, archive: ZipDocument | None = None) -> Iterator[dict[str, Any]]:
    """Yield the workbook's metadata, then each visible sheet's rows; raises Unreadable."""
    import python_calamine as calamine

    if archive is not None:
        core = texts(archive.xml("docProps/core.xml"), "title", "language", "created", "modified")
        yield {"about": core or texts(archive.xml("meta.xml"), "title", "language")}
    comments = _comments(archive) if archive is not None else {}
    body = _rewritten(archive, body) if archive is not None else body
    try:
        book = calamine.load_workbook(io.BytesIO(body))
        names = [each.name for each in book.sheets_metadata if each.visible == calamine.SheetVisibleEnum.Visible]
    except calamine.PasswordError as error:
        raise Unreadable("is encrypted: it opens only with a password. Save it without one.") from error
    except calamine.CalamineError as error:
        raise Unreadable("is damaged, or is no workbook.") from error
    for name in names:
        try:
            rows = _rows(book.get_sheet_by_name(name))
        except calamine.CalamineError:
            yield {"missing": [f"the sheet {name}"]}
            continue
        while some := list(islice(rows, _BATCH)):
            yield {"sheet": name, "rows": some}
        yield {"html": comments.get(name, "")}


def _rows(sheet: Any) -> Iterator[tuple[int, list[str]]]:
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


def _comments(archive: ZipDocument) -> dict[str, str]:
    main = archive.main_part("xl/workbook.xml")
    parts, found = archive.relations(main), dict[str, str]()
    for sheet in elements(archive.xml(main) if parts else None, "sheet"):
        relations = archive.relations(parts.get(attribute(sheet, "id"), ("", ""))[1])
        roots = [archive.xml(part) for kind, part in relations.values() if kind.casefold() in _COMMENTS]
        for comment in (each for root in roots for each in elements(root, "comment", "threadedComment")):
            text = "".join(part.text or "" for part in elements(comment, "t", "text"))
            if text.strip() and not text.startswith(_FOR_OLD_PROGRAMS):
                name = attribute(sheet, "name")
                found[name] = found.get(name, "") + f"<p>{escape(attribute(comment, 'ref'))}: {escape(text)}</p>"
    return found


def _rewritten(archive: ZipDocument, body: bytes) -> bytes:
    struck, parts, is_changed = _struck_cells(archive), dict[str, bytes](), False
    for name in archive.names():
        is_sheet = name.startswith("xl/worksheets/") and name.endswith(".xml")
        if is_sheet or name == "xl/sharedStrings.xml":
            try:
                part = archive.read(name)
            except Unreadable:  # as large as this, it is hardly empty between its cells
                continue
            parts[name] = _RUN.sub(_marked, struck.sub(b"", part) if struck and is_sheet else part)
            parts[name] = _packed(parts[name]) if is_sheet else parts[name]
            is_changed = is_changed or parts[name] != part
    if not is_changed:
        return body
    out = io.BytesIO()
    try:
        with zipfile.ZipFile(out, "w") as written:
            for name in archive.names():
                if name.endswith((".xml", ".rels")):
                    written.writestr(name, parts[name] if name in parts else archive.read(name))
    except Unreadable:  # a part is larger than what may be unpacked here
        return body
    return out.getvalue()


def _struck_cells(archive: ZipDocument) -> re.Pattern[bytes] | None:
    """Return a pattern for the cells of a sheet whose whole text is struck; None if no style strikes it."""
    root = archive.xml("xl/styles.xml")
    fonts = [next(font.iterfind("{*}strike"), None) for part in elements(root, "fonts") for font in part]
    struck = {str(at) for at, mark in enumerate(fonts) if mark is not None and attribute(mark, "val") not in _OFF}
    styles = enumerate(style for part in elements(root, "cellXfs") for style in part)
    named = "|".join(str(at) for at, style in styles if attribute(style, "fontId") in struck)
    cell = rf'<c\b(?=[^>]{{0,300}}\ss="(?:{named})")[^>]{{0,300}}(?<!/)>.*?</c>'
    return re.compile(cell.encode(), re.DOTALL) if named else None


def _marked(run: re.Match[bytes]) -> bytes:
    """Return a part of a cell's text; of a struck one without its text."""
    start, properties, end, text = run.groups()
    if _STRUCK.search(properties):
        text = b""
    elif _RAISED in properties:
        before = run.string[max(0, run.start() - _CONTEXT) : run.start()].rpartition(b"<si>")[2]
        after = run.string[run.end() : run.end() + _CONTEXT].partition(b"</si>")[0]
        around = (_TAG.sub(b"", part).decode("utf-8", "ignore") for part in (before, after))
        text = write_raised(text.decode("utf-8", "ignore"), *around).encode()
    return start + properties + end + text


def _packed(sheet: bytes) -> bytes:
    """Return a sheet, its used rows and columns side by side if a stray cell would make it too large."""
    cells = [(column, int(row)) for _, column, row in _REFERENCE.findall(sheet) if column]
    largest = max((row for _, row in cells), default=0) * max((_number(column) for column, _ in cells), default=0)
    if largest <= _MOST_CELLS:
        return sheet
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
    above, letter = divmod(number - 1, 26)
    return (_letters(above) if above else b"") + bytes([65 + letter])
