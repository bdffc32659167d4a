"""Every chapter of a book, sheet of a workbook, and part of a mail or another text is read, or named as missing."""

from __future__ import annotations

import io
import json
from email.message import EmailMessage

import pytest
import xlsxwriter

from crawler.extract.bounded_process import Bounds
from crawler.extract.document import NothingToRead
from tests import office
from tests.crawler.extract import pdfs
from tests.crawler.extract.bodies import read_upload as read
from tests.tables import each_row


def book(chapters: dict[str, str | bytes], manifest: str, spine: str) -> bytes:
    package = (
        f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{manifest}</manifest><spine>{spine}</spine></package>'
    )
    return office.replaced(
        office.epub({}), {f"OEBPS/{name}": text for name, text in chapters.items()} | {"OEBPS/book.opf": package}
    )


NOTE = '<html><body><p>One.</p><aside epub:type="footnote" hidden="hidden"><p>In gold.</p></aside></body></html>'
SVG = """<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><title>x</title>
<text>Plan of <tspan>quay 9</tspan></text><text>East &amp; west</text></svg>"""
XHTML = 'media-type="application/xhtml+xml"'
PAGES: dict[str, str | bytes] = {"a.xhtml": "<p>One.</p>", "b.xhtml": "<p>Two.</p>", "p.png": b"\x89PNG\0\1"}
LATIN = (
    '<?xml version="1.0" encoding="iso-8859-1"?><p>Die Schl\u00fcssel h\u00e4ngen \u00fcber der T\u00fcr.</p>'.encode(
        "latin-1"
    )
)


@each_row(
    ("body", "text", "missing"),
    [
        (book(PAGES, f'<item id="a" href="a.xhtml#s" {XHTML}/>', '<itemref idref="a"/>'), "One.", ()),
        # one file in two parts is read once
        (
            book(
                PAGES,
                f'<item id="a" href="a.xhtml#s" {XHTML}/><item id="b" href="a.xhtml#t" {XHTML}/>',
                '<itemref idref="a"/><itemref idref="b"/>',
            ),
            "One.",
            (),
        ),
        # notes beside the text come last
        (
            book(
                PAGES,
                f'<item id="a" href="a.xhtml" {XHTML}/><item id="b" href="b.xhtml" {XHTML}/>',
                '<itemref idref="b" linear="no"/><itemref idref="a"/>',
            ),
            "One.\n\nTwo.",
            (),
        ),
        (
            book(
                PAGES,
                f'<item id="a" href="a.xhtml" {XHTML}/><item id="p" href="p.png" media-type="image/png" fallback="a"/>',
                '<itemref idref="p"/>',
            ),
            "One.",
            (),
        ),
        (
            book(
                PAGES,
                f'<item id="a" href="a.xhtml" {XHTML}/><item id="p" href="p.png" media-type="image/png"/>',
                '<itemref idref="a"/><itemref idref="p"/>',
            ),
            "One.",
            ("1 page of pictures",),
        ),
        (
            book(PAGES, '<item id="a" href="a.xhtml" media-type="text/x-oeb1-document"/>', '<itemref idref="a"/>'),
            "One.",
            (),
        ),
        (
            book(
                {"text/a.xhtml": "<p>One.</p>"}, f'<item id="a" href="text\\a.xhtml" {XHTML}/>', '<itemref idref="a"/>'
            ),
            "One.",
            (),
        ),
        (
            book({"a.xhtml": NOTE}, f'<item id="a" href="a.xhtml" {XHTML}/>', '<itemref idref="a"/>'),
            "One.\n\nIn gold.",
            (),
        ),
        (
            book({"a.svg": SVG}, '<item id="a" href="a.svg" media-type="image/svg+xml"/>', '<itemref idref="a"/>'),
            "Plan of quay 9\n\nEast & west",
            (),
        ),
        (
            book({"a.xhtml": LATIN}, f'<item id="a" href="a.xhtml" {XHTML}/>', '<itemref idref="a"/>'),
            "Die Schl\u00fcssel h\u00e4ngen \u00fcber der T\u00fcr.",
            (),
        ),
    ],
)
def test_chapters_of_a_book(body: bytes, text: str, missing: tuple[str, ...]) -> None:
    page = read(body, "a.epub")
    assert (page.text, page.missing) == (text, missing)


def workbook(*, stray: str = "", merged: bool = False) -> bytes:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    fees = book.add_worksheet("Fees")
    rows = [["Boat", "Since", "Fee"], ["Heron", 45_000, 20.5], ["Gull", 45_001, 18]]
    for at, row in enumerate(rows):
        fees.write_row(at, 0, row)
        fees.write_number(at, 1, row[1], book.add_format({"num_format": "yyyy-mm-dd"})) if at else None
    if merged:
        fees.merge_range("A4:A5", "Tern")
        fees.write_row(3, 1, ["summer", 11])
        fees.write_row(4, 1, ["winter", 9])
    if stray:
        fees.write(stray, "stray")
    crew = book.add_worksheet("Crew")
    crew.write_row(0, 0, ["Name", "Phone"])
    crew.write_row(1, 0, ["Anna Berg", "22 11"])
    hidden = book.add_worksheet("Hidden")
    hidden.write(0, 0, "secret")
    hidden.hide()
    book.close()
    return out.getvalue()


def test_rows_of_a_workbook_name_their_sheet_and_columns() -> None:
    page = read(workbook(merged=True), "a.xlsx")
    assert page.text == (
        "Fees\n\n- Boat: Heron; Since: 2023-03-15; Fee: 20.5\n- Boat: Gull; Since: 2023-03-16; Fee: 18\n"
        "- Boat: Tern; Since: summer; Fee: 11\n- Boat: Tern; Since: winter; Fee: 9\n\n"
        "Crew\n\n- Name: Anna Berg; Phone: 22 11"
    )
    assert [heading for _, heading in page.headings] == ["Fees", "Crew"]
    assert [name for at, name in page.places if at <= page.text.index("Anna Berg")][-1] == "row 2"


def test_struck_and_raised_text_and_comments_of_a_workbook() -> None:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    struck, raised, bold = (
        book.add_format(marks) for marks in ({"font_strikeout": True}, {"font_script": 1}, {"bold": True})
    )
    fees = book.add_worksheet("Fees")
    fees.write_row(0, 0, ["Boat", "Fee", "Volume"])
    fees.write_row(1, 0, ["Heron"])
    fees.write_rich_string(1, 1, struck, "50", " 35 & tax")
    fees.write_rich_string(1, 2, bold, "10", raised, "6", " m", raised, "3", " of water")
    fees.write_row(2, 0, ["Gull", 70, "none"], struck)
    fees.write_row(3, 0, ["Tern"])
    fees.write_number(3, 1, 80, struck)
    fees.write_string(3, 2, "large")
    fees.write_comment("B2", "Paid <in advance>")
    hidden = book.add_worksheet("Hidden")
    hidden.write_comment("A1", "secret")
    hidden.hide()
    book.close()
    assert read(out.getvalue(), "a.xlsx").text == (
        "Fees\n\n- Boat: Heron; Fee: 35 & tax; Volume: 10^6 m\u00b3 of water\n- Boat: Tern; Volume: large\n\n"
        "B2: Paid <in advance>"
    )


@pytest.mark.parametrize("stray", ["XFD90000", "XFD1048576", "A1048576"])
def test_a_stray_cell_does_no_harm(stray: str) -> None:
    text = read(workbook(stray=stray), "a.xlsm").text
    assert "- Boat: Heron; Since: 2023-03-15; Fee: 20.5" in text
    assert "stray" in text


@each_row(
    ("text", "lines"),
    [
        (
            "Boat;2024;2025\nHeron;17;20\nGull;13;25\n",
            ["- Boat: Heron; 2024: 17; 2025: 20", "- Boat: Gull; 2024: 13; 2025: 25"],
        ),
        (",2024/25,2025/26\nHeron,17,20\n", ["- Heron; 2024/25: 17; 2025/26: 20"]),
        ("1990;2001\n1991;2002\n", ["- 1990; 2001", "- 1991; 2002"]),
        ("sep=;\nBoat;Fee\nHeron;17,5\n", ["- Boat: Heron; Fee: 17,5"]),
        ("sep=|\r\nBoat|Fee\r\nHeron|17\r\n", ["- Boat: Heron; Fee: 17"]),
        ("Boat;Fee\nHeron;17,5\nGull;18,25\n", ["- Boat: Heron; Fee: 17,5", "- Boat: Gull; Fee: 18,25"]),
        ("Fees of the harbour\n\nBoat,Fee\nHeron,17\n", ["Fees of the harbour", "", "- Boat: Heron; Fee: 17"]),
        (
            "Fees,,\nof 2026,,\nBoat,Berth,Fee\nHeron,4,17\n",
            ["Fees", "of 2026", "", "- Boat: Heron; Berth: 4; Fee: 17"],
        ),
        (
            "Boat,Summer,,Winter,\n,day,week,day,week\nHeron,20,90,11,50\n",
            ["- Boat: Heron; Summer day: 20; Summer week: 90; Winter day: 11; Winter week: 50"],
        ),
        ("Anna,22\nLuca,23\n", ["- Anna; 22", "- Luca; 23"]),
        # a second table behind an empty row, with and without a title
        (
            "Boat,Fee\nHeron,17\n,\nName,Phone\nAnna,22\n",
            ["- Boat: Heron; Fee: 17", "", "- Name: Anna; Phone: 22"],
        ),
        (
            "Boat,Fee\nHeron,17\n\nCrew\nName,Task,Quay\nAnna,clerk,east\n",
            ["- Boat: Heron; Fee: 17", "", "Crew", "", "- Name: Anna; Task: clerk; Quay: east"],
        ),
        # but no further part of the same table
        (
            "Boat,Kind\nHeron,sailing\n\nGull,motor\nTern,rowing\n",
            ["- Boat: Heron; Kind: sailing", "- Boat: Gull; Kind: motor", "- Boat: Tern; Kind: rowing"],
        ),
        (
            "Boat,Fee\nHeron,17\n\nNorth quay\nGull,18\nTern,19\n\nTotal,54\n",
            [
                "- Boat: Heron; Fee: 17",
                "- Boat: North quay",
                "- Boat: Gull; Fee: 18",
                "- Boat: Tern; Fee: 19",
                "- Boat: Total; Fee: 54",
            ],
        ),
        (
            "Oslo,Oslo,Rome\nParis,Rome,Lima\nOslo,Bonn,Rome\n",
            ["- Oslo; Oslo; Rome", "- Paris; Rome; Lima", "- Oslo; Bonn; Rome"],
        ),
    ],
)
def test_names_of_columns_are_found(text: str, lines: list[str]) -> None:
    assert read(text.encode(), "a.csv").text == "\n".join(lines)


# fmt: off
@each_row(
    ("text", "name", "said", "headings"),
    [
        (
            "Pumps\n=====\n\nOil\n---\n\nUse ``grease`` of `the shop <https://e.org>`_::\n\n    pump on\n",
            "a.rst", "pump on", ["Pumps", "Oil"],
        ),
        ("= Pumps\n:toc:\n\n== Oil\n\n----\npump on\n----\n", "a.adoc", "pump on", ["Pumps", "Oil"]),
        (
            "#+TITLE: Pumps\n\n* Oil\n:PROPERTIES:\n\nUse [[https://e.org][grease]].\n",
            "a.org", "Use grease.", ["Pumps", "Oil"],
        ),
        (
            "\\documentclass{article}\n\\section{Oil}\nUse \\emph{grease} at 5\\% only. % not so\n",
            "a.tex", "Use grease at 5% only.", ["Oil"],
        ),
        # raised and struck-out text
        ("Oil\n===\n\nIt holds 10\\ :sup:`6` litres.\n", "a.rst", "It holds 10^6 litres.", ["Oil"]),
        ("= Oil\n\nIt costs [.line-through]#50 euros# 35 euros.\n", "a.adoc", "It costs 35 euros.", ["Oil"]),
        ("* Oil\nIt costs +50 euros+ 35 euros, 10^{6} a day.\n", "a.org", "It costs 35 euros, 10^6 a day.", ["Oil"]),
        (
            "\\section{Oil}\nIt costs \\sout{50} 35 euros, 10\\textsuperscript{6} for all.\n",
            "a.tex", "It costs 35 euros, 10^6 for all.", ["Oil"],
        ),
        ("12:00 pump on\n12:05 pump off", "a.log", "12:05 pump off", []),
        ("pump:\n  oil: grease", "a.yaml", "oil: grease", []),
        (
            '{"pump": {"oil": "grease", "litres": 5}, "on": [1, 2]}',
            "a.json", "- pump: oil: grease; litres: 5\n- on: 1; 2", [],
        ),
        ('{"boat": "Heron"}\n{"boat": "Gull"}\n', "a.jsonl", "- 1: boat: Heron\n- 2: boat: Gull", []),
        (
            json.dumps({"cells": [
                {"cell_type": "markdown", "source": ["# Pumps\n", "Use grease."]},
                {"cell_type": "code", "source": "1 + 1", "outputs": [{"data": {"text/plain": "2"}}]},
            ]}),
            "a.ipynb", "1 + 1\n\n2", ["Pumps"],
        ),
    ],
)  # fmt: skip
def test_other_texts_keep_their_headings(text: str, name: str, said: str, headings: list[str]) -> None:
    page = read(text.encode(), name)
    assert said in page.text
    assert [heading for _, heading in page.headings] == headings


def test_mail_is_read_with_its_attachments() -> None:
    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = "The crane", "anna@e.org", "office@e.org"
    mail["Date"] = "Mon, 02 Mar 2026 10:00:00 +0000"
    mail.set_content("It lifts twelve tonnes.")
    mail.add_attachment(
        pdfs.pdf([["The foreman is Pavel Novak."]]), maintype="application", subtype="pdf", filename="rules.pdf"
    )
    mail.add_attachment(b"\x89PNG\0", maintype="image", subtype="png", filename="crane.png")
    page = read(mail.as_bytes(), "a.eml")
    assert (page.title, f"{page.published:%Y-%m-%d}") == ("The crane", "2026-03-02")
    for said in ("From: anna@e.org", "It lifts twelve tonnes.", "rules.pdf", "The foreman is Pavel Novak."):
        assert said in page.text
    assert page.missing[0].startswith("the attachment crane.png is a picture")
    saved = EmailMessage()
    saved.set_content("<html><body><p>A saved page.</p></body></html>", subtype="html")
    saved.make_related()
    saved.add_related(b"p{}", maintype="text", subtype="css")
    assert read(saved.as_bytes(), "a.mhtml").text == "A saved page."


LONG = "The crew of boat number 7 keeps its ropes in the shed. " * 400


@each_row(
    ("body", "name", "missing"),
    [
        (LONG.encode(), "a.txt", "what follows the first 10,000 characters"),
        (f"<p>{LONG}</p>".encode(), "a.html", "what follows the first 10,000 characters"),
        (LONG.encode(), "a.md", "what follows the first 10,000 characters"),
        (("Boat,Berth\n" + "Heron,17\n" * 2_000).encode(), "a.csv", "rows "),
        (office.docx({"A": [LONG]}), "a.docx", "what follows the first 10,000 characters"),
        (pdfs.pdf([[f"Page {n}."] for n in range(12)]), "a.pdf", "pages 11 to 12"),
    ],
)
def test_what_lies_beyond_a_limit_is_named(body: bytes, name: str, missing: str) -> None:
    page = read(body, name, Bounds(chars=10_000, pages=10))
    assert len(page.missing) == 1
    assert page.missing[0].startswith(missing)
    assert read(body, name).missing == ()


def test_text_whose_letters_cannot_be_told_is_not_read() -> None:
    with pytest.raises(NothingToRead, match="its letters make no words"):
        read(("\ue000\ue001 \ue002" * 100).encode(), "a.txt")
