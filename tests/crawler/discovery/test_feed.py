"""Feeds of every kind name their pages; what is no feed names none; no feed can make us read anything else."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from crawler.discovery.lists import MAX_ENTRIES, parse_feed
from tests.crawler.hostile import VECTORS
from tests.tables import each_row

FOLDER = VECTORS / "crawler-commons"
URL = "https://example.org/blog/feed.xml"


def named(body: bytes | str, url: str = URL) -> list[tuple[str, str, str]]:
    body = body.encode() if isinstance(body, str) else body
    links = parse_feed(body, url=url)
    assert {link.origin for link in links} <= {"feed"}
    return [(link.url, link.text, link.context) for link in links]


def test_reads_rss() -> None:
    found = named((FOLDER / "rss" / "feed.rss").read_bytes())
    assert found[0] == (
        "https://www.example.com/blog/post/1",
        "Example entry",
        "Here is some text containing an interesting description.",
    )
    assert found[1][0] == "https://www.example.com/foo?q=a&l=en"
    assert len(named((FOLDER / "rss" / "xmlRss_pubDate.xml").read_bytes())) == 7


def test_reads_atom() -> None:
    found = named((FOLDER / "sitemaps" / "atom.xml").read_bytes())
    assert found == [("http://example.org/2003/12/13/atom03", "Atom-Powered Robots Run Amok", "Some text.")]


def test_reads_entries_whose_markup_is_in_cdata() -> None:
    items = "".join(
        f"<item><title><![CDATA[<b>{at}</b>]]></title><link>/{at}</link><description><![CDATA[<p>Tea</p>]]></description></item>"
        for at in range(3_000)
    )
    assert named(f"<rss><channel>{items}</channel></rss>")[-1][0] == f"https://example.org/{MAX_ENTRIES - 1}"


RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel rdf:about="/"><title>T</title><link>/</link></channel>
<item rdf:about="/one"><title>One</title><link>/one</link></item></rdf:RDF>"""
JSON = """{"version": "https://jsonfeed.org/version/1.1", "items": [
  {"id": "1", "url": "/one", "title": "One", "content_html": "<p>First &amp; best</p>"}, {"id": "2"}, 3]}"""


@each_row(
    ("what", "body", "entry"),
    [
        ("RSS 1.0", RDF, ("https://example.org/one", "One", "")),
        ("JSON Feed", JSON, ("https://example.org/one", "One", "First & best")),
        ("no link but an id that is one", "<rss><item><guid>https://example.org/g</guid></item></rss>",
         ("https://example.org/g", "", "")),
        ("a link relative to the feed", "<rss><item><link>two</link></item></rss>",
         ("https://example.org/blog/two", "", "")),
        ("xml:base", '<feed xml:base="/deep/"><entry><link href="x"/></entry></feed>',
         ("https://example.org/deep/x", "", "")),
        ("markup in its title",
         "<rss><item><link>/m</link><title>&lt;b&gt;Tea&lt;/b&gt; &amp;amp; milk</title></item></rss>",
         ("https://example.org/m", "Tea & milk", "")),
        ("several links", '<feed><entry><link rel="edit" href="/e"/><link rel="alternate" href="/a"/></entry></feed>',
         ("https://example.org/a", "", "")),
        ("bare ampersands", "<rss><item><link>/q?a=1&b=2</link></item></rss>",
         ("https://example.org/q?a=1&b=2", "", "")),
        ("CDATA", "<rss><item><link><![CDATA[/q?a&b]]></link><title><![CDATA[Q&A &amp; more]]></title></item></rss>",
         ("https://example.org/q?a&b", "Q&A & more", "")),
        ("an end that is missing", "<rss><channel><item><link>/cut</link></item><item><li",
         ("https://example.org/cut", "", "")),
    ],
)  # fmt: skip
def test_reads_a_feed_with(what: str, body: str, entry: tuple[str, str, str]) -> None:
    assert named(body) == [entry]


@each_row(
    "body",
    [
        b"", b"<html><item><link>/a</link></item></html>", b"{", b"[]", b'{"items": 3}', b"{" * 100_000, b"\x89PNG",
        b"<rss>", b"<rss><item><guid isPermaLink='false'>tag:1</guid></item></rss>",
        b"<rss><item><link>mailto:a@b</link></item></rss>", b"<rss>" + b"<![CDATA[" * 100_000,
    ],
)  # fmt: skip
def test_names_nothing_in(body: bytes) -> None:
    assert named(body) == []


def test_bytes_that_are_a_files_name_do_not_open_it(tmp_path: Path) -> None:
    file = tmp_path / "feed.xml"
    file.write_text("<rss><item><link>/a</link></item></rss>")
    assert named(str(file)) == []
    assert named(f"file://{file}") == []


def test_entities_are_not_fetched(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret words")
    body = f'<!DOCTYPE rss [<!ENTITY x SYSTEM "file://{secret}">]><rss><item><link>/a</link><title>&x;</title></item></rss>'
    assert "secret" not in named(body)[0][1].replace(str(secret), "")


def test_is_bounded_and_names_each_page_once() -> None:
    items = "".join(f"<item><link>/{i // 2}</link></item>" for i in range(3 * MAX_ENTRIES))
    assert len(set(named(f"<rss>{items}</rss>"))) == len(named(f"<rss>{items}</rss>")) == MAX_ENTRIES


@given(st.one_of(st.binary(max_size=200), st.binary(max_size=80).map(lambda junk: RDF.encode()[:250] + junk),
                 st.text(max_size=80).map(lambda junk: JSON.encode()[:130] + junk.encode())))  # fmt: skip
def test_no_bytes_crash_it(body: bytes) -> None:
    assert all(url.startswith(("http://", "https://")) for url, _, _ in named(body))
