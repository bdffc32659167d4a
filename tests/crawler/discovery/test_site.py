"""Of the links a page shows, those belong to its site that stand below its path and lead to text."""

from __future__ import annotations

import pytest

from crawler.discovery.site import candidates_of_site, moved_prefix, prefix_of
from domain import Link

SITE = "https://site.example/docs/"


@pytest.mark.parametrize(
    ("url", "prefix"),
    [
        ("https://site.example", "https://site.example/"),
        ("https://site.example/docs/", SITE),
        ("https://site.example/docs/start.html?x=/y/", SITE),
    ],
)
def test_a_site_is_bounded_by_the_path_up_to_its_last_slash(url: str, prefix: str) -> None:
    assert prefix_of(url) == prefix


@pytest.mark.parametrize(
    ("url", "prefix"),
    [
        ("https://www.site.example/docs/", "https://www.site.example/docs/"),  # the same site by its other name
        ("http://site.example/docs/", "http://site.example/docs/"),
        ("https://elsewhere.example/docs/", SITE),  # another site stays outside
        ("https://site.example/de/", SITE),
    ],
)
def test_a_site_that_moved_is_followed_and_another_is_not(url: str, prefix: str) -> None:
    assert moved_prefix(SITE, url) == prefix


def test_what_is_outside_no_text_endless_or_not_to_be_followed_is_left_out() -> None:
    links = [
        Link(url=f"{SITE}a"),
        Link(url=f"{SITE}a", text="the same again"),
        Link(url="https://site.example/blog/"),
        Link(url="https://elsewhere.example/docs/"),
        Link(url=f"{SITE}logo.png"),
        Link(url=f"{SITE}x/y/x/y/x/y/"),
        Link(url=f"{SITE}private", nofollow=True),
        Link(url="https://site.example/sitemap.xml", origin="sitemap-file"),
        Link(url="https://elsewhere.example/sitemap.xml", origin="sitemap-file"),
    ]
    found = candidates_of_site(links, prefix=SITE, depth=1, max_depth=5)
    assert [(c.url, c.kind) for c in found] == [(f"{SITE}a", "page"), ("https://site.example/sitemap.xml", "sitemap")]


def test_lists_of_pages_come_first_then_pages_near_the_front_and_none_too_deep() -> None:
    (near,) = candidates_of_site([Link(url=f"{SITE}a")], prefix=SITE, depth=1, max_depth=2)
    (far,) = candidates_of_site([Link(url=f"{SITE}b")], prefix=SITE, depth=2, max_depth=2)
    (listed,) = candidates_of_site([Link(url=f"{SITE}s.xml", origin="sitemap-file")], prefix=SITE, depth=9, max_depth=2)
    assert listed.score > near.score > far.score
    assert candidates_of_site([Link(url=f"{SITE}c")], prefix=SITE, depth=3, max_depth=2) == []
