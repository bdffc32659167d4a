"""What an article's site says beside it is not read: it is told by its class, wherever it stands in the article."""

from __future__ import annotations

import pytest

from crawler.extract.document import extract
from tests.tables import each_row

PARAGRAPH = (
    "The keeper trims the wick every evening before he lights the lamp, and again at midnight when the oil is low, "
    "because a dirty wick gives a yellow light that no ship can see from far away."
)
BESIDE = "Keepers of the other lamps met in spring and praised the oil of the southern whalers."


def _read_article(within: str) -> str:
    head = "<title>The lamp</title><meta property='og:type' content='article'>"
    below = "".join(f"<p>{night}. {PARAGRAPH}</p>" for night in range(1, 6))
    body = f"<article><h1>The lamp</h1><p>{PARAGRAPH}</p>{within}{below}</article>"
    page = f"<!doctype html><html lang='en'><head>{head}</head><body>{body}</body></html>"
    return extract(page.encode(), url="http://a.example/lamp.html", content_type="text/html; charset=utf-8").text


@pytest.mark.parametrize("name", ["note", "content", "lead-in"])
def test_paragraph_of_another_class_is_kept(name: str) -> None:
    assert BESIDE in _read_article(f"<div class='{name}'><p>{BESIDE}</p></div>")


@each_row(
    "name", ["related-posts", "recommended", "more-from", "read-next", "most-read", "trending", "portable-archive-list"]
)
def test_related_links_are_left_out(name: str) -> None:
    text = _read_article(f"<section class='{name}'><h3><a href='/b'>Oil</a></h3><p>{BESIDE}</p></section>")
    assert BESIDE not in text
    assert text.count(PARAGRAPH) == 6


@pytest.mark.parametrize("name", ["comments", "comment-list", "respond", "disqus"])
def test_comments_are_left_out(name: str) -> None:
    text = _read_article(f"<div id='{name}'><b>seagull</b><p>{BESIDE}</p><a href='#r'>Reply</a></div>")
    assert BESIDE not in text
    assert "seagull" not in text
    assert text.count(PARAGRAPH) == 6


@pytest.mark.parametrize("name", ["share-bar", "sharing", "social-links", "follow"])
def test_share_lines_are_left_out(name: str) -> None:
    text = _read_article(f"<div class='{name}'><span>Tell others that {BESIDE}</span> <a href='#f'>Send</a></div>")
    assert BESIDE not in text
    assert text.count(PARAGRAPH) == 6


@pytest.mark.parametrize("name", ["advert", "ads", "sponsored", "promo", "banner"])
def test_captions_of_adverts_are_left_out(name: str) -> None:
    picture = f"<figure class='{name}'><img src='/oil.png' alt='Oil'><figcaption>{BESIDE}</figcaption></figure>"
    assert BESIDE not in _read_article(picture)
    assert BESIDE in _read_article(picture.replace(name, "picture"))


def _read_blocks(wrapped: str) -> str:
    gallery = "<section class='gallery'><h4>14 photos</h4><a href='#'><img src=a.jpg></a></section>"
    head = "<title>The lamp</title><meta property='og:type' content='article'>"
    texts = (
        PARAGRAPH * 3,
        f"{BESIDE} {PARAGRAPH}",
        "The keeper, Ingrid Moe, has kept the lamp for nine years.",
    )
    blocks = gallery.join(wrapped.replace("TEXT", f"<h3>Part {at}</h3><p>{text}</p>") for at, text in enumerate(texts))
    page = f"<!doctype html><html lang='en'><head>{head}</head><body><h1>The lamp</h1>{blocks}</body></html>"
    return extract(page.encode(), url="http://a.example/lamp.html", content_type="text/html; charset=utf-8").text


@each_row(
    "names",
    "entry-content post-content rich-text wysiwyg content-block text-block paragraph-module body-copy "
    "story-body__inner "
    "elementor-widget-text-editor wp-block-group section__text field--name-body prose sqs-block-content "
    "td-post-content node__content".split(),
)
def test_article_in_several_wrappers_is_all_of_them(names: str) -> None:
    text = _read_blocks(f"<div class='row'><div class='cell'><div class='{names}'>TEXT</div></div></div>")
    assert "Part 1" in text
    assert "Ingrid Moe" in text
    assert "photos" not in text


def test_wrappers_without_classes_are_whole_too() -> None:
    assert "Ingrid Moe" in _read_blocks("<div><div><div>TEXT</div></div></div>")
