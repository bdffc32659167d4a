"""Of the links a page shows, those belong to its site that stand below its path and lead to text."""

from __future__ import annotations

from crawler.discovery.frontier import candidates_of_site
from domain import Link
from domain.site import SiteScope

SITE = "https://site.example/docs/"
SCOPE = SiteScope.of(SITE)


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
    found = candidates_of_site(links, scope=SCOPE, depth=1, max_depth=5)
    assert [(c.url, c.kind) for c in found] == [(f"{SITE}a", "page"), ("https://site.example/sitemap.xml", "sitemap")]


def test_lists_of_pages_come_first_then_pages_near_the_front_and_none_too_deep() -> None:
    (near,) = candidates_of_site([Link(url=f"{SITE}a")], scope=SCOPE, depth=1, max_depth=2)
    (far,) = candidates_of_site([Link(url=f"{SITE}b")], scope=SCOPE, depth=2, max_depth=2)
    (listed,) = candidates_of_site([Link(url=f"{SITE}s.xml", origin="sitemap-file")], scope=SCOPE, depth=9, max_depth=2)
    assert listed.score > near.score > far.score
    assert candidates_of_site([Link(url=f"{SITE}c")], scope=SCOPE, depth=3, max_depth=2) == []


def test_documents_that_pages_link_to_are_read_with_the_site() -> None:
    names = "rules.pdf plan.docx plan.odt show.pptx book.epub sums.xlsx boats.csv notes.md data.json letter.eml".split()
    found = candidates_of_site([Link(url=f"{SITE}{name}") for name in names], scope=SCOPE, depth=1, max_depth=5)
    assert [candidate.url.removeprefix(SITE) for candidate in found] == names
