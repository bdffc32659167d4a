"""Markdown is read as a page of HTML is; plain text is kept as it stands; title and dates are those the text gives."""

from __future__ import annotations

from datetime import UTC, datetime

from crawler.extract.chunk import chunk
from crawler.extract.document import extract
from domain import PageText
from tests.tables import each_row

URL = "http://a.example/lamp.md"


def _read(text: str, kind: str = "text/markdown") -> PageText:
    return extract(text.encode(), url=URL, content_type=kind)


def test_front_matter_is_read_and_is_no_text() -> None:
    page = _read('---\ntitle: "The lamp"\ndate: 2024-03-01\nlastmod: 2025-01-02\n---\n\n# Oil\n\nIt burns whale oil.\n')
    assert page.title == "The lamp"
    assert page.text == "Oil\n\nIt burns whale oil."
    assert page.published == datetime(2024, 3, 1, tzinfo=UTC)
    assert page.modified == datetime(2025, 1, 2, tzinfo=UTC)


def test_toml_front_matter_is_read_too() -> None:
    assert _read('+++\ntitle = "The lamp"\n+++\nIt burns oil.').title == "The lamp"


def test_other_fields_of_front_matter_are_read_as_data() -> None:
    page = _read(
        "---\ntitle: Crane\nlayout: post\ndraft: false\nowner: 'Ingrid Moe'\nharbour_masters:\n  - Ada\n  - Bo\n"
        'tags: [boats, "cranes"]\nnote: >\n  It lifts\n---\n\n# Crane\n\nIt is red.\n'
    )
    assert (
        page.text
        == "owner | Ingrid Moe\nharbour masters | Ada, Bo\ntags | boats, cranes\nnote | It lifts\n\nCrane\n\nIt is red."
    )
    assert page.blocks[0].kind == "rows"
    assert page.title == "Crane"
    toml = _read('+++\ntitle = "Crane"\nowner = "Ingrid Moe"\n+++\nIt is red.')
    assert toml.text == "owner | Ingrid Moe\n\nIt is red."


@each_row(
    "written, text, url",
    [
        ("It lifts [[Tonnes|twelve tonnes]].", "It lifts twelve tonnes.", "http://a.example/Tonnes.md"),
        ("See [[Old crane]].", "See Old crane.", "http://a.example/Old%20crane.md"),
        ("See [[yard/Crane#Use|its use]].", "See its use.", "http://a.example/yard/Crane.md"),
        ("See ![[plan.png]]this.", "See this.", ""),
        ("Type `[[x|y]]`.", "Type [[x|y]].", ""),
        ("An [array[0]] of [[]].", "An [array[0]] of [[]].", ""),
    ],
)
def test_wiki_links_are_links(written: str, text: str, url: str) -> None:
    page = _read(f"# Crane\n\n{written}")
    assert page.text == f"Crane\n\n{text}"
    assert [link.url for link in page.links] == ([url] if url else [])


def test_rule_at_the_top_is_no_front_matter() -> None:
    assert "It burns oil." in _read("---\n\nIt burns oil.").text


def test_comment_in_code_is_no_heading() -> None:
    page = _read("# Oil\n\n```sh\n# not a heading\n```\n\n## Wick\n\nCotton.\n")
    assert [heading for _, heading in page.headings] == ["Oil", "Wick"]
    assert all(page.text[at:].startswith(heading) for at, heading in page.headings)


def test_markdown_has_blocks_and_none_of_its_marks() -> None:
    page = _read(
        "# Machine\n\nIt is **hot**; see [the manual](http://a.example/m).\n\nCleaning\n---\n\n1. Empty the *tank*.\n"
        "2. Rinse it.\n\n| Code | Meaning |\n|---|---|\n| E1 | `low` water |\n\n```sh\n# begin\n```\n\n> Noted.\n"
    )
    assert [(block.kind, page.text[block.start : block.end]) for block in page.blocks] == [
        ("heading", "Machine"),
        ("prose", "It is hot; see the manual."),
        ("heading", "Cleaning"),
        ("list", "1. Empty the tank.\n2. Rinse it."),
        ("table", "Code | Meaning\nE1 | low water"),
        ("code", "# begin"),
        ("prose", "Noted."),
    ]
    assert [heading for _, heading in page.headings] == ["Machine", "Cleaning"]
    assert [link.url for link in page.links] == ["http://a.example/m"]


def test_html_in_markdown_is_read_as_on_a_page() -> None:
    page = _read(
        "Oil.\n\n<!-- comment -->\n<script>alert(1)</script>\n\n<p style='display:none'>hidden</p>\n\n<b>Wick.</b>\n"
    )
    assert page.text == "Oil.\n\nWick."


def test_passages_of_markdown_are_named_by_their_headings() -> None:
    page = _read("# House\n\n## Rules\n\n" + "Doors close at ten. " * 60 + "\n\n## Passwords\n\nThey are long.")
    assert "House › Passwords" in [each.title for each in chunk(page, page_id=1, url=URL)]


def test_xhtml_is_read_like_html() -> None:
    body = (
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml" lang="en">'
        "<head><title>Lamp</title></head><body><p>It burns <b>whale oil</b>.<br/>Every night.</p></body></html>"
    )
    page = _read(body, "application/xhtml+xml")
    assert page.title == "Lamp"
    assert "It burns whale oil." in page.text
