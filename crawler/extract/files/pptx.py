"""Write slides (PPTX) as HTML, each a part of its own: its title as a heading, lists, tables, charts, the notes."""

from collections.abc import Iterator
from html import escape
from typing import Any

from crawler.extract.bounded_process import Unreadable
from crawler.extract.files.drawing import Cell, Drawings, formula, marked, missing, number_of, picture, write_table
from crawler.extract.files.zip_document import ZipDocument, attribute, elements, local, texts

MAX_SLIDES = 5_000
_MAX_DEPTH = 40
_BREAKS = {"br": "<br>", "tab": " "}
#: placeholders that repeat on every slide
_REPEATED = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})


def read_pptx(archive: ZipDocument) -> Iterator[dict[str, Any]]:
    """Yield the file's metadata, then each slide that is shown; raises Unreadable."""
    main = archive.main_part("ppt/presentation.xml")
    root = archive.xml(main)
    if root is None:
        raise Unreadable("is damaged: it names no slides.")
    yield {"about": texts(archive.xml("docProps/core.xml"), "title", "language", "created", "modified")}
    parts = archive.relations(main)
    order = []
    for slide in elements(root, "sldId"):  # its own number is called "id", too
        ids = (value for key, value in slide.attrib.items() if key.startswith("{") and key.endswith("}id"))
        relation = next(ids, "")
        order.append(parts.get(relation, ("", ""))[1])
    all_drawings = Drawings(archive=archive, relations={})
    for number, part in enumerate(order[:MAX_SLIDES], start=1):
        slide = archive.xml(part)
        if slide is None or attribute(slide, "show") == "0":
            continue
        relations = archive.relations(part)
        drawings = Drawings(archive=archive, relations=relations, unread=all_drawings.unread)
        notes = [name for kind, name in relations.values() if kind == "notesSlide"]
        html = _shapes(slide, drawings)
        if not html and next(elements(slide, "pic"), None) is not None:
            drawings.unread["slide of pictures"] += 1
        said = "".join(_shapes(archive.xml(name), drawings, is_notes=True) for name in notes[:1])
        comments = (archive.xml(name) for kind, name in relations.values() if kind.casefold() == "comments")
        remarks = (each.text for root in comments for each in elements(root, "text", "t") if each.text)
        yield {"html": html + said + "".join(f"<p>{escape(text)}</p>" for text in remarks), "place": f"slide {number}"}
    more = [f"slides {MAX_SLIDES + 1:,} to {len(order):,}"] if len(order) > MAX_SLIDES else []
    pictures = all_drawings.unread.pop("slide of pictures", 0)
    more += [f"{pictures} slide{'s' * (pictures > 1)} of pictures"] if pictures else []
    yield {"missing": missing(all_drawings.unread) + more}


def _shapes(parent: Any | None, drawings: Drawings, *, is_notes: bool = False, depth: int = 0) -> str:
    if parent is None or depth > _MAX_DEPTH:
        return ""
    out: list[str] = []
    for child in parent:
        name = local(child)
        if name == "sp":
            out.append(_shape(child, is_notes=is_notes))
        elif name == "tbl":
            out.append(_table(child))
        elif name == "cNvPr":
            out.append(picture(attribute(child, "descr") or attribute(child, "title")))
        elif written := drawings.write(child):
            out.append(written)
        elif name and name not in ("Fallback", "nvGrpSpPr", "grpSpPr"):
            out.append(_shapes(child, drawings, is_notes=is_notes, depth=depth + 1))
    return "".join(out)


def _shape(shape: Any, *, is_notes: bool) -> str:
    inner = {local(each): each for each in elements(shape, "ph", "txBody", "cNvPr")}
    place = attribute(inner["ph"], "type") if "ph" in inner else None
    hidden = "cNvPr" in inner and attribute(inner["cNvPr"], "hidden") in ("1", "true")
    if "txBody" not in inner or hidden or place in _REPEATED:
        return ""
    paragraphs = [
        (attribute(next(each.iterfind("{*}pPr"), each), "lvl"), text)
        for each in inner["txBody"].iterfind("{*}p")
        if (text := _text(each)).strip()
    ]
    if place in ("title", "ctrTitle"):
        return f"<h2>{' '.join(text for _, text in paragraphs)}</h2>" if paragraphs else ""
    if place is None or is_notes or place == "subTitle" or len(paragraphs) < 2:
        return "".join(f"<p>{text}</p>" for _, text in paragraphs)
    out, depth = [], 0
    for level, text in paragraphs:
        wanted = 1 + (min(8, int(level)) if level.isdigit() else 0)
        out.append("<ul>" * (wanted - depth) + "</ul>" * (depth - wanted) + f"<li>{text}</li>")
        depth = wanted
    return "".join((*out, "</ul>" * depth))


def _table(table: Any) -> str:
    rows: list[list[Cell]] = []
    for row in table.iterfind("{*}tr"):
        rows.append([])
        for cell in row.iterfind("{*}tc"):
            if not (attribute(cell, "hMerge") or attribute(cell, "vMerge")):
                html = " ".join(_text(each) for each in elements(cell, "p"))
                columns, reach = number_of(cell, "gridSpan"), number_of(cell, "rowSpan")
                rows[-1].append(Cell(html=html, columns=columns, rows=reach))
    is_named = any(attribute(each, "firstRow") == "1" for each in table.iterfind("{*}tblPr"))
    return write_table(rows, heads=int(is_named))


def _text(paragraph: Any) -> str:
    out = []
    for each in paragraph.iter():
        name, run = local(each), each.getparent()
        if name == "oMath":
            out.append(escape(formula(each)))
        elif name == "t" and "math" not in each.tag:
            properties = run.find("{*}rPr")
            rise = attribute(properties, "baseline") if properties is not None else ""
            is_struck = properties is not None and attribute(properties, "strike") in ("sngStrike", "dblStrike")
            text = "" if is_struck else escape(each.text or "")
            out.append(marked(text, "sub" if rise[:1] == "-" else "sup" if rise.strip("0%") else ""))
        else:
            out.append(_BREAKS.get(name, ""))
    return "".join(out)
