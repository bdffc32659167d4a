"""Write what independent readers find in files, for `read_files` beside this: ``python write_references.py FOLDER``.

Beside each ``name.ext`` below the folder comes ``name.ext.txt``. Run it with a Python of its own, which needs nothing
of this project but ``pip install pypandoc_binary pdfminer.six python-pptx openpyxl xlrd odfpy``. A file that its reader
cannot read gets no reference and is named.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

_LIMIT_S: Final = 60


def write_references(folder: Path) -> Iterator[str]:
    """Write the references; yield for each file without one its name and why."""
    for path in sorted(each for each in folder.rglob("*") if each.suffix.lower() in READERS):
        try:
            text = READERS[path.suffix.lower()](path)
        except Exception as error:  # files of tests are broken in every way
            yield f"{path.relative_to(folder)}: {type(error).__name__}"
        else:
            path.with_name(f"{path.name}.txt").write_text(text, "utf-8", errors="replace")


def _pandoc(path: Path) -> str:
    from pypandoc import get_pandoc_path

    kind = path.suffix.lower().removeprefix(".")
    command = [get_pandoc_path(), "-f", kind, "-t", "plain", "--wrap=none", "--track-changes=accept", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=_LIMIT_S).stdout  # noqa: S603


def _pdf(path: Path) -> str:
    from pdfminer.high_level import extract_text

    return str(extract_text(path))


def _pptx(path: Path) -> str:
    from pptx import Presentation

    shown = [slide for slide in Presentation(str(path)).slides if slide._element.get("show") != "0"]
    notes = [slide.notes_slide.notes_text_frame for slide in shown if slide.has_notes_slide]
    texts = [text for slide in shown for text in _of_shapes(slide.shapes)]
    return "\n".join((*texts, *(note.text for note in notes if note is not None)))


def _of_shapes(shapes: Any) -> Iterator[str]:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _of_shapes(shape.shapes)
        elif getattr(shape, "has_table", False):
            yield from (cell.text for row in shape.table.rows for cell in row.cells)
        elif shape.has_text_frame:
            yield shape.text_frame.text


def _xlsx(path: Path) -> str:
    from openpyxl import load_workbook

    sheets = [sheet for sheet in load_workbook(path, data_only=True).worksheets if sheet.sheet_state == "visible"]
    return "\n".join(str(cell) for sheet in sheets for row in sheet.values for cell in row if cell is not None)


def _xls(path: Path) -> str:
    from xlrd import open_workbook

    sheets = open_workbook(path).sheets()
    return "\n".join(str(cell) for sheet in sheets for at in range(sheet.nrows) for cell in sheet.row_values(at))


def _open_document(path: Path) -> str:
    from odf import teletype, text
    from odf.opendocument import load

    document = load(str(path))
    found = [*document.getElementsByType(text.H), *document.getElementsByType(text.P)]
    return "\n".join(map(teletype.extractText, found))


READERS: Final[dict[str, Callable[[Path], str]]] = {
    ".docx": _pandoc, ".odt": _pandoc, ".epub": _pandoc, ".pdf": _pdf, ".pptx": _pptx, ".xlsx": _xlsx, ".xls": _xls,
    ".ods": _open_document, ".odp": _open_document,
}  # fmt: skip

if __name__ == "__main__":
    for line in write_references(Path(sys.argv[1])):
        print("no reference for", line)
