"""Office documents and e-books as the real libraries write them, and files that harm whoever opens them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence

from docx import Document
from odfdo import Document as OpenDocument
from odfdo import Header, List, Paragraph
from odfdo import Table as OpenTable
from pptx import Presentation
from pptx.util import Inches

#: heading → sentences below it
Sections = Mapping[str, Sequence[str]]

SECTIONS: Sections = {
    "Travel": (
        "Staff of the harbour fly in economy class only, whatever the length of the flight.",
        "A flight above six hours needs the approval of Ngozi Okafor.",
    ),
    "Hotels": ("A hotel in Oslo may cost 190 euros a night, and breakfast is paid by the harbour.",),
}


def docx(
    sections: Sections = SECTIONS, *, title: str = "Handbook of the harbour", rows: Sequence[Sequence[str]] = ()
) -> bytes:
    document = Document()
    document.core_properties.title = title
    for heading, sentences in sections.items():
        document.add_heading(heading, level=1)
        for sentence in sentences:
            document.add_paragraph(sentence)
    if rows:
        table = document.add_table(rows=0, cols=len(rows[0]))
        for row in rows:
            for cell, text in zip(table.add_row().cells, row, strict=True):
                cell.text = text
    return _saved(document)


def odt(sections: Sections = SECTIONS) -> bytes:
    document = OpenDocument("text")
    document.body.clear()
    for heading, sentences in sections.items():
        document.body.append(Header(1, heading))
        for sentence in sentences:
            document.body.append(Paragraph(sentence))
    document.body.append(List(["a torch", "a rope"]))
    table = OpenTable("Limits", width=2, height=2)
    table.set_values([["City", "Limit"], ["Oslo", "190"]])
    document.body.append(table)
    return _saved(document)


def pptx(sections: Sections = SECTIONS, *, notes: str = "") -> bytes:
    show = Presentation()
    for heading, sentences in sections.items():
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = heading
        slide.placeholders[1].text = "\n".join(sentences)
        if notes:
            slide.notes_slide.notes_text_frame.text = notes
    table = show.slides[0].shapes.add_table(2, 2, Inches(1), Inches(4), Inches(4), Inches(1)).table
    for row, cells in enumerate((("City", "Limit"), ("Oslo", "190"))):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    return _saved(show)


def epub(sections: Sections = SECTIONS, *, encryption: str = "") -> bytes:
    """A book with a chapter for each section."""
    chapters = {f"chapter {n}.xhtml": section for n, section in enumerate(sections.items(), start=1)}
    items = "".join(f'<item id="c{n}" href="chapter%20{n}.xhtml"/>' for n in range(1, len(chapters) + 1))
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(1, len(chapters) + 1))
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
        "OEBPS/book.opf": '<package xmlns="http://www.idpf.org/2007/opf"><metadata '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Handbook of the harbour</dc:title></metadata>'
        f'<manifest><item id="nav" href="nav.xhtml" properties="nav"/>{items}</manifest>'
        f'<spine><itemref idref="nav"/>{spine}</spine></package>',
        "OEBPS/nav.xhtml": "<html><body><h1>Contents of the book</h1></body></html>",
    }
    for name, (heading, sentences) in chapters.items():
        text = "".join(f"<p>{sentence}</p>" for sentence in sentences)
        parts[f"OEBPS/{name}"] = (
            '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml">'
            f"<head><title>x</title></head><body><h1>{heading}</h1>{text}</body></html>"
        )
    if encryption:
        parts["META-INF/encryption.xml"] = encryption
    return zipped(parts)


def zipped(parts: Mapping[str, str | bytes], *, compress: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compress) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return out.getvalue()


def replaced(archive: bytes, parts: Mapping[str, str | bytes]) -> bytes:
    """An archive with other parts of these names, or with these beside its own."""
    with zipfile.ZipFile(io.BytesIO(archive)) as before:
        held: dict[str, str | bytes] = {name: before.read(name) for name in before.namelist()}
    return zipped(held | dict(parts))


def bomb(megabytes: int = 60) -> bytes:
    """A DOCX whose text unpacks to so much, and is a thousandth of that itself."""
    text = b"<w:document>" + b"<w:p><w:r><w:t>aaaaaaaaaaaaaaaaaaaaaaaaaaaaa</w:t></w:r></w:p>" * (megabytes * 15_000)
    return replaced(docx(), {"word/document.xml": text})


def with_text(body: str) -> bytes:
    """A DOCX with this body."""
    namespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    text = f'<w:document xmlns:w="{namespace}"><w:body>{body}</w:body></w:document>'
    return replaced(docx(), {"word/document.xml": text})


def _saved(document: object) -> bytes:
    out = io.BytesIO()
    document.save(out)  # type: ignore[attr-defined]
    return out.getvalue()
