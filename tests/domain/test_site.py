"""What lies below a site, on the web and among the operator's own files."""

from __future__ import annotations

import pytest
from sqlalchemy import literal, select

from domain.site import is_under
from store.pages.visibility import under
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
