"""URLs are parsed as browsers do, and written one way."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.urls import MAX_URL, BadUrl, absolute, canonical, host, is_trap, origin, parse
from tests.crawler.hostile import VECTORS
from tests.tables import each_row

WPT = [
    case for case in json.loads((VECTORS / "urls-wpt" / "urltestdata-http.json").read_text()) if isinstance(case, dict)
]


def test_every_http_case_of_the_web_platform_tests_is_parsed_or_refused_as_it_says() -> None:
    wrong = []
    for case in WPT:
        expected = case["href"] if case.get("protocol") in ("http:", "https:") else None
        try:
            found = parse(case["input"], case.get("base") or "").href
        except BadUrl:
            found = None
        if found != expected:
            wrong.append((case["input"], expected, found))
    assert wrong == []
    assert len(WPT) == 469


@each_row(
    ("url", "expected"),
    [
        ("HTTP://Example.ORG:80/a/../b/./c", "http://example.org/b/c"),
        ("https://example.org:443", "https://example.org/"),
        ("https://example.org:8443/", "https://example.org:8443/"),
        ("https://example.org/a#part", "https://example.org/a"),
        ("https://example.org/a?", "https://example.org/a"),
        ("https://example.org/a?b=1&utm_source=x&UTM_Medium=y&c", "https://example.org/a?b=1&c"),
        ("https://example.org/a?gclid=1&fbclid=2&msclkid=3", "https://example.org/a"),
        ("https://example.org/a?gclid_is_mine=1&source=utm_x", "https://example.org/a?gclid_is_mine=1&source=utm_x"),
        ("https://example.org/a?q=%75tm_source&b=%2F", "https://example.org/a?q=utm_source&b=%2F"),
        ("https://example.org/a?%75tm_source=x&b", "https://example.org/a?b"),
        # letters, digits and -._~ are not escaped, other escapes are in upper case (RFC 3986, 6.2.2)
        ("https://example.org/%68r/%7ebob/%2e%2E/gr%c3%b6%c3%9fe", "https://example.org/hr/gr%C3%B6%C3%9Fe"),
        ("https://example.org/a%2fb/%5c%3f%25%32%46", "https://example.org/a%2Fb/%5C%3F%252F"),
        ("https://example.org/100%/%%34%31", "https://example.org/100%/%%341"),  # no new escape comes of it
        ("https://Example.ORG./a", "https://example.org/a"),
        ("https://example.org..:8443/", "https://example.org:8443/"),
        ("https://example.org//a///b", "https://example.org//a///b"),  # servers may tell them apart
        ("https://bücher.example/straße", "https://xn--bcher-kva.example/stra%C3%9Fe"),
        ("https://ⓔxample.org/", "https://example.org/"),
        ("  https://example.org/ ", "https://example.org/"),
        ("https://example.org/a???b", "https://example.org/a???b"),  # a query may begin with a question mark
        ("http://0x7f.1/", "http://127.0.0.1/"),  # so that the guard sees it
    ],
)
def test_a_canonical_url(url: str, expected: str) -> None:
    assert canonical(url) == expected


@pytest.mark.parametrize(
    ("url", "base", "expected"),
    [
        ("../b?x=1#y", "https://example.org/a/c/", "https://example.org/a/b?x=1"),
        ("//other.example/", "https://example.org/", "https://other.example/"),
        ("?page=2", "https://example.org/a", "https://example.org/a?page=2"),
        ("", "https://example.org/a?x#y", "https://example.org/a?x"),
        ("https:b", "https://example.org/a/", "https://example.org/a/b"),
    ],
)
def test_links_are_relative_to_their_page(url: str, base: str, expected: str) -> None:
    assert canonical(url, base) == expected


def test_what_a_server_is_asked_for_keeps_every_parameter() -> None:
    assert absolute("https://example.org/a?utm_source=x&#b") == "https://example.org/a?utm_source=x&"


@each_row(
    "url",
    [
        "",
        "/a",
        "example.org",
        "mailto:a@example.org",
        "javascript:alert(1)",
        "ftp://example.org/",
        "file:///etc/passwd",
        "http://",
        "https://exa mple.org/",
        "https://example.org:99999/",
        "http://[::1",
        "http://1.2.3.4.5/",
        "http://xn--pokxncvks/",  # punycode for what no name may hold
        "http://\ud800/",
        "http://./",
        "http://.0../",  # no host without its last dots
        "https://example.org/wiki/..%2fhr",  # where only the server sees a step out of the folder
        "https://example.org/wiki/%2e%2e%5Chr",
        "https://example.org/wiki/x%2f%2e%2e%2fhr",
        "https://example.org/wiki/..;a=b/hr",
        "https://example.org/" + "a" * MAX_URL,
        "https://example.org/" + "ä" * 1000,  # too long only once percent-encoded
    ],
)
def test_what_is_no_http_url_is_refused(url: str) -> None:
    with pytest.raises(BadUrl):
        canonical(url)


def test_origin_and_host() -> None:
    assert origin("HTTPS://Example.org:443/a?b#c") == "https://example.org"
    assert origin("http://example.org:8080/") == "http://example.org:8080"
    assert origin("http://[0:0::1]:80/") == "http://[::1]"
    assert host("https://user@EXAMPLE.org:8443/a") == "example.org"
    assert host("http://[::1]:8000/") == "[::1]"


@each_row(
    ("url", "expected"),
    [
        ("https://example.org/2024/01/01/a-page", False),
        ("https://example.org/a/b/a/b/", False),
        ("https://example.org/a/b/a/b/a/b/", True),
        ("https://example.org/" + "/".join(map(str, range(16))), False),
        ("https://example.org/" + "/".join(map(str, range(17))), True),
        ("https://example.org/?" + "a" * MAX_URL, True),
    ],
)
def test_traps(url: str, expected: bool) -> None:
    assert is_trap(url) is expected


URLISH = st.one_of(
    st.text(),
    st.text(alphabet="htps:/@\\?#%[]0123456789abcx.-_&=\t\n é").map(lambda text: f"http://a.example/{text}"),
    st.text(alphabet="0123456789abcx.:@[]%-é").map(lambda text: f"https://{text}"),
)


@given(URLISH, URLISH)
def test_any_text_is_refused_or_becomes_a_url_that_stays_the_same(url: str, base: str) -> None:
    for text, other in ((url, ""), (url, base)):
        try:
            once = canonical(text, other)
        except BadUrl:
            continue
        assert canonical(once) == once
        assert once.isascii()
        assert len(once) <= MAX_URL
        assert "#" not in once
        assert host(once) in once
        is_trap(once)
