"""The crawl that is measured reads its pages, and the figures can be read by programs."""

from __future__ import annotations

from benchmarks.corpus.synthetic import Language
from benchmarks.crawl import pages as crawl_pages
from benchmarks.crawl.pages import pages
from benchmarks.crawl.reader import Reader
from benchmarks.crawl.scrapy import text_of
from benchmarks.crawl.site import serving
from benchmarks.report import Report


def test_pages_are_read_from_the_site_and_cut() -> None:
    with serving(3) as urls:
        reader = Reader(urls[0])
        found = [reader.read(url) for url in urls]
        missing = reader.read(urls[0].replace("/0.html", "/private/x.html"))
        reader.close()
    assert [each.outcome for each in found] == ["read"] * 3
    assert all(each.passages and each.fetch_s > 0 and each.extract_s > 0 for each in found)
    assert missing.outcome == "forbidden"


def test_there_are_as_many_pages_as_asked_for_and_the_same_ones_each_time() -> None:
    first = list(pages(5))
    assert len(first) == 5
    assert first == list(pages(5))


def test_made_up_pages_hold_text_that_is_found_among_what_stands_around_it() -> None:
    made = list(Language(5).pages())
    text = text_of(crawl_pages._html(made[0], made).decode())
    assert text is not None
    assert made[0].page.text.split("\n\n")[1][:40] in text


def test_named_values_stand_beside_the_figures() -> None:
    shown = Report(title="t", figures=[], values={"pages_per_s": 1.0, "shares": {"fetch": 0.5}}).as_json()
    assert (shown["title"], shown["pages_per_s"], shown["shares"]) == ("t", 1.0, {"fetch": 0.5})
