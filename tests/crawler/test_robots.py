"""robots.txt is read as RFC 9309 says, and as leniently as the large search engines do."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.robots import (
    ALLOW_ALL,
    DISALLOW_ALL,
    MAX_BYTES,
    from_response,
    parse,
)
from tests.crawler.hostile import VECTORS
from tests.tables import each_row

GOOGLE = json.loads((VECTORS / "robots-google" / "robots_test_vectors.json").read_text())

#: what google's matcher leaves to its caller, and we do for ours: an agent's name is cut to its product token, and a
#: URL is percent-encoded before it is compared
CALLERS_CONTRACT = {
    ("RobotsUnittest, GoogleOnly_AcceptUserAgentUpToFirstSpace", "Foo Bar", "http://foo.bar/x/y"),
    ("RobotsUnittest, ID_Encoding", "FooBot", "http://foo.bar/foo/bar/ツ"),
}


def test_googles_cases_are_decided_as_google_decides_them() -> None:
    wrong = [
        case for case in GOOGLE if parse(case["robots"].encode()).allows(case["url"], case["agent"]) != case["allowed"]
    ]
    assert {(case["test"], case["agent"], case["url"]) for case in wrong} == CALLERS_CONTRACT
    assert (len(GOOGLE), len(wrong)) == (140, 3)


RFC = b"""User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
"""


@each_row(
    ("agent", "path", "allowed"),
    [
        ("anybot", "/a.gif", False),
        ("anybot", "/a.gif?b", True),
        ("anybot", "/example/", False),
        ("anybot", "/publications/", True),
        ("foobot", "/", False),
        ("foobot", "/example/page.html", True),
        ("FooBot/2.1 (+https://foo.example)", "/example/allowed.gif", True),
        ("foobot", "/publications/", False),
        ("barbot", "/example/page.html", False),
        ("bazbot", "/example/page.html", False),
        ("bazbot", "/example/allowed.gif", True),
        ("quxbot", "/example/", True),  # a group without rules allows all
    ],
)
def test_the_rfcs_example(agent: str, path: str, allowed: bool) -> None:
    assert parse(RFC).allows(f"https://example.org{path}", agent) is allowed


@each_row(
    ("pattern", "path", "matches"),
    [
        ("/", "/a", True),
        ("/fish", "/fishheads?id=1", True),
        ("/fish", "/Fish.asp", False),
        ("/fish*", "/fish", True),
        ("/fish/", "/fish", False),
        ("/*.php", "/a/b.php?c", True),
        ("/*.php$", "/a/b.php?c", False),
        ("/*.php$", "/a.php/b.php", True),
        ("/fish*.php", "/fishheads/catfish.php?p", True),
        ("/a$", "/a", True),
        ("/a$", "/ab", False),
        ("/a$b", "/a$b", True),  # a "$" within is itself
        ("/a*", "/", False),
        ("*/b", "/a/b", True),
        ("/a**b", "/a/b", True),
        ("/*a*a$", "/a", False),
        ("/ab*ba$", "/aba", False),  # the pieces do not overlap
        ("/%7Ea", "/%7ea", True),
        ("/%7Ea", "/~a", True),  # RFC 9309 §2.2.2: an escaped unreserved character is the character
        ("/~a", "/%7Ea", True),
        ("/a%2Ab", "/a*b", False),  # a reserved one is not
        ("/straße", "/stra%C3%9Fe", True),
        ("/a?b=*&c", "/a?b=1&c=2", True),
        ("$", "", False),
    ],
)
def test_patterns(pattern: str, path: str, matches: bool) -> None:
    robots = parse(f"User-agent: *\nDisallow: {pattern}\n".encode())
    assert robots.allows(f"https://example.org{path}", "anybot") is not matches


def test_the_longest_pattern_decides_and_of_equals_the_one_that_allows() -> None:
    robots = parse(b"User-agent: *\nDisallow: /a/b\nAllow: /a\nDisallow: /c\nAllow: /c\n")
    assert robots.allows("https://example.org/a/x", "x")
    assert not robots.allows("https://example.org/a/b", "x")
    assert robots.allows("https://example.org/c", "x")


def test_groups_of_one_agent_are_joined_and_an_own_group_replaces_the_general_one() -> None:
    robots = parse(b"User-agent: a\nDisallow: /x\n\nUser-agent: *\nDisallow: /\n\nUser-agent: A\nDisallow: /y\n")
    assert not robots.allows("https://example.org/x", "a")
    assert not robots.allows("https://example.org/y", "a")
    assert robots.allows("https://example.org/z", "a")
    assert not robots.allows("https://example.org/z", "b")


def test_delays_and_sitemaps() -> None:
    robots = parse(
        b"Sitemap: https://example.org/a.xml\nUser-agent: slow\nCrawl-delay: 2.5\nDisallow: /x\n"
        b"User-agent: *\nCrawl-delay: 1\nsite-map: /b.xml\nUser-agent: odd\nCrawl-delay: nan\nCrawl-delay: -1\n"
        b"Crawl-delay: inf\nCrawl-delay: soon\nUser-agent: plain\nDisallow: /\n"
    )
    assert robots.sitemaps == ("https://example.org/a.xml", "/b.xml")
    assert robots.delay_s("slow/1.0") == 2.5
    assert robots.delay_s("anybot") == 1.0
    assert robots.delay_s("odd") is None
    assert robots.delay_s("plain") is None


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends(encoding: str, newline: str) -> None:
    robots = parse(newline.join(["User-agent: *", "Disallow: /geheim ", "# Ende"]).encode(encoding))
    assert not robots.allows("https://example.org/geheim", "x")
    assert robots.allows("https://example.org/", "x")


@each_row(
    ("status", "allowed", "is_temporary"),
    [
        *((200, False, False), (304, True, False), (301, True, False), (401, True, False), (403, True, False)),
        *((404, True, False), (429, False, True), (500, False, True), (503, False, True), (0, False, True)),
    ],
)
def test_what_the_answer_for_robots_txt_means(status: int, allowed: bool, is_temporary: bool) -> None:
    robots = from_response(status, b"User-agent: *\nDisallow: /private\n")
    assert robots.allows("https://example.org/private", "x") is allowed
    assert robots.is_temporary is is_temporary


def test_an_unavailable_file_allows_all_and_an_unreachable_one_nothing() -> None:
    assert ALLOW_ALL.allows("https://example.org/", "x")
    assert not DISALLOW_ALL.allows("https://example.org/", "x")


def test_only_the_first_500_kib_count() -> None:
    body = b"User-agent: *\nDisallow: /a\n" + b"#" * MAX_BYTES + b"\nDisallow: /b\n"
    robots = parse(body)
    assert not robots.allows("https://example.org/a", "x")
    assert robots.allows("https://example.org/b", "x")


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    "body",
    [
        b"User-agent: *\nDisallow: " + b"*a" * (MAX_BYTES // 2),
        b"User-agent: *\n" + b"Disallow: /" + b"*a" * 800 + b"b\n" + (b"Disallow: /*a*a*a*a*b$\n" * 21_000),
        b"".join(b"User-agent: a%d\n" % n for n in range(15_000)) + b"Disallow: /\n" * 20_000,
        b"User-agent: x\n" * 36_000,
        (b"User-agent: x\nCrawl-delay: 1\nDisallow: /\n" * 12_000),
        b"\r" * MAX_BYTES,
        b"%" * MAX_BYTES,
    ],
    ids=["stars", "backtracking", "agents times rules", "one agent", "groups", "empty lines", "percent signs"],
)
def test_time_is_bounded_whatever_the_file_says(body: bytes) -> None:
    parse(body).allows("https://example.org/" + "a" * 2000, "x")


ROBOTISH = st.lists(
    st.tuples(
        st.sampled_from([b"User-agent", b"Allow", b"Disallow", b"Crawl-delay", b"Sitemap", b"disalow", b"x"]),
        st.sampled_from([b":", b" ", b" : ", b""]),
        st.one_of(st.binary(max_size=10), st.text(alphabet="/*$a%7e?#é ", max_size=10).map(str.encode)),
    ).map(b"".join)
).map(b"\n".join)


@given(st.one_of(st.binary(max_size=300), ROBOTISH), st.text(), st.text())
def test_no_bytes_are_an_error(body: bytes, url: str, agent: str) -> None:
    robots = parse(body)
    assert robots.allows(url, agent) in (True, False)
    delay_s = robots.delay_s(agent)
    assert delay_s is None or delay_s >= 0


@given(st.text(alphabet="ab*", max_size=8), st.text(alphabet="ab", max_size=10), st.booleans())
def test_matching_agrees_with_trying_every_way(pattern: str, path: str, ends: bool) -> None:
    robots = parse(f"User-agent: *\nDisallow: /{pattern}{'$' if ends else ''}\n".encode())
    assert robots.allows(f"https://example.org/{path}", "x") is not _tries(pattern, path, ends)


def _tries(pattern: str, path: str, ends: bool) -> bool:
    if not pattern:
        return not ends or not path
    if pattern[0] == "*":
        return any(_tries(pattern[1:], path[at:], ends) for at in range(len(path) + 1))
    return bool(path) and path[0] == pattern[0] and _tries(pattern[1:], path[1:], ends)
