"""The frontier puts first what is likely to answer, and never runs into what has no end."""

import json
import random
from collections.abc import Sequence
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.discovery.frontier import MAX_PER_PATTERN, rank
from domain import Candidate, Link
from tests.crawler.hostile import VECTORS
from tests.growth import MOST_RATIO, TIMES, growth, seconds_of
from tests.tables import each_row

SITE = "https://docs.example.org/"
DOCS = VECTORS / "python-docs"


def ranked(
    *links: Link, question: str = "", lang: str = "en", queries: Sequence[str] = (), limit: int = 50
) -> list[Candidate]:
    return rank(links, question=question, lang=lang, queries=queries, seen=frozenset(), limit=limit)


def page(path: str, text: str = "", **more: str) -> Link:
    return Link(url=SITE + path, text=text, **more)


def paths(candidates: Sequence[Candidate]) -> list[str]:
    return [candidate.url.removeprefix(SITE) for candidate in candidates]


def contents() -> list[Link]:
    """What the contents page of Python's documentation links to, with the anchors of each URL."""
    rows = (line.split("\t") for line in (DOCS / "contents-links.tsv").read_text().splitlines())
    return [page(path, "\n".join(anchors)) for path, *anchors in rows]


@pytest.mark.parametrize(("part", "floor"), [("dev", 19), ("holdout", 19)])
def test_the_contents_page_of_a_manual_leads_to_the_page_that_answers(part: str, floor: int) -> None:
    links, found = contents(), 0
    questions = json.loads((DOCS / "questions.json").read_text())[part]
    for question, gold in questions:
        found += not set(gold).isdisjoint(paths(ranked(*links, question=question, limit=5)))
    assert len(questions) == 20
    assert found >= floor


@each_row(
    ("question", "lang", "better", "worse"),
    [
        ("How do I read a CSV file?", "en", page("a", "csv — CSV File Reading"), page("b", "zip — ZIP archives")),
        ("How do I read a CSV file?", "en", page("csv.html"), page("zip.html")),  # the path alone says it
        ("the opening hours", "en", page("a", "more", context="Opening hours and prices: more"), page("b", "more")),
        ("Wie lange gilt die Garantie?", "de", page("a", "Garantien"), page("b", "Lange Nacht der Museen")),  # stemmed
        ("東京の天気", "zh", page("a", "東京 天気予報"), page("b", "大阪")),
        ("temporary files", "en", page("a", "tempfile"), page("b", "heapq")),  # a word inside another
        ("coffee from Kenya", "en", page("a", "Coffee from Kenya"), page("b", "Coffee from Brazil")),  # covers more
        ("How do I brew tea?", "en", page("tea", "tea"), page("do", "how do I do")),  # empty words do not count
        ("tea prices", "en", page("tea-prices", "Tea prices"), page("login/tea-prices", "Tea prices")),
    ],
)
def test_is_better_than(question: str, lang: str, better: Link, worse: Link) -> None:
    assert [c.url for c in ranked(worse, better, question=question, lang=lang)] == [better.url, worse.url]


def test_all_anchors_of_a_url_count_together() -> None:
    merged = ranked(page("x", "chapter 9"), page("x", "green tea"), page("y", "black tea"), question="green tea")
    assert paths(merged) == ["x", "y"]
    assert merged == ranked(page("x", "chapter 9\ngreen tea"), page("y", "black tea"), question="green tea")


def test_a_words_weight_falls_with_the_number_of_links_that_have_it() -> None:
    common = [page(f"c{i}", "python module") for i in range(20)]
    found = ranked(*common, page("rare", "heap module"), question="python heap")
    assert paths(found)[0] == "rare"


def test_a_variants_words_count_less_than_the_questions() -> None:
    found = ranked(page("v", "automobile"), page("q", "car"), question="car", queries=["automobile"])
    assert paths(found) == ["q", "v"]
    assert found[1].score > 0


def test_links_without_a_common_word_come_last_and_contents_pages_lead_them() -> None:
    links = (page("a/b/c/deep.html"), page("x.html"), page("contents.html"), page("tea.html", "tea"), page(""))
    assert paths(ranked(*links, question="tea")) == ["tea.html", "contents.html", "", "x.html", "a/b/c/deep.html"]


def test_without_a_question_the_site_is_explored_from_its_front() -> None:
    assert paths(ranked(page("a/b/c.html"), page("a.html"), page(""))) == ["", "a.html", "a/b/c.html"]


def test_an_engines_first_result_is_believed_before_an_equal_link() -> None:
    links = [page("link", "tea"), page("first", "tea", origin="engine:x"), page("second", "tea", origin="engine:x")]
    assert paths(ranked(*links, question="tea")) == ["first", "second", "link"]


def test_what_was_seen_or_is_not_endorsed_is_left_out() -> None:
    links = [page("seen"), page("new"), Link(url=SITE + "ad", nofollow=True)]
    found = rank(links, question="q", lang="en", queries=(), seen={SITE + "seen"}, limit=10)
    assert paths(found) == ["new"]


@each_row(
    "path",
    [
        "logo.png", "a/film.MP4", "all.zip", "setup.exe", "style.css", "font.woff2", "data.tar.gz", "photo.jpeg?w=9",
        "a/b/a/b/a/b/a/b/", "/".join("abcdefghijklmnopqrstu"), "x" * 2100,
    ],
)  # fmt: skip
def test_is_left_out(path: str) -> None:
    assert paths(ranked(page(path, "tea"), page("tea.html", "tea"), question="tea")) == ["tea.html"]


def test_of_urls_that_differ_in_their_querys_values_only_a_few_are_taken() -> None:
    calendar = [page(f"calendar?month={month}&year=2026", "tea") for month in range(1, 13)]
    found = ranked(*calendar, page("calendar?day=1", "x"), question="tea")
    assert len(found) == MAX_PER_PATTERN + 1
    assert paths(found)[0] == "calendar?month=1&year=2026"


def test_lists_of_pages_come_first_on_a_fifth_of_the_places() -> None:
    files = [page(f"sitemap-{i}.xml", origin="sitemap-file") for i in range(30)]
    feeds = [page("feed.xml", "tea", origin="feed-file")]
    pages = [page(f"tea{i}", "tea") for i in range(30)]
    found = ranked(*pages, *files, *feeds, question="tea", limit=20)
    assert [c.kind for c in found] == ["feed", *["sitemap"] * 3, *["page"] * 16]


@pytest.mark.parametrize("origin", ["link", "sitemap", "feed", "seed", "engine:x"])
def test_a_page_is_a_page_wherever_it_was_seen(origin: str) -> None:
    [found] = ranked(page("a.xml", "tea", origin=origin), question="tea")
    assert (found.kind, found.origin) == ("page", origin)


@pytest.mark.nightly
def test_time_grows_no_faster_than_the_links() -> None:
    words = ["".join(random.Random(i).choices("aeioubcdfgklmnprst", k=7)) for i in range(5_000)]
    draw = random.Random(1)
    links = [page(f"{i}.html", " ".join(draw.choices(words, k=5)), context=" ".join(draw.choices(words, k=9)))
             for i in range(TIMES * 2_500)]  # fmt: skip

    def rank(count: int) -> None:
        assert len(ranked(*links[:count], question=f"What is {words[0]} {words[1]}?")) == 50

    assert growth(lambda count: seconds_of(partial(rank, count)), 2_500) <= MOST_RATIO


@pytest.mark.nightly
def test_time_grows_no_faster_than_the_anchors_of_one_url() -> None:
    links = [page("", f"anchor {i}") for i in range(TIMES * 2_500)]
    grown = growth(lambda count: seconds_of(lambda: ranked(*links[:count], question="anchor")), 2_500)
    assert grown <= MOST_RATIO


LINKS = st.builds(
    Link,
    url=st.one_of(st.text(max_size=40), st.text(max_size=20).map(lambda tail: SITE + tail)),
    text=st.text(max_size=40),
    context=st.text(max_size=40),
    origin=st.sampled_from(["link", "sitemap", "sitemap-file", "feed", "feed-file", "seed", "engine:x", ""]),
    nofollow=st.booleans(),
)


@given(st.lists(LINKS, max_size=20), st.text(max_size=60), st.sampled_from(["en", "de", "zh", "", "xx"]),
       st.lists(st.text(max_size=30), max_size=3), st.integers(-1, 12))  # fmt: skip
def test_whatever_it_is_given_it_orders_known_urls_once_and_best_first(
    links: list[Link], question: str, lang: str, queries: list[str], limit: int
) -> None:
    found = rank(links, question=question, lang=lang, queries=queries, seen=frozenset(), limit=limit)
    urls = [candidate.url for candidate in found]
    assert len(urls) == len(set(urls)) <= max(0, limit)
    assert set(urls) <= {link.url for link in links}
    pages = [candidate.score for candidate in found if candidate.kind == "page"]
    assert pages == sorted(pages, reverse=True)


@given(
    st.lists(
        LINKS.filter(lambda link: not link.origin.startswith("engine")), max_size=12, unique_by=lambda link: link.url
    )
)
def test_a_score_does_not_depend_on_the_order_of_links(links: list[Link]) -> None:
    scores = {c.url: c.score for c in ranked(*links, question="a b tea 1", limit=99)}
    assert {c.url: c.score for c in ranked(*reversed(links), question="a b tea 1", limit=99)} == pytest.approx(scores)
