"""A menu is no part of a page's text, though nothing names it."""

from __future__ import annotations

import pytest

from crawler.extract.document import extract

PARAGRAPH = (
    "The keeper trims the wick every evening before he lights the lamp, and again at midnight when the oil is low, "
    "because a dirty wick gives a yellow light that no ship can see from far away."
)
TEXT = "".join(f"<p>{night}. {PARAGRAPH}</p>" for night in range(1, 5))
MENU = "".join(f"<a href='/{at}.html'>The story of lamp {at}</a><br>" for at in range(5))
DOCUMENTATION = "<meta name='generator' content='DocBook'>"
ARTICLE = "<meta property='og:type' content='article'>"


def _read(body: str, head: str = "") -> str:
    page = f"<html lang='en'><head><title>The lamp</title>{head}</head><body>{body}</body></html>"
    return extract(page.encode(), url="http://a.example/lamp.html", content_type="text/html; charset=utf-8").text


@pytest.mark.parametrize("head", [DOCUMENTATION, ARTICLE], ids=["documentation", "article"])
@pytest.mark.parametrize(
    "row",
    [
        f"<td>{MENU}</td><td>{TEXT}</td>",
        f"<td>{TEXT}</td><td><b>Other lamps</b><br>{MENU}</td>",
        f"<td><table><tr><td>{MENU}</td></tr><tr><td>{MENU}</td></tr></table></td><td>{TEXT}</td>",
    ],
    ids=["before", "after", "tables in a cell"],
)
def test_menu_in_a_cell_beside_the_text_is_left_out(row: str, head: str) -> None:
    text = _read(f"<table><tr><td colspan=2>The harbour</td></tr><tr>{row}</tr></table>", head)
    assert "story of lamp" not in text
    assert text.count(PARAGRAPH) == 4


@pytest.mark.parametrize(
    "body",
    [
        # cells of an index: none has most of the text
        f"<table><tr><td>{PARAGRAPH}</td><td>{MENU}</td></tr><tr><td>{PARAGRAPH}</td><td>{MENU}</td></tr></table>{TEXT}",
        f"<table><tr><td>Lamps</td><td>{MENU}</td></tr></table>",  # there is no text to find
        f"<table><tr><td>{TEXT}</td><td>{PARAGRAPH} {MENU}</td></tr></table>",  # a column of text with links
        f"<table><tr><td>{TEXT}</td><td><a href='/1.html'>The story of lamp 1</a></td></tr></table>",  # a remark
    ],
)
def test_cell_of_links_is_kept_where_it_is_no_menu(body: str) -> None:
    assert "The story of lamp 1" in _read(body, DOCUMENTATION)


def test_name_above_a_post_is_left_out_and_the_topic_is_kept() -> None:
    profile = "<div class='postprofile'><a href='/u'>harbourmaster</a> Posts: 1204</div>"
    post = f"<div class='post'>{profile}<div class='postbody'>{TEXT}</div></div>"
    below = "<ul class='nav-breadcrumbs'><li><a href='/'>Board</a></li><li>All times are UTC</li></ul>"
    text = _read(f"<h2>How we light the lamp</h2>{post}<div class='action-bar'><a href='/r'>Answer</a></div>{below}")
    assert text.startswith("How we light the lamp\n\n1. The keeper")
    assert text.endswith("far away.")
    assert "harbourmaster" not in text
