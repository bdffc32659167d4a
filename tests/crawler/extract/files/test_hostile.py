"""No file harms the reader: each attack ends in a sentence, in little memory, and nothing is written or fetched."""

from __future__ import annotations

import contextlib
import io
import zipfile
from email.message import EmailMessage
from pathlib import Path

import psutil
import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.extract.bounded_process import Bounds
from crawler.extract.document import NothingToRead
from crawler.extract.files.file_text import read_file
from tests import office

WORD = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{}</w:body></w:document>'
LAUGHS = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))


def with_text(xml: str | bytes) -> bytes:
    return office.replaced(office.docx(), {"word/document.xml": xml})


def why_not(body: bytes, name: str = "x.docx") -> str:
    with pytest.raises(NothingToRead) as error:
        read_file(body, address=f"files://uploads/{name}")
    return str(error.value)


def test_zip_bomb_is_not_unpacked() -> None:
    bomb = office.bomb()
    assert len(bomb) < 3_000_000
    before = psutil.Process().memory_info().rss
    assert "unpacks to more than 40 MB: it is perhaps a zip bomb" in why_not(bomb)
    assert psutil.Process().memory_info().rss - before < 100_000_000


def test_bomb_in_a_part_that_is_not_read_does_no_harm() -> None:
    body = office.replaced(office.docx(), {"word/media/picture.png": b"\0" * 300_000_000})
    assert "Ngozi Okafor" in read_file(body, address="files://uploads/x.docx").text


def test_archive_that_lies_about_its_sizes_is_held_to_the_limit() -> None:
    body = bytearray(office.bomb())
    with zipfile.ZipFile(io.BytesIO(bytes(body))) as archive:
        size = archive.getinfo("word/document.xml").file_size
    said = (1_000).to_bytes(4, "little")
    for at in [at for at in range(len(body)) if body[at : at + 4] == size.to_bytes(4, "little")]:
        body[at : at + 4] = said
    assert "is damaged" in why_not(bytes(body)) or "zip bomb" in why_not(bytes(body))


@pytest.mark.parametrize(
    "doctype",
    [
        f'<!DOCTYPE x [<!ENTITY a0 "ha">{LAUGHS}]>',
        '<!DOCTYPE x [<!ENTITY a9 SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE x [<!ENTITY a9 SYSTEM "http://127.0.0.1:9/x">]>',
        '<!DOCTYPE x [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p; <!ENTITY a9 "x">]>',
    ],
)
def test_entities_are_refused(doctype: str) -> None:
    xml = doctype + WORD.format("<w:p><w:r><w:t>&a9;</w:t></w:r></w:p>")
    assert "declares entities" in why_not(with_text(xml)) or "is not XML" in why_not(with_text(xml))


def test_entities_of_a_book_bring_nothing_of_this_machine() -> None:
    chapter = '<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]><html><body><p>The lamp. &x;</p></body></html>'
    page = read_file(
        office.replaced(office.epub(), {"OEBPS/chapter 1.xhtml": chapter}), address="files://uploads/x.epub"
    )
    assert "root:" not in page.text
    assert "The lamp." in page.text


def test_names_that_lead_out_of_an_archive_lead_nowhere(tmp_path: Path) -> None:
    outside = tmp_path / "outside.xhtml"
    outside.write_text("<p>secret of this machine</p>")
    ups = "../" * 20
    body = office.replaced(office.epub(), {f"{ups}evil.xhtml": "<p>x</p>"})
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><manifest>'
        f'<item id="a" href="{ups}{str(outside).lstrip("/")}"/><item id="b" href="file://{outside}"/>'
        '<item id="c" href="chapter%201.xhtml"/></manifest>'
        '<spine><itemref idref="a"/><itemref idref="b"/><itemref idref="c"/></spine></package>'
    )
    page = read_file(office.replaced(body, {"OEBPS/book.opf": package}), address="files://uploads/x.epub")
    assert "secret" not in page.text
    assert "Ngozi Okafor" in page.text


def test_deep_nesting_ends() -> None:
    deep = "<w:tbl><w:tr><w:tc>" * 5_000 + "<w:p/>" + "</w:tc></w:tr></w:tbl>" * 5_000
    assert why_not(with_text(WORD.format(deep)))
    deep = "<w:sdt>" * 200 + "<w:p><w:r><w:t>deep</w:t></w:r></w:p>" + "</w:sdt>" * 200
    shallow = "<w:p><w:r><w:t>The lamp is lit.</w:t></w:r></w:p>"
    assert read_file(with_text(WORD.format(deep + shallow)), address="files://u/x.docx").text == "The lamp is lit."


def test_encrypted_parts_are_named() -> None:
    body = bytearray(office.docx())
    with zipfile.ZipFile(io.BytesIO(bytes(body))) as archive:
        offsets = [info.header_offset for info in archive.infolist()]
    for at in offsets:
        body[at + 6] |= 1
    at = 0
    while (at := body.find(b"PK\x01\x02", at)) >= 0:
        body[at + 8] |= 1
        at += 4
    assert "is encrypted: it opens only with a password" in why_not(bytes(body))


def test_file_that_takes_too_much_memory_or_time_is_given_up() -> None:
    many = with_text(WORD.format("<w:p><w:r><w:t>lamp</w:t></w:r></w:p>" * 400_000))
    with pytest.raises(NothingToRead, match=r"needs more than 150 MB|is damaged"):
        read_file(many, address="files://u/x.docx", bounds=Bounds(memory=150_000_000))
    with pytest.raises(NothingToRead, match="could not be read within"):
        read_file(many, address="files://u/x.docx", bounds=Bounds(wall_s=0.05))


def test_long_document_is_read_up_to_the_limit() -> None:
    long = office.docx({"Lamps": ["The lamp is lit."] * 500})
    page = read_file(long, address="files://u/x.docx", bounds=Bounds(chars=5_000))
    assert 1_000 < len(page.text) < 6_000
    assert page.missing == ("what follows the first 5,000 characters",)


def test_no_number_of_sheets_or_attachments_gives_more_text_than_the_limit() -> None:
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"in_memory": True}) as book:
        for number in range(8):
            sheet = book.add_worksheet(f"Watch {number}")
            for row in range(20):  # each of its cells is written with the name of its column
                sheet.write_row(row, 0, [f"{row}" if row else "The keeper of the lamp " * 5, "lit" if row else "lamp"])
    mail = EmailMessage()
    mail["Subject"] = "The lamp"
    mail.set_content("It is lit.")
    for number in range(8):
        mail.add_attachment("The lamp is lit.\n" * 100, filename=f"watch {number}.txt")
    for name, body, last in (
        ("x.xlsx", out.getvalue(), "rows 2 to 20 of Watch 7"),
        ("x.eml", mail.as_bytes(), "what follows the first 4,000 characters"),
    ):
        page = read_file(body, address=f"files://u/{name}", bounds=Bounds(chars=4_000))
        assert 2_000 < len(page.text) < 6_000
        assert last in page.missing


@settings(max_examples=25)
@given(body=st.binary(max_size=400), name=st.sampled_from(["x.docx", "x.csv", "x.html", "x.md", "x.pdf", "x.txt"]))
def test_no_bytes_raise_anything_else(body: bytes, name: str) -> None:
    with contextlib.suppress(NothingToRead):
        read_file(body, address=f"files://uploads/{name}")


@settings(max_examples=15)
@given(at=st.integers(0, 30_000), byte=st.integers(0, 255))
def test_no_damage_to_an_archive_raises_anything_else(at: int, byte: int) -> None:
    body = bytearray(office.docx())
    body[at % len(body)] = byte
    with contextlib.suppress(NothingToRead):
        read_file(bytes(body), address="files://uploads/x.docx")
