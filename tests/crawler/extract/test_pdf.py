"""A PDF is read like a page: its text in whole paragraphs, its title, dates and headings; no file harms the reader."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter
from pypdf.generic import DictionaryObject, NameObject, NumberObject, StreamObject, TextStringObject

from crawler.extract.bounded_process import Bounds, Unreadable
from crawler.extract.chunk import chunk
from crawler.extract.document import NothingToRead, extract
from crawler.extract.pdf import Heading, join_pages, read_pdf
from domain import PageText
from tests.crawler.extract import pdfs
from tests.tables import each_row

URL = "http://a.example/lamps.pdf"
LINES = (
    "The keeper trims the wick every evening before he lights the lamp, and again at mid-",
    "night when the oil is low, because a dirty wick gives a yellow light.",
    "No ship can see it from far away, and the harbour master writes each of them down.",
)
PARAGRAPH = (
    "The keeper trims the wick every evening before he lights the lamp, and again at midnight when the oil is low, "
    "because a dirty wick gives a yellow light. No ship can see it from far away, and the harbour master writes each "
    "of them down."
)


def _read(body: bytes) -> PageText:
    return extract(body, url=URL, content_type="application/pdf")


def test_lines_are_joined_to_paragraphs_and_cut_words_made_whole() -> None:
    page = _read(pdfs.pdf([LINES]))
    assert page.text == PARAGRAPH
    assert page.lang == "en"


def test_sentence_goes_on_over_the_end_of_a_page() -> None:
    assert _read(pdfs.pdf([LINES[:1], LINES[1:]])).text == PARAGRAPH


def test_title_dates_and_language_are_the_files_own() -> None:
    about = {"/Title": "The lamp", "/CreationDate": "D:20240301120000Z", "/ModDate": "D:20250102030405+00'00'"}
    page = _read(pdfs.pdf([LINES], about=about))
    assert page.title == "The lamp"
    assert page.published == datetime(2024, 3, 1, 12, tzinfo=UTC)
    assert page.modified == datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize("title", ["", "Untitled", "Microsoft Word - lamp.docx", "lamp_final.indd"])
def test_title_that_a_program_wrote_is_not_taken(title: str) -> None:
    assert _read(pdfs.pdf([["On lamps", *LINES]], about={"/Title": title})).title == "On lamps"


def test_headings_of_the_outline_are_found_in_the_text() -> None:
    body = pdfs.pdf(
        [["1 Oil", *LINES], ["2 Wicks", *LINES]], outline=[("1 Oil", 0), ("2 Wicks", 1)], about={"/Title": "Lamps"}
    )
    page = _read(body)
    assert [heading for _, heading in page.headings] == ["1 Oil", "2 Wicks"]
    assert all(page.text[at:].startswith(heading) for at, heading in page.headings)


def test_what_stands_at_the_edge_of_every_page_is_left_out() -> None:
    pages = [
        ["Lamps, second edition", f"Only page {n} says {n * 'so '}much.", *LINES, f"Page {n} of 4"] for n in range(1, 5)
    ]
    text = _read(pdfs.pdf(pages)).text
    assert "second edition" not in text
    assert "of 4" not in text
    assert text.count("The keeper trims") == 4
    assert "Only page 3 says" in text


def test_passages_are_spans_of_the_stored_text() -> None:
    page = _read(pdfs.pdf([["1 Oil", *LINES * 4], ["2 Wicks", *LINES * 4]], outline=[("2 Wicks", 1)]))
    passages = chunk(page, page_id=1, url=URL)
    assert passages
    assert all(page.text[passage.start : passage.end] == passage.text for passage in passages)


def test_pdf_whose_type_says_something_else_is_read_all_the_same() -> None:
    assert PARAGRAPH in extract(pdfs.pdf([LINES]), url=URL, content_type="text/html").text


def test_file_that_only_its_owner_may_change_is_read() -> None:
    assert PARAGRAPH in _read(pdfs.pdf([LINES], owner="secret")).text


@each_row(
    ("body", "reason"),
    [
        (pdfs.pdf([LINES], password="secret"), "encrypted"),
        (pdfs.pdf([[]]), "has 1 pages and no text: it is perhaps scanned"),
        (pdfs.pdf([LINES])[:200], "is damaged"),
        (b"%PDF-1.7\nnothing more", "is damaged"),
        (pdfs.ring(), "no text|damaged"),
        (b"<html><p>Not found</p></html>", "is damaged"),
    ],
)
def test_file_without_text_says_why(body: bytes, reason: str) -> None:
    with pytest.raises(NothingToRead, match=f"^{URL} .*(?:{reason})"):
        _read(body)


def test_file_whose_pages_cannot_be_reached_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    about = {"pages": 3, "about": {}, "outline": [], "is_cut": False}
    told = iter([about, {"problem": "is damaged (PdfiumError)."}])
    monkeypatch.setattr("crawler.extract.pdf.parsed_lines", lambda *_, **__: told)
    with pytest.raises(Unreadable, match=r"^is damaged \(PdfiumError\)\.$"):
        read_pdf(b"%PDF-", url=URL)


def test_file_that_unpacks_without_end_is_given_up() -> None:
    bounds = Bounds(cpu_s=2, wall_s=5.0, memory=300_000_000)
    with pytest.raises(Unreadable):
        read_pdf(pdfs.bomb(600), url=URL, bounds=bounds)


def test_long_file_is_read_as_far_as_the_bounds_go() -> None:
    body = pdfs.pdf([[f"Page number {number} is about lamps."] for number in range(30)])
    page = read_pdf(body, url=URL, bounds=Bounds(pages=10))
    assert "number 9 " in page.text
    assert "number 10 " not in page.text
    assert page.missing == ("pages 11 to 30",)


@settings(max_examples=15, deadline=None)
@given(at=st.integers(0, 900), junk=st.binary(min_size=1, max_size=60))
def test_no_damage_does_more_than_lose_the_text(at: int, junk: bytes) -> None:
    body = pdfs.pdf([LINES])
    with contextlib.suppress(NothingToRead):
        assert _read(body[:at] + junk + body[at + len(junk) :]).text.strip()


@given(
    st.lists(st.text(max_size=300), max_size=6),
    st.lists(st.tuples(st.integers(0, 6), st.integers(1, 4), st.text(max_size=20)), max_size=6),
)
def test_headings_stand_where_they_are_said_to(pages: list[str], outline: list[tuple[int, int, str]]) -> None:
    written = join_pages(pages, [Heading(*each) for each in outline])
    for at, path in written.headings:
        assert written.text[at:].casefold().startswith(path.split(" › ")[-1].casefold())


JAPANESE = "灯台守は毎晩ランプを点ける"


@each_row(
    ("text", "charset", "cmap", "ordering"),
    [
        (JAPANESE, "cp932", "90ms-RKSJ-H", "Japan1"),
        (JAPANESE, "euc_jp", "EUC-H", "Japan1"),
        (JAPANESE, "euc_jp", "H", "Japan1"),
        (JAPANESE, "utf-16-be", "UniJIS-UCS2-H", "Japan1"),
        (JAPANESE, "euc_jp", "V", "Japan1"),
        (JAPANESE, "euc_jp", "EUC-V", "Japan1"),
        ("등대지기는 매일 저녁", "cp949", "KSCms-UHC-H", "Korea1"),
        ("守灯人每晚点亮灯", "gbk", "GBK-EUC-H", "GB1"),
        ("守燈人每晚點亮燈", "big5", "ETen-B5-H", "CNS1"),
    ],
)
def test_letters_of_fonts_that_are_not_in_the_file_are_right(text: str, charset: str, cmap: str, ordering: str) -> None:
    assert _read(pdfs.with_cmap(text, charset, cmap, ordering)).text == text


def test_file_whose_letters_cannot_be_told_is_not_read() -> None:
    with pytest.raises(NothingToRead, match="its letters cannot be told"):
        _read(pdfs.with_private_letters())


@pytest.mark.parametrize("drawn", [True, False])
def test_values_of_a_form_stand_beside_their_labels(drawn: bool) -> None:
    body = pdfs.form({"Name of the boat": "Heron of the North", "Harbour": "Norhaven"}, drawn=drawn)
    assert _read(body).text == "Name of the boat: Heron of the North\nHarbour: Norhaven"


@pytest.mark.parametrize("tick", [b"BT /Z 12 Tf 1 2 Td (4) Tj ET", b"2 2 m 10 10 l S"])
def test_ticked_boxes_of_a_form_are_marked(tick: bytes) -> None:
    states = [NameObject("/Yes"), NameObject("/Off")]
    boxes = [
        {
            "/Subtype": NameObject("/Widget"), "/FT": NameObject("/Btn"), "/T": TextStringObject(f"box {at}"),
            "/V": state, "/AS": state, "/Rect": (60, 698 - 30 * at, 72, 710 - 30 * at),
            "/AP": {"/Yes": tick, "/Off": b""},
        }
        for at, state in enumerate(states)
    ]  # fmt: skip
    text = b"BT /F1 12 Tf 80 700 Td (Sailing boat) Tj 0 -30 Td (Motor boat) Tj ET"
    assert _read(pdfs.annotated(text, boxes, is_form=True)).text.split("\n") == ["[x] Sailing boat", "[ ] Motor boat"]


def test_text_typed_onto_a_page_is_read() -> None:
    look = {"": b"BT /F1 12 Tf 2 6 Td (Paid on 3 May) Tj ET"}
    note = {"/Subtype": NameObject("/FreeText"), "/Rect": (200, 600, 400, 620), "/AP": look}
    text = b"BT /F1 12 Tf 80 700 Td (The invoice is open.) Tj ET"
    assert _read(pdfs.annotated(text, [note], is_form=False)).text == "The invoice is open. Paid on 3 May"


def test_page_without_fields_beside_a_form_is_read_column_by_column() -> None:
    left, right = (
        io.BytesIO(pdfs.pdf([lines])) for lines in (("The left column", "ends here."), ("The right", "one."))
    )
    writer = PdfWriter(clone_from=io.BytesIO(pdfs.form({"Harbour": "Norhaven"}, drawn=True)))
    writer.append(left)
    writer.pages[1].merge_translated_page(PdfReader(right).pages[0], 300, 0)
    assert _read(pdfs.written(writer)).text.endswith("The left column ends here.\n\nThe right one.")


@each_row(
    ("content", "text"),
    [
        (b"(It holds 10) Tj 4 Ts /F1 7 Tf (6) Tj 0 Ts /F1 12 Tf ( litres.) Tj", "It holds 10^6 litres."),
        (b"(It holds 10) Tj 5 Ts (12) Tj 0 Ts ( litres.) Tj", "It holds 10^12 litres."),
        (b"(It is 5 m) Tj 4 Ts /F1 7 Tf (2) Tj 0 Ts /F1 12 Tf ( large.) Tj", "It is 5 m^2 large."),
        (b"(It costs 10) Tj 4 Ts /F1 7 Tf (-3) Tj 0 Ts /F1 12 Tf ( euros.) Tj", "It costs 10^-3 euros."),
        # the mark of a note
        (b"(The keeper) Tj 4 Ts /F1 7 Tf (3) Tj 0 Ts /F1 12 Tf ( lights it.) Tj", "The keeper lights it."),
        # below the line
        (b"(It is H) Tj -3 Ts /F1 7 Tf (2) Tj 0 Ts /F1 12 Tf (O.) Tj", "It is H2O."),
    ],
)
def test_raised_digits_are_powers(content: bytes, text: str) -> None:
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    assert _read(pdfs.text_objects(b"BT /F1 12 Tf 50 700 Td " + content + b" ET", font)).text == text


CUT_OFF = "the end of the file, which is cut off"


@each_row(
    ("damage", "missing"),
    [
        (lambda body: body.replace(b"startxref", b"startxxxx"), ()),
        (lambda body: body[: body.rindex(b"xref\n0")], (CUT_OFF,)),
        # within an entry, which hides what follows it
        (lambda body: body[: body.rindex(b"xref\n0")] + b"99 0 obj\n<</Filter[/ASCII85Decode", (CUT_OFF,)),
        (lambda body: b"junk" * 20 + body, ()),
        (lambda body: body[: int(0.7 * len(body))], (CUT_OFF,)),
    ],
)
def test_damaged_file_is_read_as_far_as_it_goes(damage: Callable[[bytes], bytes], missing: tuple[str, ...]) -> None:
    page = read_pdf(damage(pdfs.pdf([LINES, LINES])), url=URL)
    assert page.text.startswith(PARAGRAPH)
    assert page.missing == missing


BODY = [
    "The boat belongs to the harbour, and the clerk looks at it.",
    "It is kept in the shed in winter.",
    "Its engine is new.",
]


@each_row(
    ("page", "kept"),
    [
        (lambda n: [f"Boat number {n}", f"Berth {100 + n}, draught {n}.5 m", *BODY], True),
        (lambda n: [f"Chapter {n}", *BODY, "x"], True),
        (lambda n: [f"Boat number {3 * n}", *BODY, "x"], True),
        (lambda n: [*BODY, f"Invoice {n * 7} of {n * 9} euros"], True),
        (lambda n: ["Handbook", *BODY, f"{n}"], False),
        (lambda n: [*BODY, f"- {n} -"], False),
        (lambda n: [f"Page {n} of 8", *BODY], False),
        (lambda n: [*BODY, f"Seite {n} von 8"], False),
        (lambda n: [*BODY, f"Handbook of the harbour {n}"], False),
        (lambda n: [*BODY, f"{n + 12} Handbook of the harbour"], False),
    ],
)
def test_running_heads_are_what_repeats_or_counts_pages(page: Callable[[int], list[str]], kept: bool) -> None:
    text = join_pages(["\n".join(page(n)) for n in range(1, 9)], ()).text
    own = [line for line in page(5) if line not in BODY and line not in page(6)]
    assert all((line in text) == kept for line in own)
    assert "Handbook" not in text


def test_pages_of_pictures_are_counted() -> None:
    writer = PdfWriter(clone_from=io.BytesIO(pdfs.pdf([LINES, [], []])))
    picture = StreamObject()
    picture._data = b"\0" * 64
    picture.update({NameObject(name): value for name, value in PICTURE.items()})
    drawing = StreamObject()
    drawing._data = b"q 500 0 0 500 0 0 cm /I Do Q"
    for number in (1, 2):
        page = writer.pages[number]
        page[NameObject("/Contents")] = writer._add_object(drawing)
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/XObject"): DictionaryObject({NameObject("/I"): writer._add_object(picture)})}
        )
    assert _read(pdfs.written(writer)).missing == ("2 pages of pictures",)


PICTURE = {
    "/Type": NameObject("/XObject"), "/Subtype": NameObject("/Image"), "/ColorSpace": NameObject("/DeviceGray"),
    "/Width": NumberObject(8), "/Height": NumberObject(8), "/BitsPerComponent": NumberObject(8),
}  # fmt: skip
