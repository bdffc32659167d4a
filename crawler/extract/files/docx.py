"""Write a Word document (DOCX) as HTML: headings, lists, tables, notes; no deleted and no hidden text."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from crawler.extract.files.archive import Archive, Unreadable, attribute, local, texts

_MAX_DEPTH = 60
_SKIPPED = frozenset("del moveFrom instrText delText sectPr pPr rPr tblPr trPr tcPr Fallback proofErr".split())
_INLINE = {"tab": " ", "br": "<br>", "cr": "<br>", "noBreakHyphen": "-", "sym": " "}


def read_docx(archive: Archive) -> Iterator[dict[str, Any]]:
    """Yield the document's metadata, then its text as HTML; raises Unreadable."""
    main = next((part for kind, part in archive.relations("").values() if kind == "officeDocument"), "")
    root = archive.xml(main or "word/document.xml")
    if root is None:
        raise Unreadable("is damaged: it has no text part.")
    folder = (main or "word/document.xml").rpartition("/")[0]
    about = texts(archive.xml("docProps/core.xml"), "title", "language", "created", "modified")
    yield {"about": about}
    writer = _Writer(_styles(archive.xml(f"{folder}/styles.xml")), _notes(archive, folder))
    body = next((each for each in root if local(each) == "body"), root)
    yield {"html": writer.blocks(body) + writer.notes()}


def _styles(root: Any | None) -> dict[str, str]:
    """Return for each style's id "1" to "6" for a heading, "li" for a list, "" for others."""
    found: dict[str, str] = {}
    above: dict[str, str] = {}
    for style in root if root is not None else ():
        if local(style) != "style":
            continue
        inner = {local(each): each for each in style.iter() if isinstance(each.tag, str)}
        key = attribute(style, "styleId")
        name = attribute(inner["name"], "val").casefold() if "name" in inner else ""
        level = name.removeprefix("heading ")
        if "outlineLvl" in inner and (depth := attribute(inner["outlineLvl"], "val")).isdigit() and int(depth) < 6:
            found[key] = str(int(depth) + 1)
        elif name == "title":
            found[key] = "1"
        elif level != name and level.isdigit() and 1 <= int(level) <= 6:
            found[key] = level
        elif "numPr" in inner or name.startswith(("list bullet", "list number")):
            found[key] = "li"
        elif "basedOn" in inner:
            above[key] = attribute(inner["basedOn"], "val")
    for key in above:
        base, steps = above[key], 0
        while base in above and steps < _MAX_DEPTH:
            base, steps = above[base], steps + 1
        found[key] = found.get(base, "")
    return found


def _notes(archive: Archive, folder: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in ("footnote", "endnote"):
        root = archive.xml(f"{folder}/{part}s.xml")
        for note in root if root is not None else ():
            if local(note) == part and attribute(note, "type") in ("", "normal"):
                found[part + attribute(note, "id")] = note
    return found


class _Writer:
    def __init__(self, styles: dict[str, str], notes: dict[str, Any]) -> None:
        self._styles, self._notes = styles, notes
        self._cited: list[str] = []
        self._boxes: list[str] = []

    def blocks(self, parent: Any, depth: int = 0) -> str:
        """Return the paragraphs and tables below an element."""
        out: list[str] = []
        open_lists = 0
        for child in parent if depth < _MAX_DEPTH else ():
            name = local(child)
            if name == "p":
                kind, level = self._kind(child)
                text = self._inline(child)
                wanted = level + 1 if kind == "li" else 0
                if not text.strip():
                    wanted = open_lists if not kind else wanted
                out.append("<ul>" * (wanted - open_lists) + "</ul>" * (open_lists - wanted))
                open_lists = wanted
                tag = "li" if kind == "li" else f"h{kind}" if kind else "p"
                out.append(f"<{tag}>{text}</{tag}>" if text.strip() else "")
                out += self._boxes
                self._boxes = []
                continue
            out.append("</ul>" * open_lists)
            open_lists = 0
            if name == "tbl":
                out.append(self._table(child, depth))
            elif name and name not in _SKIPPED and not (name == "sdt" and _is_contents(child)):
                out.append(self.blocks(child, depth + 1))
        return "".join((*out, "</ul>" * open_lists))

    def notes(self) -> str:
        """Return the notes that the text cites, each a paragraph."""
        return "".join(self.blocks(self._notes[key]) for key in dict.fromkeys(self._cited) if key in self._notes)

    def _kind(self, paragraph: Any) -> tuple[str, int]:
        properties = next((each for each in paragraph if local(each) == "pPr"), ())
        inner = {local(each): each for each in properties}
        kind = self._styles.get(attribute(inner["pStyle"], "val"), "") if "pStyle" in inner else ""
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
        rows: list[str] = []
        for row in (each for each in table.iter() if local(each) == "tr" and _owner(each) is table):
            cells = [each for each in row.iter() if local(each) == "tc" and _owner(each, "tr") is row]
            tag = "td" if rows else "th"
            rows.append("".join(f"<{tag}>{self.blocks(cell, depth + 1)}</{tag}>" for cell in cells))
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"

    def _inline(self, parent: Any, depth: int = 0) -> str:
        out: list[str] = []
        for child in parent if depth < _MAX_DEPTH else ():
            name = local(child)
            if name == "t":
                out.append(escape(child.text or ""))
            elif name in _INLINE:
                out.append(_INLINE[name])
            elif name in ("footnoteReference", "endnoteReference"):
                self._cited.append(name.removesuffix("Reference") + attribute(child, "id"))
            elif name == "txbxContent":
                self._boxes.append(self.blocks(child, depth + 1))
            elif name and name not in _SKIPPED and not (name == "r" and _is_hidden(child)):
                out.append(self._inline(child, depth + 1))
        return "".join(out)


def _is_hidden(run: Any) -> bool:
    properties = next((each for each in run if local(each) == "rPr"), ())
    return any(local(each) == "vanish" and attribute(each, "val") not in ("0", "false") for each in properties)


def _is_contents(element: Any) -> bool:
    return any(
        local(each) == "docPartGallery" and attribute(each, "val") == "Table of Contents" for each in element.iter()
    )


def _owner(element: Any, name: str = "tbl") -> Any:
    above = element.getparent()
    while above is not None and local(above) != name:
        above = above.getparent()
    return above
