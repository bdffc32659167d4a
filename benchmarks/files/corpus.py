"""Write 30 files: three documents in nine kinds each, and three that harm whoever opens them."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

HOSTILE = ("broken.docx", "bomb.docx", "broken.pdf")
_BOMB = b"<w:p><w:r><w:t>aaaaaaaaaaaaaaaaaaaaaaaaaaaaa</w:t></w:r></w:p>" * 900_000


@dataclass(frozen=True, kw_only=True)
class Section:
    """A heading with what stands below it."""

    heading: str
    sentences: tuple[str, ...]
    items: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def documents() -> dict[str, tuple[Section, ...]]:
    """Return the documents by name: a handbook, one with other letters and signs, a long one."""
    staff = (("City", "Limit", "Contact"), ("Oslo", "190", "Berg"), ("Rome", "150", "Conti"))
    shop = (("Gebäck", "Preis"), ("Brötchen & Hörnchen", "2,50"), ("Käse < 45 %", "9,10"))
    return {
        "handbook": (
            Section(heading="Travel", sentences=("Staff fly in economy class only.", "Six hours need an approval.")),
            Section(heading="Hotels", sentences=("A room is paid up to a limit.",), rows=staff),
            Section(heading="Luggage", sentences=("Take along what is listed.",), items=("a torch", "a rope")),
        ),
        "signs": (
            Section(heading="Öffnungszeiten", sentences=("Die Bäckerei öffnet früh, außer an Feiertagen.",), rows=shop),
            Section(heading="R&D <intern>", sentences=("Größe ≠ Güte: „ja“, sagte Zoë – vielleicht.",)),
        ),
        "long": tuple(
            Section(
                heading=f"Chapter {n}",
                sentences=tuple(f"Lamp {n}.{part} burns {n * part} litres of oil each year." for part in range(1, 25)),
                rows=(("Lamp", "Oil"), *((f"{n}.{part}", f"{n * part} litres") for part in range(1, 6))),
            )
            for n in range(1, 41)
        ),
    }


def write(folder: Path) -> None:
    """Write all files into the folder."""
    for name, sections in documents().items():
        for kind, body in _in_all_kinds(sections).items():
            (folder / f"{name}.{kind}").write_bytes(body)
    docx = (folder / "handbook.docx").read_bytes()
    (folder / "broken.docx").write_bytes(docx[: len(docx) // 2])
    (folder / "broken.pdf").write_bytes((folder / "long.pdf").read_bytes()[:9_000])
    with zipfile.ZipFile(io.BytesIO(docx)) as whole, zipfile.ZipFile(folder / "bomb.docx", "w", 8) as bomb:
        for part in whole.namelist():
            body = whole.read(part)
            bomb.writestr(part, body.replace(b"<w:body>", b"<w:body>" + _BOMB) if part == "word/document.xml" else body)


def _in_all_kinds(sections: Sequence[Section]) -> dict[str, bytes]:
    page = _html(sections)
    cells = io.StringIO()
    csv.writer(cells).writerows(row for section in sections for row in section.rows)
    return {
        "html": f"<html><head><title>A document</title></head><body>{page}</body></html>".encode(),
        "md": _markdown(sections, mark="## ").encode(),
        "txt": _markdown(sections, mark="").encode(),
        "csv": cells.getvalue().encode(),
        "pdf": _pdf(_markdown(sections, mark="").split("\n")),
        "docx": _docx(sections),
        "odt": _odt(sections),
        "pptx": _pptx(sections),
        "epub": _epub(page),
    }


def _html(sections: Sequence[Section]) -> str:
    out = []
    for section in sections:
        rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in section.rows)
        items = "".join(f"<li>{escape(item)}</li>" for item in section.items)
        out += [f"<h2>{escape(section.heading)}</h2>", *(f"<p>{escape(each)}</p>" for each in section.sentences)]
        out += [f"<ul>{items}</ul>" if items else "", f"<table>{rows}</table>" if rows else ""]
    return "".join(out)


def _markdown(sections: Sequence[Section], *, mark: str) -> str:
    out = []
    for section in sections:
        out += [f"{mark}{section.heading}", "", *section.sentences, "", *(f"- {item}" for item in section.items), ""]
        header, *rows = [f"| {' | '.join(row)} |" for row in section.rows] or [""]
        out += [header, f"|{' --- |' * len(section.rows[0])}" if rows and mark else "", *rows, ""]
    return "\n".join(line for at, line in enumerate(out) if line or (at and out[at - 1])) + "\n"


def _docx(sections: Sequence[Section]) -> bytes:
    from docx import Document

    document = Document()
    for section in sections:
        document.add_heading(section.heading, level=2)
        for sentence in section.sentences:
            document.add_paragraph(sentence)
        for item in section.items:
            document.add_paragraph(item, style="List Bullet")
        if not section.rows:
            continue
        table = document.add_table(rows=0, cols=len(section.rows[0]))
        for row in section.rows:
            for cell, text in zip(table.add_row().cells, row, strict=True):
                cell.text = text
    return _saved(document)


def _odt(sections: Sequence[Section]) -> bytes:
    from odfdo import Document, Header, List, Paragraph, Table

    document = Document("text")
    document.body.clear()
    for section in sections:
        document.body.append(Header(2, section.heading))
        for sentence in section.sentences:
            document.body.append(Paragraph(sentence))
        if section.items:
            document.body.append(List(list(section.items)))
        if section.rows:
            table = Table(section.heading.split("<")[0].strip().replace("&", ""))
            table.set_values([list(row) for row in section.rows])
            document.body.append(table)
    return _saved(document)


def _pptx(sections: Sequence[Section]) -> bytes:
    from pptx import Presentation
    from pptx.util import Inches

    show = Presentation()
    for section in sections:
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = section.heading
        slide.placeholders[1].text = "\n".join((*section.sentences, *section.items))
        if section.rows:
            size = (len(section.rows), len(section.rows[0]))
            table = slide.shapes.add_table(*size, Inches(1), Inches(4), Inches(4), Inches(1)).table
            for at, row in enumerate(section.rows):
                for column, text in enumerate(row):
                    table.cell(at, column).text = text
    return _saved(show)


def _epub(page: str) -> bytes:
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        '<rootfiles><rootfile full-path="b.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        "b.opf": '<package version="3.0" xmlns="http://www.idpf.org/2007/opf"><metadata '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A document</dc:title></metadata><manifest>'
        '<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="c"/></spine>'
        "</package>",
        "c.xhtml": '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>A document</title></head>'
        f"<body>{page}</body></html>",
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return out.getvalue()


def _pdf(lines: Sequence[str]) -> bytes:
    """Return a PDF of 50 lines a page, in Helvetica with the letters of Windows-1252."""
    pages = [lines[at : at + 50] for at in range(0, len(lines), 50)]
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b""]
    objects.append(b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
    for page in pages:
        shown = b"".join(b"(%s)Tj T*\n" % _escaped(line) for line in page)
        content = b"BT /F1 10 Tf 14 TL 50 780 Td\n" + shown + b"ET"
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(content), content))
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>"
            % len(objects)
        )
    kids = b" ".join(b"%d 0 R" % number for number in range(5, len(objects) + 1, 2))
    objects[1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(pages), kids)
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
    return out + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, out.rindex(b"xref"))


def _escaped(line: str) -> bytes:
    body = line.encode("cp1252", "replace")
    return body.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def _saved(document: Any) -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()
