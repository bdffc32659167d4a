"""A sitemap as large as may be fetched, made to swell, takes memory in proportion to its bytes."""

from __future__ import annotations

import subprocess
import sys

import pytest

SIZE = 10_000_000
#: of what is read: its bytes, its text and a copy or two of both
MOST_MB = 150

_CHILD = """
import resource, sys
from crawler.discovery.lists import parse_sitemap
mb = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
parse_sitemap(b"<urlset><url><loc>https://a.example/x</loc></url></urlset>", url="https://a.example/s.xml")
piece, size = sys.argv[1].encode(), int(sys.argv[2])
body = b"<urlset><url><loc>https://a.example/x</loc></url><url><loc>" + piece * (size // len(piece))
body = body.decode().encode(sys.argv[3])
before = mb()
found = parse_sitemap(body, url="https://a.example/s.xml")
print(mb() - before, "https://a.example/x" in str(found))
"""


@pytest.mark.parametrize(
    ("piece", "charset"),
    [(piece, "utf-8") for piece in ("&", "&amp;", "<![CDATA[", "<![CDATA[a]]>", "<a ", "<loc>", "<!--", "]]>")]
    + [(piece, "utf-16") for piece in ("&", "<a ")],
)
def test_sitemap_of_ten_megabytes_takes_bounded_memory(piece: str, charset: str) -> None:
    command = [sys.executable, "-c", _CHILD, piece, str(SIZE // (2 if charset == "utf-16" else 1)), charset]
    took, has_page = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert has_page == "True"  # it was read, not refused
    assert float(took) < MOST_MB
