"""A file is read as what it is: its text whole, under its headings, with the places that a citation names."""

from __future__ import annotations

import pytest

from crawler.extract.document import NothingToRead
from domain import PageText
from tests import office
from tests.crawler.extract import pdfs
from tests.crawler.extract.bodies import read_upload as read
from tests.tables import each_row


def place_of(page: PageText, words: str) -> str:
    return [name for at, name in page.places if at <= page.text.index(words)][-1]


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (office.docx(), "handbook.docx"),
        (office.odt(), "handbook.odt"),
        (office.pptx(), "handbook.pptx"),
        (office.epub(), "handbook.epub"),
    ],
    ids=["docx", "odt", "pptx", "epub"],
)
def test_sections_keep_their_headings_and_every_sentence(body: bytes, name: str) -> None:
    page = read(body, name)
    at = {heading.rpartition(" › ")[2]: start for start, heading in page.headings}
    for heading, sentences in office.SECTIONS.items():
        for sentence in sentences:
            assert sentence in page.text
        assert page.text[at[heading] :].startswith(heading)
    assert at["Travel"] < page.text.index("Ngozi Okafor") < at["Hotels"] < page.text.index("190 euros")
    assert page.lang == "en"
    assert all(page.text[block.start : block.end].strip() for block in page.blocks)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("The oven\n\nIt was built in 2003.", "The oven"),
        ("It was built in 2003. It is lit at 2:30.\nAsh is emptied on Mondays.", "oven.txt"),
        ("the oven that Karl built " * 9, "oven.txt"),
        ("Is it lit?\nYes", "oven.txt"),
    ],
)
def test_first_sentence_of_a_plain_text_is_not_its_title(text: str, title: str) -> None:
    assert read(text.encode(), "oven.txt").title == title


def test_title_is_the_documents_own_else_its_first_heading() -> None:
    assert read(office.docx(), "h.docx").title == "Handbook of the harbour"
    assert read(office.docx(title=""), "h.docx").title == "Travel"
    assert read(office.epub(), "h.epub").title == "Handbook of the harbour"


def core(created: str, modified: str) -> dict[str, str | bytes]:
    terms = "".join(
        f"<dcterms:{name}>{value}</dcterms:{name}>" for name, value in (("created", created), ("modified", modified))
    )
    name = "http://purl.org/dc/terms/"
    return {"docProps/core.xml": f'<core xmlns:dcterms="{name}">{terms}</core>'}


@pytest.mark.parametrize(
    ("created", "modified", "published", "changed"),
    [
        ("2024-05-01T08:00:00Z", "2025-06-02T08:00:00Z", "2025-06-02", "2025-06-02"),
        ("2024-05-01T08:00:00Z", "2013-12-23T23:15:00Z", "2024-05-01", None),  # written by a program, from its template
        ("2013-12-23T23:15:00Z", "2025-06-02T08:00:00Z", "2025-06-02", "2025-06-02"),  # then saved by hand
        ("2024-05-01T08:00:00Z", "", "2024-05-01", None),
        ("", "", None, None),
    ],
)
def test_a_documents_date_is_when_it_was_last_saved(
    created: str, modified: str, published: str | None, changed: str | None
) -> None:
    page = read(office.replaced(office.docx(), core(created, modified)), "h.docx")
    days = [None if when is None else f"{when:%Y-%m-%d}" for when in (page.published, page.modified)]
    assert days == [published, changed]


@pytest.mark.parametrize("body", [office.docx(), office.pptx()], ids=["docx", "pptx"])
def test_date_of_a_librarys_template_is_no_date_of_the_document(body: bytes) -> None:
    page = read(body, "h")
    assert (page.published, page.modified) == (None, None)


def test_rows_of_a_table_stay_lines() -> None:
    rows = [("City", "Limit", "Contact"), ("Oslo", "190", "Berg"), ("Rome", "150", "Conti")]
    assert (
        "City | Limit | Contact\nOslo | 190 | Berg\nRome | 150 | Conti" in read(office.docx(rows=rows), "h.docx").text
    )
    assert "City | Limit\nOslo | 190" in read(office.pptx(), "h.pptx").text
    page = read(office.odt(), "h.odt")
    assert "City | Limit\nOslo | 190" in page.text
    assert "- a torch\n- a rope" in page.text


def test_slides_and_pages_have_places() -> None:
    show = read(office.pptx(notes="Say this slowly to the crew."), "h.pptx")
    assert place_of(show, "Ngozi Okafor") == "slide 1"
    assert place_of(show, "190 euros") == "slide 2"
    assert "Say this slowly to the crew." in show.text
    pages = [["The lamp stands on the north pier."], ["It was lit in 1911 by Anna Berg."], ["Its oil is whale oil."]]
    pdf = read(pdfs.pdf(pages), "lamp.pdf")
    assert place_of(pdf, "north pier") == "page 1"
    assert place_of(pdf, "Anna Berg") == "page 2"
    assert place_of(pdf, "whale oil") == "page 3"


def test_rows_of_a_csv_file_name_their_columns() -> None:
    page = read(b"Name;Office;Phone\nAnna Berg;Oslo;22 11\n\nLuca Conti;Rome;06 77\n", "staff.csv")
    assert page.text == "- Name: Anna Berg; Office: Oslo; Phone: 22 11\n- Name: Luca Conti; Office: Rome; Phone: 06 77"
    assert place_of(page, "Luca") == "row 4"
    assert page.title == "staff.csv"
    assert read(b"1,2\n3,4\n", "n.csv").text == "- 1; 2\n- 3; 4"
    assert read("Größe\tOrt\n3\tKöln\n".encode("utf-16"), "n.tsv").text == "- Größe: 3; Ort: Köln"
    assert read(b'"a', "broken.csv").text == "- a"


def test_texts_are_read_as_pages_of_the_web_are() -> None:
    page = read(b"# Lamp\n\nThe lamp is lit.\n", "lamp.md")
    assert (page.title, page.text) == ("Lamp", "Lamp\n\nThe lamp is lit.")
    html = b"<title>Lamp</title><meta name=robots content=noindex><body><p>The lamp is lit by its keeper.</p></body>"
    assert (read(html, "lamp.html").text, read(html, "lamp.html").index) == ("The lamp is lit by its keeper.", True)
    assert read("Grüße vom Turm.".encode("cp1252"), "gruss.txt").text == "Grüße vom Turm."


def test_content_decides_and_not_the_name() -> None:
    assert "Ngozi Okafor" in read(office.docx(), "handbook.odt").text
    assert "Ngozi Okafor" in read(office.odt(), "handbook.docx").text
    assert read(pdfs.pdf([["The lamp is lit."]]), "lamp.docx").text == "The lamp is lit."


def test_deleted_and_hidden_text_is_not_read() -> None:
    word = (
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
        "<w:p><w:r><w:t>The lamp </w:t></w:r><w:del><w:r><w:delText>was red and </w:delText></w:r></w:del>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secretly blue and </w:t></w:r>"
        "<w:ins><w:r><w:t>is green.</w:t></w:r></w:ins></w:p></w:body></w:document>"
    )
    assert read(office.replaced(office.docx(), {"word/document.xml": word}), "h.docx").text == "The lamp is green."


@each_row(
    ("body", "name", "said"),
    [
        (b"", "a.pdf", "is empty"),
        (b"  \n", "a.txt", "is empty"),
        (b"%PDF-1.4 no more", "a.pdf", "is damaged"),
        (b"hello", "a.pdf", "is no PDF file, or is damaged"),
        (b"hello", "a.docx", "is no DOCX file, or is damaged"),
        (office.docx()[:2000], "a.docx", "is damaged"),
        (pdfs.pdf([["secret"]], password="x"), "a.pdf", "is encrypted: it opens only with a password"),
        (pdfs.pdf([[]]), "scan.pdf", "has 1 pages and no text: it is perhaps scanned"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "a.doc", "is in an old format"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le"),
            "a.docx",
            "is encrypted: it opens only with a password",
        ),
        (office.zipped({"xl/workbook.xml": "<x/>"}), "a.xlsx", "is a ZIP archive"),
        (b"{", "a.json", "is damaged: it is not JSON"),
        (b"{}", "a.ipynb", "is damaged, or is no notebook"),
        (b"no head", "a.eml", "is damaged, or is no mail"),
        (office.zipped({"notes.txt": "x"}), "a.docx", "is a ZIP archive"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "a.txt", "is a picture, whatever its name says"),
        (b"ab\0\0\0cd" * 101, "a.csv", "is binary, whatever its name says"),
        (b"ab\0cd" * 100, "a.csv", "its letters make no words of any language"),
        (b"some text", "a.xyz", "is of a kind that is not read"),
        (office.docx({}, title=""), "a.docx", "has no text"),
        (
            office.epub(encryption='<e><CipherReference URI="OEBPS/chapter%201.xhtml"/></e>'),
            "a.epub",
            "is protected against copying",
        ),
    ],
)
def test_what_cannot_be_read_says_why(body: bytes, name: str, said: str) -> None:
    with pytest.raises(NothingToRead) as error:
        read(body, name)
    assert str(error.value).startswith(name)
    assert said in str(error.value)


def test_book_whose_fonts_alone_are_scrambled_is_read() -> None:
    fonts = '<e><CipherReference URI="OEBPS/fonts/serif.otf"/></e>'
    assert "Ngozi Okafor" in read(office.epub(encryption=fonts), "a.epub").text


@pytest.mark.parametrize(
    "text", ["MZ is the mark of a program.", "ID3 tags name a song.", "A PDF begins with %PDF-1.4."]
)
def test_text_that_names_a_mark_is_read_as_text(text: str) -> None:
    assert read(text.encode(), "marks.txt").text == text
    for mark in (b"MZ", b"ID3"):
        with pytest.raises(NothingToRead, match="whatever its name says"):
            read(mark + b"\x03\0" + text.encode(), "marks.txt")


def test_pdf_is_known_also_by_a_text_name() -> None:
    with pytest.raises(NothingToRead, match="is damaged"):
        read(b"\xef\xbb\xbf\n%PDF-1.4 no more", "a.txt")


def test_long_document_in_another_script_is_read_as_far_as_a_page_would_be() -> None:
    line = "Маяк зажигают вечером. " * 40
    page = read(office.docx({"Маяк": [line] * 2_500}), "long.docx")
    assert 1_000_000 < len(page.text) <= 3_000_000
