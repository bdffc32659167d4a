"""What lies below a site, on the web and among the operator's own files."""

from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import Any

import lancedb
import pyarrow as pa
import pytest
from sqlalchemy import literal, select

from domain import Scope
from domain.site import SiteScope, is_under
from store.pages.visibility import under
from store.passages.schema import scope_condition
from store.sql.database import Database


@pytest.mark.parametrize(
    ("url", "site", "expected"),
    [
        ("http://example.org/lib/a", "https://example.org/lib", True),
        ("https://example.org/library", "https://example.org/lib", False),
        ("files://uploads/rules.pdf", "files://uploads", True),
        ("files://uploads/rules.pdf", "files://uploads/rules.pdf", True),
        ("files://other/rules.pdf", "files://uploads", False),
        ("https://uploads/rules.pdf", "files://uploads", False),
        ("files://uploads/rules.pdf", "https://uploads/", False),
    ],
)
def test_what_is_below_a_site(database: Database, url: str, site: str, expected: bool) -> None:
    assert is_under(url, [site]) == expected
    with database.read() as session:
        assert bool(session.scalar(select(under(literal(url), [site])))) == expected


DOCS = "https://site.example/docs/"
HOME = "https://site.example/"


@pytest.mark.parametrize(
    ("site", "settings", "url", "expected"),
    [
        # a folder is named by itself or by its front page
        (f"{DOCS}index.html", {}, f"{DOCS}crane.html", True),
        (f"{DOCS}Default.aspx?lang=en", {}, f"{DOCS}crane.html", True),
        (f"{HOME}?path=lamps/oil", {}, f"{HOME}lamp", True),
        (f"{DOCS}index.html", {}, f"{HOME}crane.html", False),
        (DOCS, {}, "http://www.site.example/docs/crane.html", True),
        (DOCS, {}, "https://site.example/docs", False),
        # a page is alone, with what lies below it
        (f"{DOCS}crane.html", {}, f"{DOCS}crane.html?print=1", True),
        (f"{DOCS}crane.html", {}, f"{DOCS}boat.html", False),
        (f"{HOME}3", {}, f"{HOME}3/library", True),
        (f"{HOME}3", {}, f"{HOME}31/library", False),
        (f"{DOCS}crane.html", {"depth": 1}, f"{DOCS}boat.html", True),
        (f"{DOCS}crane.html", {"whole": True}, f"{DOCS}boat.html", True),
        (f"{DOCS}crane.html", {"page_only": True}, f"{DOCS}crane.html?print=1", False),
        (DOCS, {"page_only": True}, DOCS, True),
        (DOCS, {"page_only": True}, f"{DOCS}crane.html", False),
        (DOCS, {"depth": 0}, f"{DOCS}crane.html", False),
        # a redirect is followed, to another path or host
        (f"{HOME}guide", {"moved_to": f"{HOME}manual/v2/"}, f"{HOME}manual/v2/crane", True),
        (f"{HOME}guide", {"moved_to": f"{HOME}manual/v2/"}, f"{HOME}manual/v1/crane", False),
        (HOME, {"moved_to": "https://new.example/en/start.html"}, "https://new.example/en/crane.html", True),
        (HOME, {"moved_to": "https://new.example/en/start.html"}, "https://new.example/de/crane.html", False),
        (f"{DOCS}crane.html", {"moved_to": "https://new.example/crane"}, "https://new.example/boat", False),
        # patterns of the path
        (HOME, {"include": ["/en/latest/*"]}, f"{HOME}en/latest/a/b.html", True),
        (HOME, {"include": ["/en/latest/*"]}, f"{HOME}de/latest/a", False),
        (HOME, {"include": ["/en/latest/*"]}, HOME, True),  # the front page always belongs to it
        (HOME, {"include": ["en/*"]}, f"{HOME}v2/en/a", True),
        (HOME, {"include": ["en/*"]}, f"{HOME}v2/open/a", False),
        (HOME, {"include": ["*.html"]}, f"{HOME}a.html?x=1", True),
        (HOME, {"exclude": ["/old/"]}, f"{HOME}old/a/b", False),
        (HOME, {"exclude": ["/old/"]}, f"{HOME}older", True),
        (HOME, {"exclude": ["/a_b"]}, f"{HOME}acb", True),
        (HOME, {"exclude": ["/v?/*"]}, f"{HOME}v2/a", False),
        (HOME, {"exclude": ["/[v]/*"]}, f"{HOME}v/a", True),
        (HOME, {"exclude": ["/Größe/*"]}, f"{HOME}Gr%C3%B6%C3%9Fe/a", False),
        (HOME, {"include": ["/en/*"], "exclude": ["*/private*"]}, f"{HOME}en/private/a", False),
        ("files://uploads", {}, "files://uploads/rules.pdf", True),
    ],
)
def test_what_belongs_to_a_site(
    database: Database, site: str, settings: dict[str, Any], url: str, expected: bool
) -> None:
    scope = SiteScope.of(site, **settings)
    assert scope.covers(url) == expected
    assert bool(scope.narrowness(url)) == expected
    with database.read() as session:
        assert bool(session.scalar(select(under(literal(url), [scope])))) == expected


@pytest.mark.parametrize(
    "path",
    ["hr/pay", "/hr/pay", "hr//pay", "hr%2Fpay", "hr%5Cpay", "%2Fhr/pay", "/////////////////hr/pay", "hr/pay?a=b"],
)
def test_what_is_excluded_is_so_however_it_is_written(path: str) -> None:
    url = f"{HOME}{path}"
    assert is_under(url, [f"{HOME}hr/"])
    for pattern in ("/hr/", "/%68r/*", "hr/pay*", "/hr/p%61y"):
        assert not SiteScope.of(HOME, exclude=[pattern]).covers(url)
    condition = scope_condition(Scope(exclude_sites=(f"{HOME}hr/",)))
    rows = pa.table({"url": [url, f"{HOME}hair/pay"], "private": [False, False]})
    with TemporaryDirectory() as folder:
        table = lancedb.connect(folder).create_table("passages", rows)
        assert table.search().where(condition).to_arrow()["url"].to_pylist() == [f"{HOME}hair/pay"]


@pytest.mark.parametrize("path", ["/hr/pay", "hr%2Fpay", "%2Fhr/pay", "x/hr/pay"])
def test_what_is_only_served_as_part_of_a_source_is_none(path: str) -> None:
    assert not SiteScope.of(f"{HOME}hr/").covers(f"{HOME}{path}")
