"""A source's CSS selectors say what of its pages counts."""

from __future__ import annotations

import asyncio

import pytest

from crawler.extract.bounded_process import TooMuchWork, forked
from crawler.extract.document import extract
from crawler.extract.selectors import BadSelector, Selectors, check
from crawler.read import PreviousRead, ReadResult, read
from domain import Candidate, PageText, Validators
from tests.crawler.test_read import NOW, URL, Cache, Web, page_at
from tests.tables import each_row

BODY = (
    "<nav>Menu <a href='/next.html'>Next</a></nav><h1>Prices</h1><p>Welcome to the shop, which is open all week.</p>"
    "<div id=offer><ul class=tags><li>Lamp <a href='/oil.html'>12 euros</a></li><li>Wick 3 euros</li></ul>"
    "<p class=ad>Buy now, today only.</p>Call us. <b class=code>hidden</b>"
    "<style>#offer .code {display: none}</style></div>"
    "<footer>Imprint of the shop</footer>"
)
HTML = f"<html lang=en><head><title>Shop</title></head><body>{BODY}</body></html>"


def _page(**selectors: tuple[str, ...]) -> PageText:
    return extract(HTML.encode(), url=URL, content_type="text/html", selectors=Selectors(**selectors))


def test_what_is_selected_is_the_content_as_it_stands_but_for_what_is_dropped_or_hidden() -> None:
    page = _page(select=("#offer",), drop=(".ad", "li:last-child"))
    assert page.text == "- Lamp 12 euros\n\nCall us."
    assert page.is_selected
    assert {link.url.rpartition("/")[2] for link in page.links} == {"next.html", "oil.html"}
    assert _page(select=("html",)).text == _page(select=("body",)).text
    assert _page(select=("footer", "h1")).text == "Prices\n\nImprint of the shop"
    assert "Buy now" not in _page(drop=("p.ad",)).text


@each_row("select", [("article",), ("style",), ("#offer .code",)])  # absent, without text, hidden
def test_selectors_without_text_leave_the_main_content(select: tuple[str, ...]) -> None:
    page = _page(select=select, drop=(".ad",))
    assert not page.is_selected
    assert "Welcome to the shop" in page.text
    assert "Buy now" not in page.text


@each_row(
    "selector, said",
    [
        ("main >", "at character 7: expected a compound selector"),
        ("a, //div", "at character 4"),
        ("p:contents(x)", "at character 3: Unknown"),
        ("a:hover", "matches no element"),
        ("a " * 100, "too many parts"),
    ],
)
def test_a_selector_that_cannot_be_used_is_named_with_the_place(selector: str, said: str) -> None:
    with pytest.raises(BadSelector, match=said) as refused:
        check([selector])
    assert repr(selector) in str(refused.value)


def test_an_expensive_selector_ends_with_its_page() -> None:
    deep = f"<html><body>{'<div>' * 200}{'<p>word</p>' * 1000}{'</div>' * 200}</body></html>"
    selectors = Selectors(select=("x " + "div " * 12 + "p",))
    with pytest.raises(TooMuchWork, match="processor time"):
        forked(lambda: extract(deep.encode(), url=URL, selectors=selectors), cpu_s=0.3)


def test_a_known_page_is_extracted_anew_once_selectors_have_changed() -> None:
    def visit(selectors: Selectors, known: PreviousRead | None) -> tuple[ReadResult, bool]:
        web = Web(lambda url, _: page_at(url, body=HTML, etag='"1"'))
        reading = asyncio.run(
            read(Candidate(url=URL), client=web, robots=Cache(), agent="wellread", now=NOW, known=known,
                 selectors_of=lambda _: selectors)
        )  # fmt: skip
        return reading, "if-none-match" in web.asked[-1][1]

    first, _ = visit(Selectors(), None)
    known = PreviousRead(validators=Validators(etag='"1"'), content_hash=first.content_hash, body_hash=first.body_hash)
    again, was_conditional = visit(Selectors(), known)
    assert (again.outcome, was_conditional) == ("unchanged", True)
    selected, was_conditional = visit(Selectors(select=("footer",)), known)
    assert (selected.outcome, was_conditional) == ("read", False)
    assert selected.page is not None
    assert selected.page.text == "Imprint of the shop"
    missed, _ = visit(Selectors(select=("article",)), None)
    assert "`select` matches no text" in missed.reason
