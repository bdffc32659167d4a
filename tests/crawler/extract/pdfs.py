"""PDF files made for a test: pages of lines in Helvetica, and files that harm whoever reads them."""

from __future__ import annotations

import io
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from pypdf import PdfWriter
from pypdf.generic import (
    ArrayObject,
    BooleanObject,
    DecodedStreamObject,
    DictionaryObject,
    NameObject,
    NumberObject,
    StreamObject,
    TextStringObject,
)


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


def text_objects(content: bytes, font: bytes, *more: bytes) -> bytes:
    """A file of one page without a table of its objects: ``more`` are the objects from the sixth on."""
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        font,
        *more,
    )
    written = b"".join(b"%d 0 obj%s endobj\n" % (number, each) for number, each in enumerate(objects, start=1))
    return b"%PDF-1.4\n" + written + b"trailer<</Root 1 0 R>>\n%%EOF"


def with_cmap(text: str, charset: str, cmap: str, ordering: str) -> bytes:
    """A file whose font is not in it, and whose bytes are those of a charset, as a predefined CMap has them."""
    body = text.encode(charset)
    if cmap in ("H", "V"):
        body = bytes(each & 0x7F for each in body)
    system = f"/CIDSystemInfo<</Registry(Adobe)/Ordering({ordering})/Supplement 2>>/FontDescriptor 7 0 R"
    metrics = "/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 800/Descent -200/StemV 80"
    return text_objects(
        b"BT /F1 12 Tf 50 700 Td <%s> Tj ET" % body.hex().encode(),
        f"<</Type/Font/Subtype/Type0/BaseFont/Some/Encoding/{cmap}/DescendantFonts[6 0 R]>>".encode(),
        f"<</Type/Font/Subtype/CIDFontType0/BaseFont/Some{system}>>".encode(),
        f"<</Type/FontDescriptor/FontName/Some{metrics}>>".encode(),
    )


def with_private_letters() -> bytes:
    """A file whose font says of its letters only that they are its own."""
    table = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def "
        b"1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <20> <7E> <E020> endbfrange endcmap end end"
    )
    return text_objects(
        b"BT /F1 12 Tf 50 700 Td (The keeper lights the lamp every evening) Tj ET",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(table), table),
    )


def form(values: Mapping[str, str], *, drawn: bool) -> bytes:
    """A form with a label for each value, all labels first; ``drawn``: the values have pictures of their own."""
    writer = PdfWriter(clone_from=io.BytesIO(pdf([[]])))
    shown = "\n".join(f"BT /F1 12 Tf 60 {760 - 30 * at} Td ({label}:) Tj ET" for at, label in enumerate(values))
    stream = DecodedStreamObject()
    stream.set_data(shown.encode())
    page = writer.pages[0]
    page[NameObject("/Contents")] = writer._add_object(stream)
    fields = ArrayObject()
    for at, (label, value) in enumerate(values.items()):
        entries = {
            "/Type": NameObject("/Annot"), "/Subtype": NameObject("/Widget"), "/FT": NameObject("/Tx"),
            "/T": TextStringObject(label), "/V": TextStringObject(value), "/F": NumberObject(4),
            "/DA": TextStringObject("/F1 12 Tf 0 g"),
            "/Rect": ArrayObject(map(NumberObject, (200, 755 - 30 * at, 400, 775 - 30 * at))),
        }  # fmt: skip
        if drawn:
            look = DecodedStreamObject()
            look.set_data(f"/Tx BMC BT /F1 12 Tf 2 6 Td ({value}) Tj ET EMC".encode())
            look.update(
                {
                    NameObject("/Type"): NameObject("/XObject"),
                    NameObject("/Subtype"): NameObject("/Form"),
                    NameObject("/BBox"): ArrayObject(map(NumberObject, (0, 0, 200, 20))),
                    NameObject("/Resources"): page["/Resources"],
                }
            )
            entries["/AP"] = DictionaryObject({NameObject("/N"): writer._add_object(look)})
        fields.append(writer._add_object(DictionaryObject({NameObject(name): each for name, each in entries.items()})))
    page[NameObject("/Annots")] = fields
    writer._root_object[NameObject("/AcroForm")] = DictionaryObject(
        {
            NameObject("/Fields"): fields,
            NameObject("/NeedAppearances"): BooleanObject(not drawn),
            NameObject("/DR"): page["/Resources"],
        }
    )
    return written(writer)


def annotated(text: bytes, annotations: Sequence[Mapping[str, Any]], *, is_form: bool) -> bytes:
    """A page with annotations; a stream among their entries is how one looks, in Helvetica and Dingbats."""
    writer = PdfWriter(clone_from=io.BytesIO(pdf([[]])))
    page = writer.pages[0]
    stream = DecodedStreamObject()
    stream.set_data(text)
    page[NameObject("/Contents")] = writer._add_object(stream)
    dingbats = {
        "/Type": NameObject("/Font"),
        "/Subtype": NameObject("/Type1"),
        "/BaseFont": NameObject("/ZapfDingbats"),
    }
    page["/Resources"]["/Font"][NameObject("/Z")] = _dictionary(dingbats)
    held = ArrayObject()
    for entries in annotations:
        left, bottom, right, top = entries["/Rect"]
        looks = {}
        for name, drawn in entries["/AP"].items():
            look = DecodedStreamObject()
            look.set_data(drawn)
            box = ArrayObject(map(NumberObject, (0, 0, right - left, top - bottom)))
            look.update(_dictionary({"/Subtype": NameObject("/Form"), "/BBox": box, "/Resources": page["/Resources"]}))
            looks[name] = writer._add_object(look)
        normal = looks[""] if "" in looks else _dictionary(looks)
        own = {name: value for name, value in entries.items() if name not in ("/Rect", "/AP")}
        shape = {"/Rect": ArrayObject(map(NumberObject, entries["/Rect"])), "/AP": _dictionary({"/N": normal})}
        held.append(
            writer._add_object(_dictionary({"/Type": NameObject("/Annot"), "/F": NumberObject(4), **own, **shape}))
        )
    page[NameObject("/Annots")] = held
    if is_form:
        writer._root_object[NameObject("/AcroForm")] = _dictionary({"/Fields": held, "/DR": page["/Resources"]})
    return written(writer)


def _dictionary(entries: Mapping[str, Any]) -> DictionaryObject:
    return DictionaryObject({NameObject(name): each for name, each in entries.items()})
