"""An exported answer reads as it does elsewhere, and nothing that a page says is run or hides what stands there."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import html
from markdown_it import MarkdownIt
from pydantic import TypeAdapter

from api.schemas.exported import exported, exported_thread
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
        *("blockquote_open", "blockquote_close", "text_special", "fence", "bullet_list_open", "bullet_list_close"),
        *("ordered_list_open", "ordered_list_close", "list_item_open", "list_item_close"),
        *(f"{name}_{end}" for name in ("table", "thead", "tbody", "tr", "th", "td") for end in ("open", "close")),
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


def test_short_answer_stands_above_the_answer() -> None:
    short = record(short_answer="610")
    assert "\n\n**610**\n\nThey give 610" in exported(short, "md")
    page = html.document_fromstring(exported(short, "html"))
    assert page.xpath("string(//p[strong='610']/following-sibling::p[1])").startswith("They give 610")


BLOCKS = [
    {"text": "Setup", "markers": [], "block": "heading"},
    {"text": "Do this:", "markers": [], "block": ""},
    {"text": "Run it:", "markers": [1], "block": "step"},
    {"text": "if a < b:\n    run(`x`)", "markers": [1], "block": "code"},
    {"text": "Stop it.", "markers": [1], "block": "step"},
    {"text": "One.", "markers": [1], "block": "item"},
    {"text": "Part | Price", "markers": [], "block": "row"},
    {"text": "a \\| b | 4 €", "markers": [1], "block": "row"},
]


def test_blocks_stand_as_such() -> None:
    given = record(sentences=BLOCKS)
    document = exported(given, "md")
    assert (
        "## Setup\n\nDo this:\n\n1. Run it: \\[1\\]\n\n```\nif a < b:\n    run(`x`)\n```\n\\[1\\]\n\n"
        "2. Stop it. \\[1\\]\n\n"
        "- One. \\[1\\]\n\n| Part | Price |\n| --- | --- |\n| a \\| b | 4 € \\[1\\] |"
    ) in document
    page = html.document_fromstring(exported(given, "html"))
    assert [each.text_content() for each in page.xpath("//body/ol[@dir]/li")] == ["Run it: [1]", "Stop it. [1]"]
    assert page.xpath("//ol[@start]/@start") == ["1", "2"]
    assert page.xpath("string(//pre/code)") == "if a < b:\n    run(`x`)"
    assert page.xpath("//th/text()") == ["Part", "Price"]
    assert [each.text_content() for each in page.xpath("//td")] == ["a | b", "4 € [1]"]
    assert page.xpath("//ul/li/a/@href") == ["#c1"]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("block", ["item", "step", "row", "code", "heading", ""])
def test_no_block_is_run_or_formatted(text: str, block: str) -> None:
    text = text if block == "code" else " ".join(text.split())
    text = text.replace("|", "\\|") if block == "row" else text
    said = [{"text": "Here:", "markers": [1], "block": "item"}, {"text": text, "markers": [1], "block": block}]
    given = record(sentences=said)
    shown(exported(given, "md"))
    page = html.document_fromstring(exported(given, "html"))
    assert not page.xpath("//script | //img | //svg | //*[@onerror] | //a[starts-with(@href, 'javascript')]")
    words = "".join(text.replace("\u202e", "").replace("\u202c", "").replace("\\|", "|").split())
    assert words in "".join(page.text_content().split())


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize(
    "field",
    ["question", "question_as_understood", "short_answer", "answer", "notice", "quote", "title", "url", "place"],
)
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


def thread() -> list[Record]:
    """Two turns, each with a quote [1] of its own, and one that is not answered yet."""
    return [
        record(),
        record(question="And who pays?", question_as_understood="Who pays for it?", citations=[citation(quote="Rye.")]),
        record(question="Why?", status="READING", answer=None, citations=[], finished_at=None),
    ]


def test_thread_is_one_document_with_its_questions_in_order_and_each_with_its_quotes() -> None:
    document = "".join(exported_thread("The *turbines*", thread(), "md"))
    assert document.startswith("# The \\*turbines\\*\n\n## How much?\n\n*answered, confidence 0.93*\n")
    said = (
        "## How much?",
        "610 megawatt",
        "## And who pays?",
        "as: Who pays for it?",
        "> Rye.",
        "## Why?",
        "no answer yet",
    )
    places = [document.index(words) for words in said]
    assert places == sorted(places)
    assert (document.count("# The"), document.count("\n### Quotes\n")) == (1, 2)


def test_mark_in_a_thread_leads_to_its_own_answers_quote() -> None:
    page = html.document_fromstring("".join(exported_thread("The turbines", thread(), "html")))
    assert (page.findtext(".//title"), page.xpath("//h1/text()")) == ("The turbines", ["The turbines"])
    assert page.xpath("//h2/text()") == ["How much?", "And who pays?", "Why?"]
    links = page.xpath("//a[starts-with(@href, '#')]/@href")
    assert len(set(links)) == len(links) == 2
    quotes = [page.xpath(f"string(//li[@id='{link[1:]}']//blockquote)") for link in links]
    assert quotes == ["The turbines give 610 megawatt-hours.", "Rye."]
    assert len(page.xpath("//body")) == len(page.xpath("//head")) == 1


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_a_thread_says_is_run_or_formatted(text: str) -> None:
    said = [record(question=text, answer=text, citations=[citation(quote=text)])]
    words = "".join(text.replace("\u202e", "").replace("\u202c", "").split())
    assert "".join(shown("".join(exported_thread(text, said, "md"))).split()).count(words) >= 4
    page = html.document_fromstring("".join(exported_thread(text, said, "html")))
    assert "".join(page.text_content().split()).count(words) >= 4
    assert not page.xpath("//script|//img|//svg|//b")


def form(*fields: tuple[str, Any, str | None]) -> dict[str, Any]:
    """A filled form: each value's path, the value and its quote."""
    return {
        "value": {},
        "fields": [
            {"path": path, "value": value, "citation": None if quote is None else citation(marker=1, quote=quote)}
            for path, value, quote in fields
        ],
    }


def test_values_of_a_form_stand_with_their_quotes() -> None:
    of_answer = citation()["quote"]
    filled = form(
        ("/yield/mwh", 610, of_answer),
        ("/owner", "The Harbour Board", "The Harbour Board owns them."),
        ("/open~1shut", True, "They are open."),
        ("/builder", None, None),
    )
    document = exported(record(structured=filled), "md")
    for line in ("**yield/mwh**: 610 \\[1\\]", "**owner**: The Harbour Board \\[2\\]", "**open/shut**: true \\[3\\]"):
        assert line in document
    assert "**builder**: not known" in document
    assert document.count("\n> ") == 3
    assert document.index("**\\[2\\]**") < document.index("> The Harbour Board owns them")
    page = html.document_fromstring(exported(record(structured=filled), "html"))
    assert [each.text_content() for each in page.xpath("//h2")] == ["Values", "Quotes"]
    assert [each.text_content() for each in page.xpath("//p[strong]")] == [
        "yield/mwh: 610 [1]",
        "owner: The Harbour Board [2]",
        "open/shut: true [3]",
        "builder: not known",
    ]
    assert [page.xpath(f"string(//li[@id='c{at}']//blockquote)") for at in (1, 2, 3)] == [
        of_answer,
        "The Harbour Board owns them.",
        "They are open.",
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_a_form_says_is_run_or_formatted(text: str) -> None:
    given = record(structured=form((f"/{text}", text, text)))
    words = "".join(text.replace("\u202e", "").replace("\u202c", "").split())
    assert "".join(shown(exported(given, "md")).split()).count(words) >= 2
    page = html.document_fromstring(exported(given, "html"))
    assert "".join(page.text_content().split()).count(words) >= 2
    assert not page.xpath("//script|//img|//svg")


def test_question_without_an_answer_says_where_it_stands() -> None:
    waiting = record(status="READING", answer=None, citations=[], finished_at=None)
    for form in ("md", "html"):
        assert "There is no answer yet." in exported(waiting, form)  # type: ignore[arg-type]
        assert "reading" in exported(waiting, form)  # type: ignore[arg-type]
