"""The search index of a manual names its pages with their titles, at the price of one fetch."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.discovery.lists import BadSitemap, parse_sitemap
from crawler.extract.document import extract

SITE = "https://docs.example.org/"


def test_a_sphinx_index_lists_pages_with_their_sections() -> None:
    index = {
        "docnames": ["index", "lamps/wick"],
        "titles": ["Lamps", "The <em>wick</em>"],
        "alltitles": {"Trimming": [[1, "trimming"]], "Lamps": [[0, "lamps"]]},
        "terms": {"oil": [0, 1]},
    }
    links = parse_sitemap(f"Search.setIndex({json.dumps(index)})".encode(), url=SITE + "searchindex.js")
    assert [(link.url, link.text, link.origin) for link in links] == [
        (SITE + "index.html", "Lamps", "sitemap"),
        (SITE + "lamps/wick.html", "The wick\nTrimming", "sitemap"),
    ]


def test_a_mkdocs_index_lists_pages_with_their_sections() -> None:
    places = [("", "Home"), ("wick/", "The wick"), ("wick/#trimming", "Trimming")]
    index = {"docs": [{"location": where, "title": title, "text": ""} for where, title in places]}
    links = parse_sitemap(json.dumps(index).encode(), url=SITE + "m/search/search_index.json")
    assert [(link.url, link.text) for link in links] == [
        (SITE + "m/", "Home"),
        (SITE + "m/wick/", "The wick\nTrimming"),
    ]


@pytest.mark.parametrize(
    ("script", "index"),
    [
        ("../_static/documentation_options.js?v=1", "m/searchindex.js"),
        ("../search/main.js", "m/search/search_index.json"),
    ],
)
def test_a_page_of_such_a_manual_leads_to_its_index(script: str, index: str) -> None:
    body = f"<html><head><script src='{script}'></script></head><body><p>{'A lamp burns oil. ' * 9}</p></body></html>"
    links = extract(body.encode(), url=SITE + "m/lamps/wick.html").links
    assert [(link.url, link.origin) for link in links] == [(SITE + index, "sitemap-file")]


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=4),
        lambda inner: st.dictionaries(
            st.sampled_from(["docnames", "titles", "alltitles", "docs", "location", "title"]),
            inner | st.lists(inner, max_size=3),
        ),
        max_leaves=12,
    )
)
def test_an_index_of_another_form_is_read_or_refused(value: object) -> None:
    for body, name in (
        (f"Search.setIndex({json.dumps(value)})", "searchindex.js"),
        (json.dumps(value), "search_index.json"),
    ):
        with suppress(BadSitemap):
            assert all(link.url.startswith(SITE) for link in parse_sitemap(body.encode(), url=SITE + name))
