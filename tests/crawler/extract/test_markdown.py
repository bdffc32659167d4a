"""Plain text and Markdown are kept as they stand; headings, title and dates are those the text gives."""

from __future__ import annotations

from datetime import UTC, datetime

from crawler.extract.document import extract
from domain import PageText

URL = "http://a.example/lamp.md"


def _read(text: str, kind: str = "text/markdown") -> PageText:
    return extract(text.encode(), url=URL, content_type=kind)


def test_front_matter_is_read_and_is_no_text() -> None:
    page = _read('---\ntitle: "The lamp"\ndate: 2024-03-01\nlastmod: 2025-01-02\n---\n\n# Oil\n\nIt burns whale oil.\n')
    assert page.title == "The lamp"
    assert page.text == "# Oil\n\nIt burns whale oil."
    assert page.published == datetime(2024, 3, 1, tzinfo=UTC)
    assert page.modified == datetime(2025, 1, 2, tzinfo=UTC)


def test_toml_front_matter_is_read_too() -> None:
    assert _read('+++\ntitle = "The lamp"\n+++\nIt burns oil.').title == "The lamp"


def test_rule_at_the_top_is_no_front_matter() -> None:
    assert "It burns oil." in _read("---\n\nIt burns oil.").text


def test_comment_in_code_is_no_heading() -> None:
    page = _read("# Oil\n\n```sh\n# not a heading\n```\n\n## Wick\n\nCotton.\n")
    assert [heading for _, heading in page.headings] == ["Oil", "Wick"]
    assert all(page.text[at:].startswith(heading) for at, heading in page.headings)


def test_xhtml_is_read_like_html() -> None:
    body = (
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml" lang="en">'
        "<head><title>Lamp</title></head><body><p>It burns <b>whale oil</b>.<br/>Every night.</p></body></html>"
    )
    page = _read(body, "application/xhtml+xml")
    assert page.title == "Lamp"
    assert "It burns whale oil." in page.text
