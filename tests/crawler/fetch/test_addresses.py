"""Which address is connected to: resolved once, checked, and verified by its certificate."""

import asyncio
import ssl
from collections.abc import Sequence
from dataclasses import replace

import pytest

from crawler.fetch.guard import Blocked, Guard
from crawler.fetch.response import FetchTimeout, HostUnreachable, NotTrusted
from tests.crawler.fetch.client import LIMITS, LoopbackIsPublic, Rebinding, client, run
from tests.crawler.hostile import (
    CERTIFICATE,
    answer,
    closing,
    redirect,
    serving,
)
from tests.crawler.recorder import connections


def test_the_systems_resolver_is_asked_and_every_address_tried() -> None:
    async def scenario() -> None:
        async with serving(answer()) as site:
            guard = Guard(own_sites=frozenset({("localhost", site.port)}))
            async with client(guard=guard) as web:
                assert (await web.get(site.url(host="localhost"))).status == 200

    run(scenario())


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://127.0.0.1:1/", "port 1"),
        ("gopher://example.com/", "not an http"),
        ("not a url", "percent-encoded"),
        ("", "not a URL"),
        ("https://" + "a" * 3000 + ".com/", "characters"),
        ("http://user:password@example.com/", "user name or password"),
    ],
)
def test_a_url_that_may_not_be_fetched_is_refused_with_the_reason(url: str, says: str) -> None:
    async def scenario() -> None:
        async with client() as web:
            with pytest.raises(Blocked, match=says) as raised:
                await web.get(url)
            assert "password@" not in str(raised.value)

    run(scenario())


def test_a_closed_port_is_unreachable() -> None:
    async def scenario() -> None:
        async with serving(answer()) as site:
            pass
        async with client(site) as web:
            with pytest.raises(HostUnreachable, match=r"127\.0\.0\.1"):
                await web.get(site.url())

    run(scenario())


def test_a_name_that_resolves_to_loopback_is_refused_without_a_connection() -> None:
    async def scenario() -> None:
        async with serving(answer()) as canary:
            guard = Guard(ports=frozenset({canary.port}))
            for answers in (
                ["127.0.0.1"],
                ["1.1.1.1", "127.0.0.1"],
                ["::1"],
                ["::ffff:127.0.0.1"],
                ["64:ff9b::7f00:1"],
            ):
                async with client(guard=guard, resolver=Rebinding(answers)) as web:
                    with connections() as made, pytest.raises(Blocked, match="not a public address"):
                        await web.get(canary.url(host="canary.example"))
                    assert made == []
            assert canary.connections == 0

    run(scenario())


def test_a_name_is_resolved_once_and_the_checked_address_is_the_one_connected_to() -> None:
    async def scenario() -> None:
        async with serving(closing(answer(headers="Connection: close\r\n"))) as site:
            resolver = Rebinding(["127.0.0.1"], ["127.0.0.2"])  # the first stands for a public address
            guard = LoopbackIsPublic(ports=frozenset({site.port}))
            async with client(guard=guard, resolver=resolver) as web:
                with connections() as made:
                    assert (await web.get(site.url(host="rebind.example"))).status == 200
                    assert (made, resolver.asked) == ([("127.0.0.1", site.port)], 1)
                    with pytest.raises(Blocked, match=r"127\.0\.0\.2"):
                        await web.get(site.url(host="rebind.example"))
                    assert (made, resolver.asked) == ([("127.0.0.1", site.port)], 2)

    run(scenario())


def test_a_resolver_that_hangs_or_fails_ends_in_time() -> None:
    async def hang(host: str, port: int) -> Sequence[str]:
        await asyncio.sleep(3600)
        return []

    async def fail(host: str, port: int) -> Sequence[str]:
        raise OSError("no such host")

    async def nothing(host: str, port: int) -> Sequence[str]:
        return []

    async def scenario() -> None:
        for resolver, error, says in (
            (hang, FetchTimeout, "not resolved in 0.2 s"),
            (fail, HostUnreachable, "no such host"),
            (nothing, HostUnreachable, "no address"),
        ):
            async with client(resolver=resolver, limits=replace(LIMITS, deadline_s=60.0)) as web:
                with pytest.raises(error, match=rf"slow\.example.* {says}"):
                    await web.get("http://slow.example/")

    run(scenario())


def test_a_redirect_from_the_web_into_an_own_site_is_refused() -> None:
    source = Guard().check("https://example.com/")
    own = Guard(own_sites=frozenset({("127.0.0.1", 8000)})).check("http://127.0.0.1:8000/")
    assert (source.own, own.own) == (False, True)

    async def scenario() -> None:
        async with serving(answer()) as own_site, serving(redirect(own_site.url("/admin"))) as web_site:
            # the second site stands for the web: reached through the resolver, at an address made public here
            web_guard = LoopbackIsPublic(ports=frozenset({web_site.port}), own_sites=frozenset({own_site.hole}))
            async with client(guard=web_guard, resolver=Rebinding(["127.0.0.1"])) as web:
                assert (await web.get(own_site.url())).status == 200
                with pytest.raises(Blocked, match="into your own site"):
                    await web.get(web_site.url(host="web.example"))
            assert len(own_site.requests) == 1

    run(scenario())


def test_tls_is_verified_by_name_though_the_address_is_pinned() -> None:
    trusting = ssl.create_default_context(cafile=str(CERTIFICATE))

    async def scenario() -> None:
        async with serving(answer(), tls=True) as site:
            url = f"https://localhost:{site.port}/"
            holes = frozenset({("localhost", site.port), ("other.example", site.port)})
            guard = Guard(own_sites=holes)
            resolver = Rebinding(["127.0.0.1"])
            async with client(guard=guard, resolver=resolver, ssl_context=trusting) as web:
                assert (await web.get(url)).status == 200
                with pytest.raises(HostUnreachable, match="certificate"):
                    await web.get(f"https://other.example:{site.port}/")
            async with client(guard=guard, resolver=resolver) as web:
                with pytest.raises(
                    NotTrusted, match=r"certificate verify failed: self-signed certificate\. Name its CA"
                ):
                    await web.get(url)

    run(scenario())


def test_https_to_a_server_that_speaks_plain_http_is_unreachable() -> None:
    async def scenario() -> None:
        async with serving(answer()) as site, client(site, limits=LIMITS) as web:
            with pytest.raises((HostUnreachable, FetchTimeout)):
                await web.get(f"https://127.0.0.1:{site.port}/")

    run(scenario())


def test_a_redirect_from_https_to_http_is_refused() -> None:
    trusting = ssl.create_default_context(cafile=str(CERTIFICATE))

    async def scenario() -> None:
        async with serving(answer()) as plain, serving(redirect(plain.url()), tls=True) as site:
            guard = Guard(own_sites=frozenset({("localhost", site.port), plain.hole}))
            async with client(guard=guard, ssl_context=trusting) as web:
                with pytest.raises(Blocked, match="from https"):
                    await web.get(f"https://localhost:{site.port}/")
            assert plain.connections == 0

    run(scenario())
