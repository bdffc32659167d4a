"""No address of an inner network is let through, however it is written or resolved."""

import asyncio
import ipaddress
import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.fetch.client import Fetcher
from crawler.fetch.guard import Blocked, Guard, NotPublic, allowlist_entry
from crawler.fetch.response import Limits
from tests.crawler.hostile import VECTORS, answer, serving
from tests.crawler.recorder import connections

PAYLOADS: list[str] = json.loads((VECTORS / "ssrf" / "payloads_all_the_things_urls.json").read_text())

#: ways to write a URL of an inner network; {port} is a port that the guard admits and a server listens on
HOSTILE_URLS = [
    # loopback, plainly and in every notation of IPv4
    "http://127.0.0.1:{port}/",
    "http://127.1:{port}/",
    "http://127.0.1:{port}/",
    "http://2130706433:{port}/",
    "http://0x7f000001:{port}/",
    "http://0x7f.0x0.0x0.0x1:{port}/",
    "http://0177.0.0.1:{port}/",
    "http://017700000001:{port}/",
    "http://127.0.0.1.:{port}/",
    "http://127.127.127.127:{port}/",
    "http://0.0.0.0:{port}/",
    "http://0:{port}/",
    "http://①②⑦.⓪.⓪.①:{port}/",
    "http://127。0。0。1:{port}/",
    "http://%31%32%37.0.0.1:{port}/",
    "http://127.0.0.1%2f:{port}/",
    "http://00000000177.0.0.1:{port}/",
    # loopback by name
    "http://localhost:{port}/",
    "http://LOCALHOST.:{port}/",
    "http://app.localhost:{port}/",
    "http://localhost.localdomain:{port}/",
    "http://canary:{port}/",
    "http://canary.local:{port}/",
    "http://canary.internal:{port}/",
    "http://canary.home.arpa:{port}/",
    "http://ⓛocalhost:{port}/",
    "http://kubernetes.default.svc:{port}/",
    "http://127.0.0.1.nip.example:{port}/",  # a public name that resolves to loopback
    "http://canary.example:{port}/",
    "http://canary.example.:{port}/",
    # IPv6, and the IPv4 within it
    "http://[::1]:{port}/",
    "http://[0:0:0:0:0:0:0:1]:{port}/",
    "http://[::]:{port}/",
    "http://[::127.0.0.1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::ffff:7f00:1]:{port}/",
    "http://[0:0:0:0:0:ffff:127.0.0.1]:{port}/",
    "http://[::ffff:0:127.0.0.1]:{port}/",
    "http://[64:ff9b::127.0.0.1]:{port}/",
    "http://[64:ff9b::7f00:1]:{port}/",
    "http://[64:ff9b:1::7f00:1]:{port}/",
    "http://[2002:7f00:1::]:{port}/",
    "http://[2001:0:7f00:1::]:{port}/",
    "http://[2a00:1450::5efe:7f00:1]:{port}/",
    "http://[fe80::1]:{port}/",
    "http://[fe80::1%25lo]:{port}/",
    "http://[fec0::1]:{port}/",
    "http://[fc00::1]:{port}/",
    "http://[ff02::1]:{port}/",
    "http://[100::1]:{port}/",
    "http://[2001:db8::1]:{port}/",
    "http://[5f00::1]:{port}/",
    # private, shared, link-local, reserved
    "http://10.0.0.1:{port}/",
    "http://172.16.0.1:{port}/",
    "http://172.31.255.255:{port}/",
    "http://192.168.0.1:{port}/",
    "http://100.64.0.1:{port}/",
    "http://169.254.0.1:{port}/",
    "http://198.18.0.1:{port}/",
    "http://192.0.2.1:{port}/",
    "http://224.0.0.1:{port}/",
    "http://255.255.255.255:{port}/",
    # clouds' metadata services
    "http://169.254.169.254:{port}/latest/meta-data/",
    "http://169.254.170.2:{port}/v2/credentials",
    "http://100.100.100.200:{port}/latest/meta-data/",
    "http://192.0.0.192:{port}/latest/",
    "http://168.63.129.16:{port}/machine",
    "http://[fd00:ec2::254]:{port}/latest/meta-data/",
    "http://[::ffff:a9fe:a9fe]:{port}/",
    "http://metadata.google.internal:{port}/",
    "http://metadata:{port}/",
    # parsers that disagree about the host
    "http://example.com@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}\\@example.com/",
    "http://example.com\\@127.0.0.1:{port}/",
    "http://example.com#@127.0.0.1:{port}/",
    "http://example.com:80@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}:80/",
    "http://127.0.0.1\t:{port}/",
    "http://127.0.0.1:{port}\r\n/",
    "http:\\\\127.0.0.1:{port}\\",
    "http:127.0.0.1:{port}/",
    "http:///127.0.0.1:{port}/",
    "http://[::1]@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}?@example.com/",
    "//127.0.0.1:{port}/",
    # other schemes
    "gopher://127.0.0.1:{port}/_GET",
    "file:///etc/passwd",
    "ftp://127.0.0.1:{port}/",
    "unix:///var/run/docker.sock",
    "ws://127.0.0.1:{port}/",
    "data:text/html,hello",
]


async def to_loopback(host: str, port: int) -> Sequence[str]:
    return ["127.0.0.1"]


async def blocked(urls: Sequence[str], guard: Guard) -> list[str]:
    """The URLs that did not end in Blocked."""
    passed = []
    async with Fetcher(guard=guard, limits=Limits(deadline_s=2.0), user_agent="t", resolver=to_loopback) as web:
        for url in urls:
            try:
                await web.get(url)
            except Blocked:
                continue
            passed.append(url)
    return passed


def test_none_of_our_hostile_urls_reaches_the_canary_or_makes_a_connection() -> None:
    async def scenario() -> None:
        async with serving(answer()) as canary:
            urls = [url.replace("{port}", str(canary.port)) for url in HOSTILE_URLS]
            with connections() as made:
                assert await blocked(urls, Guard(ports=frozenset({80, canary.port}))) == []
            assert made == []
            assert (canary.connections, canary.requests) == (0, [])
            # the canary sings where it may be reached, or the above would show nothing
            assert await blocked([urls[0]], Guard(own_sites=frozenset({canary.hole}))) == [urls[0]]
            assert canary.connections == 1

    asyncio.run(scenario())


def test_none_of_payloads_all_the_things_makes_a_connection() -> None:
    public = ["http://1.1.1.1"]  # the one address in the list that anybody may read
    assert Guard().check(public[0]).host == "1.1.1.1"

    async def scenario() -> None:
        with connections() as made:
            assert await blocked([url for url in PAYLOADS if url not in public], Guard()) == []
        assert made == []

    asyncio.run(scenario())
    assert len(PAYLOADS) == 142


@pytest.mark.parametrize(
    ("url", "host", "port", "path"),
    [
        ("https://example.com", "example.com", 443, "/"),
        ("http://example.com:8080/a?b=c#d", "example.com", 8080, "/a?b=c"),
        ("https://EXAMPLE.com./a%20b", "example.com.", 443, "/a%20b"),
        ("https://bücher.example/", "xn--bcher-kva.example", 443, "/"),
        ("http://8.8.8.8/", "8.8.8.8", 80, "/"),
        ("http://[2606:4700:4700::1111]/", "2606:4700:4700::1111", 80, "/"),
        ("https://a_b.example.co.uk/", "a_b.example.co.uk", 443, "/"),
        ("https://localhost.example.org/", "localhost.example.org", 443, "/"),
    ],
)
def test_the_public_web_is_let_through_and_taken_apart(url: str, host: str, port: int, path: str) -> None:
    target = Guard().check(url)
    assert (target.host, target.port, target.path, target.own) == (host, port, path, False)


def test_authority_is_what_the_host_header_says() -> None:
    check = Guard().check
    assert check("https://example.com:443/").authority == "example.com"
    assert check("https://example.com:8443/").authority == "example.com:8443"
    assert check("http://example.com:443/").authority == "example.com:443"
    assert check("http://[2606:4700:4700:0::1111]:8080/").authority == "[2606:4700:4700::1111]:8080"


@pytest.mark.parametrize("url", ["http://example.com:22/", "http://example.com:6379/", "https://example.com:0/"])
def test_ports_that_are_not_the_webs_are_refused(url: str) -> None:
    with pytest.raises(Blocked, match="port"):
        Guard().check(url)


def test_an_allowlist_entry_lets_one_host_and_port_through_and_no_other() -> None:
    own = frozenset(
        {
            allowlist_entry("http://127.0.0.1:8000/docs/"),
            allowlist_entry("http://wiki.corp/"),
            allowlist_entry("https://[::1]:9443"),
        }
    )
    guard = Guard(own_sites=own)
    assert own == {("127.0.0.1", 8000), ("wiki.corp", 80), ("::1", 9443)}
    for url in ("http://127.0.0.1:8000/", "http://wiki.corp/a", "https://[::1]:9443/"):
        assert guard.check(url).own
    assert guard.admit("wiki.corp", 80, ["10.1.2.3"]) == ("10.1.2.3",)
    for url in ("http://127.0.0.1:8001/", "http://127.0.0.2:8000/", "https://wiki.corp/", "http://localhost:8000/"):
        with pytest.raises(Blocked):
            guard.check(url)
    with pytest.raises(Blocked):
        guard.admit("127.0.0.1", 8001, ["127.0.0.1"])


@pytest.mark.parametrize(
    ("url", "is_private"),
    [
        ("http://10.0.0.1/", True),
        ("http://wiki.corp/", True),
        ("http://example.org:8123/", True),
        ("ftp://example.org/", False),
        ("http://user@10.0.0.1/", False),  # no setting lets a password through
    ],
)
def test_refusal_tells_what_an_operator_can_allow(url: str, is_private: bool) -> None:
    with pytest.raises(Blocked) as refusal:
        Guard().check(url)
    assert isinstance(refusal.value, NotPublic) == is_private


def test_an_allowed_site_written_in_disguise_is_refused() -> None:
    guard = Guard(own_sites=frozenset({("127.0.0.1", 8000)}))
    for url in ("http://127.1:8000/", "http://user@127.0.0.1:8000/", "http://127.0.0.1:8000\\@example.com/"):
        with pytest.raises(Blocked):
            guard.check(url)


@pytest.mark.parametrize(
    "text", ["", "localhost", "1.2.3", "1.2.3.4.5", "0x7f000001", "01.2.3.4", "fe80::1%eth0", "2606::1%1"]
)
def test_what_is_no_plain_address_is_not_public(text: str) -> None:
    assert not Guard().is_public(text)


def test_every_answer_of_the_resolver_must_be_public() -> None:
    guard = Guard()
    assert guard.admit("example.com", 443, ["8.8.8.8", "2606:4700::1"]) == ("8.8.8.8", "2606:4700::1")
    with pytest.raises(Blocked, match=r"10\.0\.0\.1"):
        guard.admit("example.com", 443, ["8.8.8.8", "10.0.0.1"])
    with pytest.raises(Blocked, match="port 22"):
        guard.admit("example.com", 22, ["8.8.8.8"])


def test_name_that_resolves_to_an_own_sites_address_is_not_that_site() -> None:
    guard = Guard(own_sites=frozenset({("10.0.0.5", 8080)}))
    assert guard.admit("10.0.0.5", 8080, ["10.0.0.5"]) == ("10.0.0.5",)
    assert not guard.check("http://x.example.com:8080/admin").own
    with pytest.raises(NotPublic, match=r"10\.0\.0\.5"):
        guard.admit("x.example.com", 8080, ["10.0.0.5"])


@given(st.ip_addresses(v=4))
def test_public_ipv4_is_public_however_ipv6_wraps_it_and_never_more_than_the_registry_says(
    address: ipaddress.IPv4Address,
) -> None:
    guard = Guard()
    public = guard.is_public(str(address))
    assert guard.is_public(f"::ffff:{address}") == public
    assert guard.is_public(str(ipaddress.IPv6Address((0x64FF9B << 96) | int(address)))) == public
    assert not guard.is_public(str(ipaddress.IPv6Address((0x2002 << 112) | (int(address) << 80))))
    if public:
        assert not any([address.is_private, address.is_loopback, address.is_link_local, address.is_multicast])


@given(st.ip_addresses(v=6))
def test_no_ipv6_address_that_the_registry_keeps_apart_is_public(address: ipaddress.IPv6Address) -> None:
    if Guard().is_public(str(address)) and address not in ipaddress.IPv6Network("64:ff9b::/96"):
        mapped = address.ipv4_mapped
        assert mapped is not None or not (address.is_private or address.is_reserved or address.is_multicast)
