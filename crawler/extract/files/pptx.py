"""Write slides (PPTX) as HTML, each a part of its own: its title as a heading, lists, tables, the speaker's notes."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from crawler.extract.files.archive import Archive, Unreadable, attribute, local, texts

MAX_SLIDES = 2_000
_MAX_DEPTH = 40
#: placeholders that repeat on every slide
_BREAKS = {"br": "<br>", "tab": " "}
_FURNITURE = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})


def read_pptx(archive: Archive) -> Iterator[dict[str, Any]]:
    """Yield the file's metadata, then each slide that is shown; raises Unreadable."""
    main = next((part for kind, part in archive.relations("").values() if kind == "officeDocument"), "")
    main = main or "ppt/presentation.xml"
    root = archive.xml(main)
    if root is None:
        raise Unreadable("is damaged: it names no slides.")
    yield {"about": texts(archive.xml("docProps/core.xml"), "title", "language", "created", "modified")}
    parts = archive.relations(main)
    order = [parts.get(_relation(each), ("", ""))[1] for each in root.iter() if local(each) == "sldId"]
    for number, part in enumerate(order[:MAX_SLIDES], start=1):
        slide = archive.xml(part)
        if slide is None or attribute(slide, "show") == "0":
            continue
        notes = [name for kind, name in archive.relations(part).values() if kind == "notesSlide"]
        said = "".join(_shapes(archive.xml(name), is_notes=True) for name in notes[:1])
        yield {"html": _shapes(slide) + said, "place": f"slide {number}"}


def _relation(slide: Any) -> str:
    """Return the id of a slide's relation: it stands beside the slide's own number, which is called "id" too."""
    return next((value for key, value in slide.attrib.items() if key.startswith("{") and key.endswith("}id")), "")


def _shapes(parent: Any | None, *, is_notes: bool = False, depth: int = 0) -> str:
    if parent is None or depth > _MAX_DEPTH:
        return ""
    out: list[str] = []
    for child in parent:
        name = local(child)
        if name == "sp":
            out.append(_shape(child, is_notes=is_notes))
        elif name == "tbl":
            out.append(_table(child))
        elif name and name not in ("Fallback", "nvGrpSpPr", "grpSpPr"):
            out.append(_shapes(child, is_notes=is_notes, depth=depth + 1))
    return "".join(out)


def _shape(shape: Any, *, is_notes: bool) -> str:
    inner = {local(each): each for each in shape.iter() if local(each) in ("ph", "txBody", "cNvPr")}
    place = attribute(inner["ph"], "type") if "ph" in inner else None
    hidden = "cNvPr" in inner and attribute(inner["cNvPr"], "hidden") in ("1", "true")
    if "txBody" not in inner or hidden or place in _FURNITURE:
        return ""
    paragraphs = [(_level(each), _text(each)) for each in inner["txBody"] if local(each) == "p"]
    paragraphs = [(level, text) for level, text in paragraphs if text.strip()]
    if place in ("title", "ctrTitle"):
        return f"<h2>{' '.join(text for _, text in paragraphs)}</h2>" if paragraphs else ""
    if place is None or is_notes or place == "subTitle" or len(paragraphs) < 2:
        return "".join(f"<p>{text}</p>" for _, text in paragraphs)
    out, depth = [], 0
    for level, text in paragraphs:
        out.append("<ul>" * (level + 1 - depth) + "</ul>" * (depth - level - 1) + f"<li>{text}</li>")
        depth = level + 1
    return "".join((*out, "</ul>" * depth))


def _level(paragraph: Any) -> int:
    properties = next((each for each in paragraph if local(each) == "pPr"), None)
    level = attribute(properties, "lvl") if properties is not None else ""
    return min(8, int(level)) if level.isdigit() else 0


def _table(table: Any) -> str:
    rows: list[str] = []
    for row in (each for each in table if local(each) == "tr"):
        tag = "td" if rows else "th"
        cells = (" ".join(_text(p) for p in cell.iter() if local(p) == "p") for cell in row if local(cell) == "tc")
        rows.append("".join(f"<{tag}>{cell}</{tag}>" for cell in cells))
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def _text(paragraph: Any) -> str:
    pieces = ((local(each), each.text or "") for each in paragraph.iter())
    return "".join(escape(text) if name == "t" else _BREAKS.get(name, "") for name, text in pieces)
