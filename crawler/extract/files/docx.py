"""Write a Word document (DOCX) as HTML: headings, lists, tables, boxes, charts, notes; no deleted, no hidden text."""

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any

from crawler.extract.bounded_process import Unreadable
from crawler.extract.charset import decode
from crawler.extract.files.drawing import Cell, Drawings, formula, marked, missing, number_of, picture, write_table
from crawler.extract.files.zip_document import ZipDocument, attribute, child_of, elements, elements_of, local, texts

_MAX_DEPTH = 60
_RISE = 4  #: half points: text that is less above or below its line was only aligned
_PART = 5_000  #: paragraphs and tables that are written at once
_SKIPPED = frozenset("del moveFrom instrText delText sectPr pPr rPr tblPr trPr tcPr Fallback proofErr".split())
_INLINE = {"tab": " ", "br": "<br>", "cr": "<br>", "noBreakHyphen": "-", "sym": " "}
_LEVELS = ("1", "2", "3", "4", "5", "6")
#: of a style: one of the levels for a heading, "li" for a list, else ""; its marks
_Style = tuple[str, Mapping[str, str]]
_PLAIN: _Style = ("", {})
_NOTES = ("footnote", "endnote", "comment")
_TEXTS = (".htm", ".html", ".xhtml", ".txt")


def read_docx(archive: ZipDocument) -> Iterator[dict[str, Any]]:
    """Yield the document's metadata, then its text as HTML; raises Unreadable."""
    main = archive.main_part("word/document.xml")
    root = archive.xml(main)
    if root is None:
        raise Unreadable("is damaged: it has no text part.")
    folder = main.rpartition("/")[0]
    yield {"about": texts(archive.xml("docProps/core.xml"), "title", "language", "created", "modified")}
    drawings = Drawings(archive=archive, relations=archive.relations(main))
    styles = {attribute(each, "styleId"): each for each in elements(archive.xml(f"{folder}/styles.xml"), "style")}
    writer = _DocxWriter({key: _style(styles, key) for key in styles}, _notes(archive, folder), drawings)
    body = list(next(root.iterfind("{*}body"), root))
    for first in range(0, len(body), _PART):
        yield {"html": writer.blocks(body[first : first + _PART])}
    yield {"html": writer.notes() + writer.edges()}
    yield {"missing": missing(drawings.unread)}


def _style(styles: Mapping[str, Any], key: str, depth: int = 0) -> _Style:
    """Return what a style and those that it is based on say of its text."""
    if key not in styles or depth > _MAX_DEPTH:
        return _PLAIN
    inner = {local(each): each for each in styles[key].iter() if isinstance(each.tag, str)}
    kind, marks = _style(styles, attribute(inner["basedOn"], "val") if "basedOn" in inner else "", depth + 1)
    return _kind(inner) or kind, {**marks, **_properties(styles[key], "rPr")}


def _kind(inner: Mapping[str, Any]) -> str:
    name = attribute(inner["name"], "val").casefold() if "name" in inner else ""
    level = "1" if name == "title" else name.removeprefix("heading ")
    if "outlineLvl" in inner and (depth := attribute(inner["outlineLvl"], "val")).isdigit() and int(depth) < 6:
        return str(int(depth) + 1)
    if level != name and level in _LEVELS:
        return level
    return "li" if "numPr" in inner or name.startswith(("list bullet", "list number")) else ""


def _properties(parent: Any, name: str) -> dict[str, str]:
    return {local(each): attribute(each, "val") for each in child_of(parent, name)}


def _notes(archive: ZipDocument, folder: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in _NOTES:
        root = archive.xml(f"{folder}/{part}s.xml")
        for note in root.iterfind(f"{{*}}{part}") if root is not None else ():
            if attribute(note, "type") in ("", "normal"):
                found[part + attribute(note, "id")] = note
    return found


class _DocxWriter:
    def __init__(self, styles: Mapping[str, _Style], notes: Mapping[str, Any], drawings: Drawings) -> None:
        self._styles, self._notes, self._drawings = styles, notes, drawings
        self._cited: list[str] = []
        self._boxes: list[str] = []

    def blocks(self, parent: Iterable[Any], depth: int = 0) -> str:
        """Return the paragraphs and tables below an element."""
        out: list[str] = []
        open_lists, initial = 0, ""
        for child in parent if depth < _MAX_DEPTH else ():
            name = local(child)
            if name == "p":
                outer, self._boxes = self._boxes, []
                kind, level = self._kind(child)
                text, initial = initial + self._inline(child), ""
                # the large first letter of the next one
                if any(attribute(each, "dropCap") in ("drop", "margin") for each in child_of(child, "pPr")):
                    text, initial = "", text
                wanted = level + 1 if kind == "li" else 0
                if not text.strip():
                    wanted = open_lists if not kind else wanted
                out.append("<ul>" * (wanted - open_lists) + "</ul>" * (open_lists - wanted))
                open_lists = wanted
                tag = "li" if kind == "li" else f"h{kind}" if kind else "p"
                out.append(f"<{tag}>{text}</{tag}>" if text.strip() else "")
                out += self._boxes
                self._boxes = outer
                continue
            out.append("</ul>" * open_lists)
            open_lists = 0
            if name == "tbl":
                out.append(self._table(child, depth))
            elif name == "altChunk":
                out.append(self._included(attribute(child, "id")))
            elif name == "sdt" and any(
                attribute(each, "val") == "Table of Contents" for each in elements(child, "docPartGallery")
            ):
                continue
            elif name and name not in _SKIPPED:
                out.append(self.blocks(child, depth + 1))
        return "".join((*out, "</ul>" * open_lists, f"<p>{initial}</p>" if initial else ""))

    def notes(self) -> str:
        """Return the notes and comments that the text cites, each a paragraph."""
        return "".join(self.blocks(self._notes[key]) for key in dict.fromkeys(self._cited) if key in self._notes)

    def edges(self) -> str:
        """Return the headers and footers, each once."""
        parts = (part for kind, part in self._drawings.relations.values() if kind in ("header", "footer"))
        roots = [self._drawings.archive.xml(part) for part in dict.fromkeys(parts)]
        written = (self.blocks(root) for root in roots if root is not None)
        return "".join(dict.fromkeys(html for html in written if any(map(str.isalpha, html))))

    def _included(self, relation: str) -> str:
        archive, part = self._drawings.archive, self._drawings.relations.get(relation, ("", ""))[1]
        body = archive.read(part)
        if body.startswith(b"PK"):
            return "".join(line.get("html", "") for line in read_docx(archive.within(body)))
        if part.casefold().endswith(_TEXTS):
            return decode(body) if not part.casefold().endswith(".txt") else f"<p>{escape(decode(body))}</p>"
        self._drawings.unread["included document"] += 1
        return ""

    def _style_of(self, paragraph: Any) -> _Style:
        return self._styles.get(_properties(paragraph, "pPr").get("pStyle", ""), _PLAIN)

    def _kind(self, paragraph: Any) -> tuple[str, int]:
        inner = {local(each): each for each in child_of(paragraph, "pPr")}
        kind, _ = self._style_of(paragraph)
        if "outlineLvl" in inner and not kind:
            depth = attribute(inner["outlineLvl"], "val")
            kind = str(int(depth) + 1) if depth.isdigit() and int(depth) < 6 else ""
        if "numPr" in inner and not kind.isdigit():
            numbering = {local(each): attribute(each, "val") for each in inner["numPr"]}
            level = numbering.get("ilvl", "0")
            if numbering.get("numId") != "0":
                return "li", min(8, int(level)) if level.isdigit() else 0
        return kind, 0

    def _table(self, table: Any, depth: int) -> str:
        rows: list[list[Cell]] = []
        names = 0
        above: dict[int, Cell] = {}  # by column, the cell that the one below it may continue
        for row in elements_of(table, "tr"):
            cells, column = list[Cell](), 0
            for part in elements_of(row, "tc"):
                inner = {local(each): each for each in child_of(part, "tcPr")}
                columns = number_of(inner["gridSpan"], "val") if "gridSpan" in inner else 1
                continues = "vMerge" in inner and attribute(inner["vMerge"], "val") in ("", "continue")
                if continues and column in above:
                    above[column].rows += 1
                else:
                    above[column] = Cell(html=self.blocks(part, depth + 1), columns=columns)
                    cells.append(above[column])
                column += columns
            rows.append(cells)
            names += len(rows) == names + 1 and _names_columns(row)
        return write_table(rows, heads=names)

    def _inline(self, parent: Any, depth: int = 0) -> str:
        out: list[str] = []
        for child in parent if depth < _MAX_DEPTH else ():
            name = local(child)
            if name == "t":
                out.append(escape(child.text or ""))
            elif name == "oMath":
                out.append(escape(formula(child)))
            elif name in _INLINE:
                out.append(_INLINE[name])
            elif name.removesuffix("Reference") in _NOTES:
                self._cited.append(name.removesuffix("Reference") + attribute(child, "id"))
            elif name == "txbxContent":
                self._boxes.append(self.blocks(child, depth + 1))
            elif name in ("docPr", "textpath"):
                said = attribute(child, "descr") or attribute(child, "title") or attribute(child, "string")
                self._boxes.append(picture(said))
            elif written := self._drawings.write(child):
                self._boxes.append(written)
            elif name == "r":
                out.append(self._run(child, depth))
            elif name == "imagedata":
                self._boxes.append(picture(attribute(parent, "alt")))
            elif name and name not in _SKIPPED:
                out.append(self._inline(child, depth + 1))
        return "".join(out)

    def _run(self, run: Any, depth: int) -> str:
        """Return a run's text; of struck or hidden ones none."""
        direct = _properties(run, "rPr")
        _, above = self._style_of(next(run.iterancestors("{*}p"), run))
        marks = {**above, **self._styles.get(direct.get("rStyle", ""), _PLAIN)[1], **direct}
        if any(marks.get(name, "0") not in ("0", "false", "off") for name in ("vanish", "strike", "dstrike")):
            return ""
        place, rise = marks.get("vertAlign"), marks.get("position", "")
        is_moved = rise.strip("-").isdecimal() and int(rise.strip("-")) >= _RISE
        raised = place == "superscript" or (is_moved and rise[0] != "-")
        lowered = place == "subscript" or (is_moved and rise[0] == "-")
        return marked(self._inline(run, depth + 1), "sup" if raised else "sub" if lowered else "")


def _names_columns(row: Any) -> bool:
    """Return whether a row is repeated on each page, or all of its cells are bold."""
    inner = [{local(each) for each in cell.iter()} for cell in row.iterfind("{*}tc")]
    is_repeated = next(elements(row, "tblHeader"), None) is not None
    return is_repeated or (bool(inner) and all("b" in each for each in inner))
