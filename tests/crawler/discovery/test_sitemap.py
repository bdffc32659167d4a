"""Sitemaps as sites serve them are read; what is none is refused; nothing makes the reader fetch, hang or swell."""

import gzip
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.discovery.lists import MAX_URLS, BadSitemap, parse_sitemap
from crawler.urls import host
from tests.crawler.hostile import VECTORS, gzip_bomb
from tests.tables import each_row

FOLDER = VECTORS / "crawler-commons" / "sitemaps"
SITE = "https://example.org"


def urlset(*entries: str, head: str = "") -> bytes:
    listed = "".join(f"<url>{entry}</url>" for entry in entries)
    return f'{head}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>'.encode()


def listed(body: bytes, url: str = f"{SITE}/sitemap.xml") -> list[tuple[str, str, str]]:
    return [(link.url, link.origin, link.text) for link in parse_sitemap(body, url=url)]


@each_row(
    ("file", "site", "count", "first", "title"),
    [
        ("sitemap.txt", "http://www.domain.com", 2, "/page1.html", ""),
        ("sitemap-with-bom.txt", "http://www.domain.com", 2, "/page1.html", ""),
        ("sitemap.txt.gz", "http://www.example.com", 5, "/", ""),
        ("xmlSitemap.gz", "http://www.example.com", 5, "/", ""),
        ("sitemap.ns.xml", "http://www.example.com", 2, "/1", ""),  # its elements have a prefix
        ("sitemap.badns.xml", "http://www.example.com", 2, "/1", ""),  # another namespace
        ("extension/sitemap-mobile.xml", "http://www.example.com", 3, "/mobile-friendly-1/", ""),
        ("extension/sitemap-links.xml", "http://www.example.com", 3, "/english/", ""),
        ("extension/pagemaps-sitemap.xml", "http://www.example.com", 2, "/foo", ""),
        ("extension/sitemap-news.xml", "http://www.example.org", 2, "/business/article55.html",
         "Companies A, B in Merger Talks"),
        ("extension/sitemap-images.xml", "http://www.example.com", 1, "/images/some_image_landing_page.html",
         "Example photo shot in Limerick, Ireland"),
        ("extension/sitemap-videos.xml", "http://www.example.com", 3, "/videos/some_video_landing_page.html",
         "Grilling steaks for summer"),
        ("extension/hebdenbridgetimes-articles-sitemap.xml", "http://www.hebdenbridgetimes.co.uk", 74,
         "/news/local/video-tour-de-yorkshire-in-calderdale-1-7242580",
         "Tour De Yorkshire passes through Nutclough, Hebden Bridge"),
    ],
)  # fmt: skip
def test_lists_the_pages_of(file: str, site: str, count: int, first: str, title: str) -> None:
    found = listed((FOLDER / file).read_bytes(), f"{site}/{Path(file).name}")
    assert len(found) == count
    assert found[0] == (site + first, "sitemap", title)


def test_lists_the_sitemaps_of_an_index_though_it_leaves_the_loc_out() -> None:
    found = listed((FOLDER / "sitemap.index.xml").read_bytes(), "https://example.com/sitemap.index.xml")
    assert found[0] == ("https://example.com/sitemap.jss?portalCode=10260&lang=en", "sitemap-file", "")
    assert {origin for _, origin, _ in found} == {"sitemap-file"}


def test_a_feed_may_be_the_sitemap() -> None:
    found = listed((FOLDER / "atom.xml").read_bytes(), "http://example.org/atom.xml")
    assert found == [("http://example.org/2003/12/13/atom03", "feed", "Atom-Powered Robots Run Amok")]


@each_row(
    ("entry", "url"),
    [
        ("<loc> \n /a </loc>", "/a"),  # relative, with blanks
        ("<loc>https://example.org/?a=1&b=2</loc>", "/?a=1&b=2"),  # the ampersand is not escaped
        ("<loc>https://example.org/?a=1&amp;b=2</loc>", "/?a=1&b=2"),
        ("<loc><![CDATA[https://example.org/c?d&e]]></loc>", "/c?d&e"),
        ("<loc>http://www.example.org/w</loc>", None),  # the same site, written differently
        ("<loc>https://example.org/p?utm_source=x#part</loc>", "/p"),
        ("<loc>https://example.org/ü</loc>", "/%C3%BC"),
    ],
)
def test_reads_the_location(entry: str, url: str | None) -> None:
    assert listed(urlset(entry)) == [(SITE + url if url else "http://www.example.org/w", "sitemap", "")]


@each_row(
    "location",
    ["https://other.org/a", "https://example.org.evil.net/a", "https://sub.example.org/a", "https://example.org:8443/a",
     "ftp://example.org/a", "javascript:alert(1)", "http://", "", "https://example.org/" + "a" * 3000],
)  # fmt: skip
def test_leaves_out(location: str) -> None:
    assert listed(urlset(f"<loc>{location}</loc>", "<loc>/kept</loc>")) == [(f"{SITE}/kept", "sitemap", "")]


@each_row(
    "body",
    [
        b"", b"   ", b"not found", b"<html><body>no such page</body></html>", b"{}", b"\x89PNG\r\n\x1a\n", b"<",
        b"<?xml version='1.0'?>", gzip.compress(b"no list", mtime=0), b"\x1f\x8b\x08broken", b"page one\nhttps://a.org/",
    ],
)  # fmt: skip
def test_refuses_with_a_reason(body: bytes) -> None:
    with pytest.raises(BadSitemap, match=r"https://example\.org/sitemap\.xml"):
        parse_sitemap(body, url=f"{SITE}/sitemap.xml")


@pytest.mark.parametrize("body", [urlset(), b"<urlset/>", b"<urlset", b"<sitemapindex></sitemapindex>"])
def test_a_sitemap_may_be_empty(body: bytes) -> None:
    assert listed(body) == []


def test_a_file_that_breaks_off_gives_what_it_holds_until_there() -> None:
    whole = urlset(*(f"<loc>/{i}</loc>" for i in range(100)))
    assert 40 < len(listed(whole[: len(whole) // 2])) < 60
    packed = gzip.compress(urlset(*(f"<loc>/{i * i * i}</loc>" for i in range(5000))))
    assert 0 < len(listed(packed[: len(packed) // 2])) < 5000


@pytest.mark.timeout(30)  # a thousand million entities
def test_entities_are_neither_expanded_nor_fetched(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("/secret-page")
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    doctype = f'<!DOCTYPE u [<!ENTITY l0 "ha">{laughs}<!ENTITY x SYSTEM "file://{secret}">]>'
    found = listed(urlset("<loc>/&l9;</loc>", "<loc>&x;</loc>", "<loc>/a</loc>", head=doctype))
    assert (f"{SITE}/a", "sitemap", "") in found
    assert not any("secret-page" in url or "haha" in url for url, _, _ in found)


def test_takes_no_more_than_the_protocol_allows() -> None:
    body = urlset(*(f"<loc>/{i}</loc>" for i in range(MAX_URLS + 5_000)))
    assert len(parse_sitemap(body, url=SITE)) == MAX_URLS
    others = [f"<loc>https://b.org/{i}</loc>" for i in range(MAX_URLS)]
    assert parse_sitemap(gzip.compress(urlset(*others, f"<loc>{SITE}/a</loc>")), url=SITE) == ()


def test_a_bomb_is_not_unpacked() -> None:
    bomb = gzip_bomb(100)
    tracemalloc.start()
    with pytest.raises(BadSitemap):
        parse_sitemap(bomb, url=SITE)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60_000_000


@given(
    st.one_of(st.binary(max_size=300), st.binary(max_size=120).map(lambda junk: urlset("<loc>/a</loc>")[:-20] + junk))
)
def test_whatever_the_bytes_they_are_read_or_refused(body: bytes) -> None:
    try:
        links = parse_sitemap(body, url=f"{SITE}/s.xml")
    except BadSitemap:
        return
    assert {host(link.url).removeprefix("www.") for link in links} <= {"example.org"}


@given(st.data())
def test_real_sitemaps_with_any_byte_changed_are_read_or_refused(data: st.DataObject) -> None:
    body = bytearray(
        (FOLDER / data.draw(st.sampled_from(["sitemap.ns.xml", "atom.xml", "xmlSitemap.gz"]))).read_bytes()
    )
    body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    try:
        parse_sitemap(bytes(body), url="http://www.example.com/sitemap.xml")
    except BadSitemap:
        return
