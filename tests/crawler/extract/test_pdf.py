"""A PDF is read like a page: its text in whole paragraphs, its title, dates and headings; no file harms the reader."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.extract.bounded_process import Bounds
from crawler.extract.chunk import chunk
from crawler.extract.document import NothingToRead, extract
from crawler.extract.pdf.layout import Heading, join_pages
from crawler.extract.pdf.read import NoPdfText, read_pdf
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


def test_file_that_unpacks_without_end_is_given_up() -> None:
    bounds = Bounds(cpu_s=2, wall_s=5.0, memory=300_000_000)
    with pytest.raises(NoPdfText):
        read_pdf(pdfs.bomb(600), url=URL, bounds=bounds)


def test_long_file_is_read_as_far_as_the_bounds_go() -> None:
    body = pdfs.pdf([[f"Page number {number} is about lamps."] for number in range(30)])
    text = read_pdf(body, url=URL, bounds=Bounds(pages=10)).text
    assert "number 9 " in text
    assert "number 10 " not in text


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
