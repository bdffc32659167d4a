"""The demo's site is a real one: linked, in its sitemap, well formed, and each answer stands on one page alone."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree import ElementTree

import pytest

DEMO = Path(__file__).parents[4] / "api" / "cli" / "demo"
SITE = DEMO / "site"
PAGES = {path.relative_to(SITE).as_posix(): path.read_text() for path in SITE.rglob("*.html")}
ALLOWED = {name: text for name, text in PAGES.items() if not name.startswith("drafts/")}
QUESTIONS: dict[str, Any] = json.loads((DEMO / "questions.json").read_text())
ANSWERED = [{"question": QUESTIONS["question"], "expected": QUESTIONS["expected"]}, *QUESTIONS["more"]]
VOID = {"meta", "link", "br", "hr", "img", "input"}


class Page(HTMLParser):
    """Collects a page's links and anchors, and objects to tags that do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.links += [value for name in ("href", "src") if (value := given.get(name))]
        self.ids |= {value} if (value := given.get("id")) else set()
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data.split()


def resolve(page: str, link: str) -> tuple[str, str]:
    """The file a relative link leads to, and its fragment."""
    path, _, fragment = link.partition("#")
    parts: list[str] = []
    for part in (PurePosixPath(page).parent / path).parts if path else PurePosixPath(page).parts:
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts), fragment


@pytest.mark.parametrize("name", PAGES)
def test_page_is_well_formed_and_its_links_lead_somewhere(name: str) -> None:
    for link in Page(PAGES[name]).links:
        target, fragment = resolve(name, link)
        assert (SITE / target).is_file(), link
        assert not fragment or fragment in Page(PAGES[target]).ids, link


def test_every_page_is_reached_from_the_first() -> None:
    seen: set[str] = set()
    waiting = ["index.html"]
    while waiting:
        name = waiting.pop()
        if name in PAGES and name not in seen:
            seen.add(name)
            waiting += [resolve(name, link)[0] for link in Page(PAGES[name]).links]
    assert seen == set(PAGES)


def test_site_is_large_enough_and_has_a_long_page_and_a_german_one() -> None:
    lengths = {name: len(Page(text).words) for name, text in ALLOWED.items()}
    assert len(lengths) >= 14
    assert max(lengths.values()) > 1500
    assert [name for name, text in PAGES.items() if '<html lang="de">' in text] == ["de/uebernachten.html"]


def test_sitemap_lists_every_page_that_may_be_read() -> None:
    root = ElementTree.fromstring((SITE / "sitemap.xml").read_text())
    listed = [element.text or "" for element in root.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
    assert all(url.startswith("{origin}/") for url in listed)
    assert sorted(url.removeprefix("{origin}/") or "index.html" for url in listed) == sorted(ALLOWED)


def test_robots_names_the_sitemap_and_forbids_the_drafts() -> None:
    lines = (SITE / "robots.txt").read_text().splitlines()
    assert "Disallow: /drafts/" in lines
    assert "Sitemap: {origin}/sitemap.xml" in lines


def test_feed_leads_to_what_is_there() -> None:
    root = ElementTree.fromstring((SITE / "feed.xml").read_text())
    atom = "{http://www.w3.org/2005/Atom}"
    links = [link.get("href", "") for entry in root.iter(f"{atom}entry") for link in entry.iter(f"{atom}link")]
    assert len(links) == 4
    for link in links:
        name, _, fragment = link.removeprefix("{origin}/").partition("#")
        assert fragment in Page(PAGES[name]).ids


@pytest.mark.parametrize("pair", ANSWERED, ids=lambda pair: pair["expected"])
def test_answer_is_on_exactly_one_page(pair: dict[str, str]) -> None:
    expected = re.compile(rf"(?<!\w){re.escape(pair['expected'])}(?!\w)")
    holding = [name for name, text in ALLOWED.items() if expected.search(" ".join(Page(text).words))]
    assert len(holding) == 1, holding


def test_forbidden_page_would_answer_wrongly() -> None:
    draft = " ".join(Page(PAGES["drafts/season-2027.html"]).words)
    assert "the turbines generate 9,999 megawatt-hours of electricity" in draft
    assert not any(pair["expected"] in draft for pair in ANSWERED)


@pytest.mark.parametrize("question", [QUESTIONS["unanswered"], *QUESTIONS["more_unanswered"]])
def test_unanswered_question_asks_for_something_no_page_names(question: str) -> None:
    subject = {"novelist", "pool", "bank", "police"} & set(re.findall(r"\w+", question.lower()))
    text = " ".join(word for page in PAGES.values() for word in Page(page).words).lower()
    assert subject
    assert not subject & set(re.findall(r"\w+", text))
