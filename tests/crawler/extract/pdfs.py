"""PDF files made for a test: pages of lines in Helvetica, and files that harm whoever reads them."""

from __future__ import annotations

import io
import zlib
from collections.abc import Mapping, Sequence

from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject, StreamObject


def pdf(
    pages: Sequence[Sequence[str]],
    *,
    about: Mapping[str, str] | None = None,
    outline: Sequence[tuple[str, int]] = (),
    password: str = "",
    owner: str = "",
) -> bytes:
    """A file of pages of lines; ``outline`` names headings and their pages."""
    writer = PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
            NameObject("/Encoding"): NameObject("/WinAnsiEncoding"),
        }
    )
    for lines in pages:
        page = writer.add_blank_page(width=595, height=842)
        stream = DecodedStreamObject()
        stream.set_data(_content(lines))
        page[NameObject("/Contents")] = writer._add_object(stream)
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
        )
    for title, number in outline:
        writer.add_outline_item(title=title, page_number=number)
    if about:
        writer.add_metadata(dict(about))
    if password or owner:
        writer.encrypt(password, owner or None)
    return written(writer)


def written(writer: PdfWriter) -> bytes:
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


def bomb(megabytes: int) -> bytes:
    """One page whose content unpacks to so much."""
    writer = PdfWriter()
    page = writer.add_blank_page(width=595, height=842)
    stream = StreamObject()
    stream._data = zlib.compress(b"BT (x) Tj ET\n" * (megabytes * 80_000), 9)
    stream[NameObject("/Filter")] = NameObject("/FlateDecode")
    page[NameObject("/Contents")] = writer._add_object(stream)
    return written(writer)


def ring() -> bytes:
    """A tree of pages that holds itself."""
    return (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
        b"2 0 obj<</Type/Pages/Kids[2 0 R 2 0 R]/Count 9>>endobj\n"
        b"trailer<</Root 1 0 R>>\n%%EOF"
    )


def _content(lines: Sequence[str]) -> bytes:
    shown = "\n".join(f"({_escaped(line)}) Tj T*" for line in lines)
    return f"BT /F1 11 Tf 14 TL 50 800 Td\n{shown}\nET".encode("cp1252", "replace")


def _escaped(line: str) -> str:
    return line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
