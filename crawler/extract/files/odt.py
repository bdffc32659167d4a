"""Write an OpenDocument text (ODT) as HTML: headings, lists, tables, notes; no deleted text, no comments."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from crawler.extract.files.archive import Archive, Unreadable, attribute, local, texts

_MAX_DEPTH = 60
_MAX_REPEATED = 50  #: cells that are written out of one that is repeated
_SKIPPED = frozenset(
    "tracked-changes annotation table-of-content alphabetical-index sequence-decls forms note-citation title desc "
    "soft-page-break".split()
)
_BLOCKS = frozenset("h p list table".split())


def read_odt(archive: Archive) -> Iterator[dict[str, Any]]:
    """Yield the document's metadata, then its text as HTML; raises Unreadable."""
    manifest = archive.xml("META-INF/manifest.xml")
    if manifest is not None and any(local(each) == "encryption-data" for each in manifest.iter()):
        raise Unreadable("is encrypted: it opens only with a password. Save it without one.")
    root = archive.xml("content.xml")
    body = next((each for each in root.iter() if local(each) == "text"), None) if root is not None else None
    if body is None:
        raise Unreadable("is damaged: it has no text part.")
    about = texts(archive.xml("meta.xml"), "title", "language", "creation-date", "date")
    yield {"about": {**about, "created": about.get("creation-date", ""), "modified": about.get("date", "")}}
    notes: list[str] = []
    yield {"html": _blocks(body, notes) + "".join(notes)}


def _blocks(parent: Any, notes: list[str], depth: int = 0, tag_of_text: str = "p") -> str:
    out: list[str] = []
    for child in parent if depth < _MAX_DEPTH else ():
        name = local(child)
        if name == "h":
            level = attribute(child, "outline-level")
            tag = f"h{min(6, int(level))}" if level.isdigit() and int(level) else "h1"
            out.append(f"<{tag}>{_inline(child, notes, out)}</{tag}>")
        elif name == "p":
            boxes: list[str] = []
            text = _inline(child, notes, boxes)
            out += [f"<{tag_of_text}>{text}</{tag_of_text}>" if text.strip() else "", *boxes]
        elif name == "list":
            items = (each for each in child if local(each) in ("list-item", "list-header"))
            out.append(
                "<ul>" + "".join(f"<li>{_blocks(item, notes, depth + 1, 'div')}</li>" for item in items) + "</ul>"
            )
        elif name == "table":
            out.append(_table(child, notes, depth))
        elif name and name not in _SKIPPED:
            out.append(_blocks(child, notes, depth + 1))
    return "".join(out)


def _table(table: Any, notes: list[str], depth: int) -> str:
    rows: list[str] = []
    for row in (each for each in table.iter() if local(each) == "table-row" and _owner(each) is table):
        tag, cells = "td" if rows else "th", []
        for cell in (each for each in row if local(each) == "table-cell"):
            written = f"<{tag}>{_blocks(cell, notes, depth + 1)}</{tag}>"
            times = attribute(cell, "number-columns-repeated")
            cells.append(written * (min(_MAX_REPEATED, int(times)) if times.isdigit() else 1))
        rows.append("".join(cells))
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def _inline(parent: Any, notes: list[str], boxes: list[str], depth: int = 0) -> str:
    out = [escape(parent.text or "")]
    for child in parent if depth < _MAX_DEPTH else ():
        name = local(child)
        if name == "line-break":
            out.append("<br>")
        elif name in ("s", "tab"):
            out.append(" ")
        elif name == "note":
            notes.append(_blocks(child, notes, depth + 1))
        elif name in ("frame", "text-box", "custom-shape"):
            boxes.append(_blocks(child, notes, depth + 1))
        elif name and name not in _SKIPPED and name not in _BLOCKS:
            out.append(_inline(child, notes, boxes, depth + 1))
        out.append(escape(child.tail or ""))
    return "".join(out)


def _owner(row: Any) -> Any:
    above = row.getparent()
    while above is not None and local(above) != "table":
        above = above.getparent()
    return above
