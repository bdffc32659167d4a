"""The measured crawl reads its pages, and its figures can be read by programs."""

from __future__ import annotations

from pathlib import Path
from urllib.request import urlopen

import pytest

from benchmarks.corpus.synthetic import Language
from benchmarks.crawl.reader import Reader
from benchmarks.crawl.site import html_of, pages, serving
from benchmarks.report import Report
from crawler.extract.main_content import library_text

pytestmark = pytest.mark.nightly


def test_pages_are_read_from_the_site_and_chunked() -> None:
    with serving(3) as urls:
        reader = Reader(urls[0])
        found = [reader.read(url) for url in urls]
        missing = reader.read(urls[0].replace("/0.html", "/private/x.html"))
        reader.close()
    assert [each.outcome for each in found] == ["read"] * 3
    assert all(each.passages and each.fetch_s > 0 and each.extract_s > 0 for each in found)
    assert missing.outcome == "forbidden"


def test_as_many_pages_as_wanted_are_read_from_the_manuals_in_a_fixed_order(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.html").write_text(name)
    (tmp_path / "index.html").write_text("x" * 500_000)  # an index is too long to be a page
    first = list(pages(5, [tmp_path]))
    assert first[3:] == first[:2]
    assert {*first} == {b"a", b"b", b"c"}
    assert first == list(pages(5, [tmp_path]))


def test_synthetic_pages_are_read_where_no_manual_is_installed(tmp_path: Path) -> None:
    [page] = pages(1, [tmp_path / "none"])
    assert page.startswith(b"<!doctype html>")


def test_pages_that_are_not_marked_are_synthetic() -> None:
    with serving(1, marked=False) as urls, urlopen(urls[0]) as answer:
        page = answer.read()
    assert b"Made up." in page
    assert b"<main" not in page


def test_text_of_a_synthetic_page_is_extracted_from_what_is_around_it() -> None:
    made = list(Language(5).pages())
    text = library_text(html_of(made[0], made).decode())
    assert made[0].page.text.split("\n\n")[1][:40] in text


def test_named_values_stand_beside_the_figures() -> None:
    shown = Report(title="t", figures=[], values={"pages_per_s": 1.0, "shares": {"fetch": 0.5}}).as_json()
    assert (shown["title"], shown["pages_per_s"], shown["shares"]) == ("t", 1.0, {"fetch": 0.5})
