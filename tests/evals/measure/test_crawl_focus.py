"""The measured crawl is the workers' own, and both crawls count the same pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from evals.measure.crawl_focus import OWN_WORDS, FocusQuestion, Manual, best_first, breadth_first, read_questions

WORDS = "The keeper of the lighthouse writes down what he saw in the night, hour by hour, until the morning. " * 3


@pytest.fixture
def manual(tmp_path: Path) -> Manual:
    """A front page that leads to chapters, each of which leads to its sections."""
    chapters = [*(f"chapter{at}" for at in range(8)), "lamps"]
    pages = {"index": [(f"{name}.html", name) for name in chapters]}
    for name in chapters:
        pages[name] = [(f"{name}-{at}.html", f"Section {at}") for at in range(3)]
        pages |= {f"{name}-{at}": [] for at in range(3)}
    pages["lamps"].append(("wick.html", "Trimming the wick"))
    pages["wick"] = []
    for name, links in pages.items():
        anchors = "".join(f'<li><a href="{to}">{text}</a></li>' for to, text in links)
        (tmp_path / f"{name}.html").write_text(f"<main><h1>{name}</h1><p>{WORDS}</p><ul>{anchors}</ul></main>")
    return Manual(tmp_path, "lighthouse")


def test_ours_goes_to_the_page_that_answers_and_breadth_first_reads_what_comes_first(manual: Manual) -> None:
    question = "How is the wick of the lamps trimmed?"
    ours = [manual.path(url) for url in best_first(manual, question, 10)]
    theirs = [manual.path(url) for url in breadth_first(manual, question, 10)]
    assert ours[0] == theirs[0] == "index"
    assert "wick" in ours[:5]
    assert theirs == ["index", *(f"chapter{at}" for at in range(8)), "lamps"]


def test_no_page_is_read_twice_and_none_beyond_the_bound(manual: Manual) -> None:
    for crawl in (best_first, breadth_first):
        read = list(crawl(manual, "What is a lamp?", 12))
        assert len(read) == len(set(read)) == 12


def test_each_manual_has_twenty_questions_with_their_gold_pages() -> None:
    questions = read_questions()
    for site in ("python", "postgresql"):
        asked: list[FocusQuestion] = [each for each in questions if each.site == site]
        assert len({each.text for each in asked}) == 20
        assert all(each.gold for each in asked)


def test_the_questions_in_own_words_are_fifty_with_their_gold_pages() -> None:
    asked = read_questions(OWN_WORDS)
    assert {(site, sum(each.site == site for each in asked)) for site in ("exim", "lilypond")} == {
        ("exim", 25),
        ("lilypond", 25),
    }
    assert all(each.gold for each in asked)
