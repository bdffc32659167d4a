"""An exported answer reads as it does elsewhere, and nothing that a page says is run or hides what stands there."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import html
from markdown_it import MarkdownIt
from pydantic import TypeAdapter

from api.schemas.exported import exported
from domain.record import Record
from tests.api.records import citation, record_json

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)> [press](javascript:alert(3)) ![p](http://evil.example/p)",
    "</blockquote></li><a href='javascript:alert(4)'>x</a> `code` **bold** | a | b | ~~no~~ $x$",
    "    four blanks\n# a heading\n> a quote\n- an item\n1. first\n--- \n=== \n```\ncode\n```\n+ plus",
    '"><svg onload=alert(5)> &lt;b&gt; &amp; \u202egnp.exe\u202c',
    "<https://evil.example/> https://evil.example/ [1]: https://evil.example \\[x\\]",
)


def record(**changes: Any) -> Record:
    return TypeAdapter(Record).validate_python(record_json(**changes))


def shown(document: str) -> str:
    """The words that a reader of the Markdown sees; raises where it holds HTML, a picture or a link to elsewhere."""
    tokens = MarkdownIt("commonmark").enable("table").enable("strikethrough").parse(document)
    flat = [inner for token in tokens for inner in (token, *(token.children or ()))]
    assert {token.type for token in flat} <= {
        *("inline", "text", "hardbreak", "softbreak", "paragraph_open", "paragraph_close", "heading_open"),
        *("heading_close", "em_open", "em_close", "strong_open", "strong_close", "link_open", "link_close"),
        *("blockquote_open", "blockquote_close", "text_special"),
    }
    links = [str(token.attrGet("href")) for token in flat if token.type == "link_open"]
    assert [link for link in links if not link.startswith("http://127.0.0.1/")] == []
    return " ".join(token.content for token in flat if token.type in ("text", "text_special"))


def test_quote_stands_with_its_page_address_and_dates() -> None:
    document = exported(record(), "md")
    assert document.startswith("# How much?\n\n*answered, confidence 0.93*\n\nThey give 610 megawatt-hours a year.")
    assert "<http://127.0.0.1/energy.html>" in document
    assert "published 2026-03-01, read 2026-11-03" in document
    assert "> The turbines give 610 megawatt-hours." in document
    page = html.document_fromstring(exported(record(), "html"))
    assert page.findtext(".//title") == "How much?"
    assert page.xpath("string(//a[@href='#c1'])") == "[1]"
    (item,) = page.xpath("//li[@id='c1']")
    assert "Energy" in item.text_content()
    assert "published 2026-03-01, read 2026-11-03" in item.text_content()
    assert item.xpath("string(.//blockquote)") == "The turbines give 610 megawatt-hours."


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("field", ["question", "answer", "notice", "quote", "title", "url", "place"])
def test_nothing_that_is_said_is_run_or_formatted(text: str, field: str) -> None:
    changes = {"citations": [citation(**{field: text})]} if field in citation(place="") else {field: text}
    given = record(**changes)
    words = "".join(text.replace("\u202e", "").replace("\u202c", "").split())
    assert words in "".join(shown(exported(given, "md")).split())
    page = html.document_fromstring(exported(given, "html"))
    assert words in "".join(page.text_content().split())
    assert {element.tag for element in page.iter()} <= {
        *("html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "em", "ol", "li", "strong", "br", "a"),
        *("blockquote", "footer"),
    }
    assert {name for element in page.iter() for name in element.attrib} <= {
        *("charset", "name", "content", "http-equiv", "dir", "id", "value", "href", "rel"),
    }
    assert all(link.startswith(("#c", "http://127.0.0.1/")) for link in page.xpath("//@href"))


def test_question_without_an_answer_says_where_it_stands() -> None:
    waiting = record(status="READING", answer=None, citations=[], finished_at=None)
    for form in ("md", "html"):
        assert "There is no answer yet." in exported(waiting, form)  # type: ignore[arg-type]
        assert "reading" in exported(waiting, form)  # type: ignore[arg-type]
