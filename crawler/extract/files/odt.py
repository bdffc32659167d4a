"""Write an OpenDocument text or presentation (ODT, ODP) as HTML: headings, lists, tables, charts, notes, comments."""

from collections import Counter
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from crawler.extract.bounded_process import Unreadable
from crawler.extract.files.drawing import Cell, marked, missing, number_of, picture, write_table
from crawler.extract.files.zip_document import ZipDocument, attribute, elements, elements_of, join, local, texts
from crawler.extract.formulas import linear

_MAX_DEPTH = 60
_MAX_REPEATED = 50  #: cells that are written out of one that is repeated
_MAX_OBJECTS = 200  #: charts and the like
_SKIPPED = frozenset(
    "tracked-changes table-of-content alphabetical-index sequence-decls forms note-citation date date-string "
    "soft-page-break".split()
)
_STRUCK = ("text-line-through-style", "text-line-through-type", "text-crossing-out")
_BLOCKS = frozenset("h p list ordered-list unordered-list table".split())


def read_odt(archive: ZipDocument) -> Iterator[dict[str, Any]]:
    """Yield the document's metadata, then its text as HTML, of a presentation each slide; raises Unreadable."""
    if next(elements(archive.xml("META-INF/manifest.xml"), "encryption-data"), None) is not None:
        raise Unreadable("is encrypted: it opens only with a password. Save it without one.")
    root = archive.xml("content.xml")
    inner = next(elements(root, "body"), None)
    if root is None or inner is None:
        raise Unreadable("is damaged: it has no text part.")
    about = texts(archive.xml("meta.xml"), "title", "language", "creation-date", "date")
    yield {"about": {**about, "created": about.get("creation-date", ""), "modified": about.get("date", "")}}
    styles = archive.xml("styles.xml")
    writer = _OdtWriter(archive, _marks(styles, root))
    slides = list(elements(inner, "page"))
    for number, slide in enumerate(slides, start=1):
        yield {"html": writer.blocks(slide), "place": f"slide {number}"}
    yield {"html": ("" if slides else writer.blocks(inner)) + "".join(writer.notes) + writer.edges(styles)}
    yield {"missing": missing(writer.unread)}


def _marks(*roots: Any | None) -> dict[str, str]:
    """Return for each style of text or paragraphs "sup", "sub", "s" (struck or hidden), or "" for none of them."""
    styles = (style for root in roots for style in elements(root, "style"))
    named = {attribute(each, "name"): each for each in styles if attribute(each, "family") in ("text", "paragraph")}
    return {name: _mark(named, name) for name in named}


def _mark(styles: Mapping[str, Any], name: str, depth: int = 0) -> str:
    style = styles.get(name) if depth < _MAX_DEPTH else None
    for properties in () if style is None else style:
        position = attribute(properties, "text-position")
        is_struck = any(attribute(properties, mark) not in ("", "none") for mark in _STRUCK)
        if is_struck or attribute(properties, "display") == "none":
            return "s"
        if position:
            return "sub" if position.startswith(("sub", "-")) else "" if position.startswith("0%") else "sup"
    return "" if style is None else _mark(styles, attribute(style, "parent-style-name"), depth + 1)


class _OdtWriter:
    def __init__(self, archive: ZipDocument, marks: dict[str, str]) -> None:
        self._archive, self._marks = archive, marks
        self.notes: list[str] = []
        self.unread: Counter[str] = Counter()
        self._objects = 0

    def blocks(self, parent: Any, depth: int = 0, tag_of_text: str = "p") -> str:
        """Return the paragraphs and tables below an element."""
        out: list[str] = []
        for child in parent if depth < _MAX_DEPTH else ():
            name = local(child)
            if name == "h":
                level = attribute(child, "outline-level") or attribute(child, "level")
                tag = f"h{min(6, int(level))}" if level.isdigit() and int(level) else "h1"
                out.append(f"<{tag}>{self._inline(child, out)}</{tag}>")
            elif name == "p":
                boxes: list[str] = []
                is_struck = self._marks.get(attribute(child, "style-name")) == "s"
                text = "" if is_struck else self._inline(child, boxes)
                out += [f"<{tag_of_text}>{text}</{tag_of_text}>" if text.strip() else "", *boxes]
            elif name in ("list", "ordered-list", "unordered-list"):
                items = (each for each in child if local(each) in ("list-item", "list-header"))
                inner = (f"<li>{self.blocks(item, depth + 1, 'div')}</li>" for item in items)
                out.append(f"<ul>{''.join(inner)}</ul>")
            elif name == "table":
                out.append(self._table(child, depth))
            elif name == "annotation":
                self.notes.append(self.blocks(child, depth + 1))
            elif name in ("title", "desc"):
                out.append(picture(child.text or ""))
            elif name == "object":
                out.append(self._object(child, depth))
            elif name == "frame" and attribute(child, "class") == "title":
                out.append(self.blocks(child, depth + 1, "h2"))
            elif name and name not in _SKIPPED:
                out.append(self.blocks(child, depth + 1, tag_of_text))
        return "".join(out)

    def edges(self, styles: Any | None) -> str:
        """Return the headers and footers, each once."""
        parts = elements(styles, "header", "footer")
        return "".join(dict.fromkeys(html for part in parts if any(map(str.isalpha, html := self.blocks(part)))))

    def _object(self, element: Any, depth: int) -> str:
        self._objects += 1
        name = join("", attribute(element, "href")) + "/content.xml"
        root = self._archive.xml(name) if self._objects < _MAX_OBJECTS else None
        is_formula = root is not None and local(root) == "math"
        html = f"<p>{escape(linear(root))}</p>" if is_formula else "" if root is None else self.blocks(root, depth + 1)
        self.unread["embedded object"] += not html
        return html

    def _table(self, table: Any, depth: int) -> str:
        rows: list[list[Cell]] = []
        names = 0
        for row in elements_of(table, "table-row"):
            cells: list[Cell] = []
            for part in row.iterfind("{*}table-cell"):
                columns, reach = number_of(part, "number-columns-spanned"), number_of(part, "number-rows-spanned")
                cell = Cell(html=self.blocks(part, depth + 1), columns=columns, rows=reach)
                cells += [cell] * number_of(part, "number-columns-repeated", _MAX_REPEATED)
            rows.append(cells)
            names += local(row.getparent()) == "table-header-rows"
        return write_table(rows, heads=names)

    def _inline(self, parent: Any, boxes: list[str], depth: int = 0) -> str:
        out = [escape(parent.text or "")]
        for child in parent if depth < _MAX_DEPTH else ():
            name = local(child)
            if name == "line-break":
                out.append("<br>")
            elif name in ("s", "tab", "tab-stop"):
                out.append(" ")
            elif name in ("note", "annotation", "footnote", "endnote"):
                self.notes.append(self.blocks(child, depth + 1))
            elif name not in ("", "a") and "drawing" in child.tag:
                boxes.append(self.blocks(child, depth + 1))
            elif name and name not in _SKIPPED and name not in _BLOCKS:
                text = self._inline(child, boxes, depth + 1)
                # in a style that is not there, a number is not split
                unknown = "sup" if text.isdecimal() and out[-1][-1:].isdecimal() else ""
                mark = self._marks.get(attribute(child, "style-name"), unknown) if name == "span" else ""
                out.append("" if mark == "s" else marked(text, mark))
            out.append(escape(child.tail or ""))
        return "".join(out)
