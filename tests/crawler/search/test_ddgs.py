"""DuckDuckGo's page is read as it stands: results without advertisements, and its refusal for what it is."""

from __future__ import annotations

from datetime import date
from urllib.parse import parse_qs, quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.search.engine import EngineError, Query, TakenForRobot
from crawler.search.keyless import _results
from domain import Link
from tests.crawler.search.every_engine import DDGS
from tests.crawler.search.server import saying, search, shape

[DOCUMENTED] = shape("ddgs")["response"]


def result(href: str, title: str = "A", body: str = "s", kind: str = "") -> str:
    """A result as the page writes it: over the counter, or straight."""
    return (
        f'<div class="result results_links web-result {kind}"><div class="links_main result__body">'
        f'<h2 class="result__title"><a rel="nofollow" class="result__a" href="{href}">{title}</a></h2>'
        f'<a class="result__url" href="{href}">shown</a><a class="result__snippet" href="{href}">{body}</a></div></div>'
    )


def counted(url: str) -> str:
    return f"//duckduckgo.com/l/?uddg={quote(url, safe='')}&amp;rut=0a1b"


def page(*results: str) -> bytes:
    return f"<html><body><div class='results'>{''.join(results)}</div></body></html>".encode()


def links(*results: str) -> tuple[Link, ...]:
    return search(DDGS, saying(page(*results), kind="text/html"))[0].links


@pytest.mark.parametrize("href", [DOCUMENTED["href"], counted(DOCUMENTED["href"])], ids=["straight", "counted"])
def test_a_result_becomes_a_link(href: str) -> None:
    assert links(result(href, DOCUMENTED["title"], DOCUMENTED["body"])) == (
        Link(url="https://example.org/a", text="A", context="s"),
    )


def test_words_are_read_as_written_with_their_marks_gone() -> None:
    [link] = links(result("https://a.org/", "<b>Grüner</b> Tee &amp; Milch", "mit <b>Tee</b>\n 茶"))
    assert (link.text, link.context) == ("Grüner Tee & Milch", "mit Tee 茶")


def test_advertisements_are_left_out() -> None:
    advert = "//duckduckgo.com/y.js?ad_domain=x&amp;uddg=https%3A%2F%2Fad.example%2F"
    found = links(
        result("https://ad.example/", kind="result--ad"),
        result(advert),
        result("https://duckduckgo.com/?q=more"),
        result("https://a.org/"),
    )
    assert [link.url for link in found] == ["https://a.org/"]


@pytest.mark.parametrize("href", ["javascript:alert(1)", "", "//[", counted("file:///etc/passwd"), "#", "/html/?q=x"])
def test_an_address_that_cannot_be_read_is_left_out(href: str) -> None:
    assert links(result(href), result("https://a.org/"))[0].url == "https://a.org/"


def test_the_form_says_region_and_age() -> None:
    query = Query(text="grüner tee & milch", lang="de", recency="month", today=date(2026, 11, 21))
    _, request = search(DDGS, saying(page(result("https://a.org/")), kind="text/html"), query)
    assert (request.method, request.path) == ("POST", "/html/")
    assert request.headers["content-type"] == "application/x-www-form-urlencoded"
    asked = parse_qs(request.body.decode(), keep_blank_values=True)
    assert asked == {"q": ["grüner tee & milch"], "b": [""], "l": ["de-de"], "df": ["m"]}


def test_nothing_found_is_no_error_and_another_page_is_one() -> None:
    nothing = b"<html><div class='no-results'>No results found for <b>q</b></div></html>"
    assert search(DDGS, saying(nothing, kind="text/html"))[0].links == ()
    with pytest.raises(EngineError, match="is not understood"):
        search(DDGS, saying(b"<html><h1>Welcome</h1></html>", kind="text/html"))


@pytest.mark.parametrize("status", ["200 OK", "202 Accepted", "403 Forbidden"])
def test_the_question_whether_we_are_human_is_heard(status: str) -> None:
    asked = b'<html><div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></html>'
    with pytest.raises(TakenForRobot):
        search(DDGS, saying(asked, status, kind="text/html"))


@given(st.binary(max_size=300) | st.text(alphabet="<a class='result__a' href=>//[]%", max_size=200).map(str.encode))
def test_no_bytes_break_the_reading_of_the_page(body: bytes) -> None:
    assert isinstance(_results(body), list)
