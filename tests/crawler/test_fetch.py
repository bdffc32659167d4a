"""The client against real servers on loopback, most of them hostile."""

import asyncio
import gzip
import ssl
import time
import tracemalloc
import zlib
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from typing import Any

import brotli
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler import fetch
from crawler.fetch import ANY_TYPE, Blocked, Client, FetchError, FetchTimeout, Limits, NotText, TooLarge, Unreachable
from crawler.guard import Guard
from tests.crawler.hostile import (
    CERTIFICATE,
    HOSTILE,
    Behaviour,
    Site,
    answer,
    closing,
    connections,
    encoded,
    raw,
    redirect,
    routed,
    serving,
    stall,
)

LIMITS = Limits(deadline_s=0.4, connect_s=0.3, dns_s=0.2, max_wire=2_000_000, max_body=4_000_000)
GENEROUS = Limits(deadline_s=10.0)
SYSTEM_TRUST = ssl.create_default_context()


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(coroutine)


def client(*sites: Site, limits: Limits = GENEROUS, **more: Any) -> Client:
    more.setdefault("ssl_context", SYSTEM_TRUST)
    more.setdefault("guard", Guard(own_sites=frozenset(site.hole for site in sites)))
    return Client(limits=limits, user_agent="wellread-test/1.0", **more)


async def got(behaviour: Behaviour, path: str = "/", *, limits: Limits = GENEROUS, **asked: Any) -> fetch.Fetched:
    async with serving(behaviour) as site, client(site, limits=limits) as web:
        return await web.get(site.url(path), **asked)


@pytest.mark.parametrize(("what", "behaviour", "error"), HOSTILE, ids=[row[0] for row in HOSTILE])
def test_a_server_that(what: str, behaviour: Behaviour, error: str) -> None:
    # only who waits for the deadline gets a short one: a busy machine must not turn another error into a timeout
    limits = LIMITS if error == "FetchTimeout" else replace(LIMITS, deadline_s=10.0)
    started = time.monotonic()
    with pytest.raises(getattr(fetch, error)) as raised:
        run(got(behaviour, limits=limits))
    assert time.monotonic() - started < limits.deadline_s + 1.0
    assert "http://127.0.0.1:" in str(raised.value)


@pytest.mark.parametrize("what", [row[0] for row in HOSTILE if row[2] == "TooLarge"])
def test_memory_is_bounded_by_the_limits_when_a_server(what: str) -> None:
    behaviour = next(row[1] for row in HOSTILE if row[0] == what)
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge):
            run(got(behaviour, limits=replace(LIMITS, deadline_s=20.0)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 25_000_000


def test_a_page_comes_with_its_headers_in_lower_case_and_its_type_without_parameters() -> None:
    fetched = run(got(answer(b"<p>hi</p>", kind="Text/HTML; charset=utf-8", headers="X-One: a\r\nx-ONE: b\r\n")))
    assert (fetched.status, fetched.body, fetched.content_type) == (200, b"<p>hi</p>", "text/html")
    assert fetched.headers["x-one"] == "a, b"
    assert fetched.hops == ()
    assert 0 < fetched.elapsed_s < 10


@pytest.mark.parametrize(
    ("encoding", "squeeze"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", lambda body: zlib.compress(body)[2:-4]),  # the bare stream, as old servers send it
        ("br", brotli.compress),
        ("identity", bytes),
    ],
)
def test_bodies_are_decoded(encoding: str, squeeze: Any) -> None:
    body = b"<p>Der Hund, der bellt, bei\xc3\x9ft nicht.</p>" * 500
    assert run(got(encoded(squeeze(body), encoding))).body == body


@pytest.mark.parametrize(
    "status", ["304 Not Modified", "404 Not Found", "410 Gone", "429 Slow", "500 Oops", "503 Busy"]
)
def test_every_status_is_an_answer(status: str) -> None:
    head = f'HTTP/1.1 {status}\r\nContent-Length: 0\r\nRetry-After: 7\r\nETag: W/"1"\r\n\r\n'.encode()
    fetched = run(got(raw(head)))
    assert fetched.status == int(status[:3])
    assert fetched.headers["retry-after"] == "7"


def test_an_error_answer_that_cannot_be_read_is_still_an_answer() -> None:
    fetched = run(
        got(answer(b"\x89PNG", status="404 Not Found", kind="image/png", headers="Content-Encoding: zstd\r\n"))
    )
    assert (fetched.status, fetched.body) == (404, b"")


def test_redirects_are_followed_and_remembered() -> None:
    routes = {"/a": redirect("/b?x=1#part", 301), "/b?x=1": redirect("c", 307), "/c": answer()}

    async def scenario() -> None:
        async with serving(routed(routes)) as site, client(site) as web:
            fetched = await web.get(site.url("/a"))
            assert fetched.url == site.url("/c")
            assert [(hop.status, hop.url) for hop in fetched.hops] == [(301, site.url("/a")), (307, site.url("/b?x=1"))]

    run(scenario())


def test_headers_meant_for_one_url_are_not_sent_to_where_it_redirects() -> None:
    async def scenario() -> None:
        routes = {"/a": redirect("/b"), "/b": answer()}
        async with serving(routed(routes)) as site, client(site) as web:
            await web.get(site.url("/a"), headers={"Authorization": "Bearer secret", "If-None-Match": '"1"'})
            first, second = site.requests
            assert "secret" in first
            assert '"1"' in first
            assert "secret" not in second
            assert '"1"' not in second
            assert "user-agent: wellread-test/1.0" in second.lower()

    run(scenario())


def test_no_cookie_is_kept() -> None:
    async def scenario() -> None:
        async with serving(answer(headers="Set-Cookie: a=b; Path=/\r\n")) as site, client(site) as web:
            await web.get(site.url())
            await web.get(site.url())
            assert not any("cookie" in request.lower() for request in site.requests)

    run(scenario())


def test_connections_are_kept_and_used_again() -> None:
    async def scenario() -> None:
        async with serving(answer()) as site, client(site) as web:
            for _ in range(20):
                await web.get(site.url())
            assert (len(site.requests), site.connections) == (20, 1)

    run(scenario())


def test_unchanged_pages_and_errors_keep_their_connection_too() -> None:
    async def scenario() -> None:
        head = "HTTP/1.1 {}\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n"
        routes = {
            "/same": raw(head.format("304 Not Modified", 4711).encode()),
            "/gone": answer(b"<p>gone</p>", status="410 Gone"),
            "/none": raw(b"HTTP/1.1 204 No Content\r\n\r\n"),
        }
        async with serving(routed(routes)) as site, client(site) as web:
            for path in [*routes, *routes]:
                await web.get(site.url(path))
            assert (len(site.requests), site.connections) == (6, 1)

    run(scenario())


def test_the_systems_resolver_is_asked_and_every_address_tried() -> None:
    async def scenario() -> None:
        async with serving(answer()) as site:
            guard = Guard(own_sites=frozenset({("localhost", site.port)}))
            async with client(guard=guard) as web:
                assert (await web.get(site.url(host="localhost"))).status == 200

    run(scenario())


def test_a_webhook_that_answers_nonsense_has_still_been_delivered() -> None:
    async def scenario() -> None:
        async with serving(encoded(b"?", "zstd")) as site, client(site) as web:
            fetched = await web.post(site.url(), body=b"")
            assert (fetched.status, fetched.body) == (200, b"")

    run(scenario())


STARTS = [b"HTTP/1.1 200 OK", b"HTTP/1.0 302 x", b"HTTP/1.1 404", b"HTTP/9.9 999 x", b"HTTP/1.1 101 x", b""]
LINES = [
    *(b"Location: /a", b"Location: //b", b"Location: \xff", b"Content-Length: 5", b"Transfer-Encoding: chunked"),
    *(b"Content-Encoding: gzip", b"Content-Encoding: br", b"Content-Type: \xe9", b"Connection: upgrade"),
    *(b"5", b"hello", b"0", b"", b":"),
]
HTTPISH = st.builds(
    lambda start, lines: b"\r\n".join([start, *lines]),
    st.sampled_from(STARTS),
    st.lists(st.sampled_from(LINES) | st.binary(max_size=8), max_size=12),
)


@settings(max_examples=80, deadline=None)
@given(HTTPISH)
def test_whatever_bytes_a_server_sends_there_is_an_answer_or_a_fetch_error(data: bytes) -> None:
    try:
        fetched = run(got(closing(raw(data)), limits=LIMITS, accept=ANY_TYPE))
    except FetchError:
        return
    assert len(fetched.body) <= LIMITS.max_body


def test_a_kept_connection_that_died_is_replaced_unnoticed() -> None:
    async def scenario() -> None:
        requests = 0

        async def dying(head: str, writer: asyncio.StreamWriter) -> None:
            nonlocal requests
            requests += 1
            # the second request of a connection is taken and never answered, as by a server that restarts
            await (answer() if requests != 2 else closing(raw(b"")))(head, writer)

        async with serving(dying) as site, client(site) as web:
            assert (await web.get(site.url())).status == 200
            assert (await web.get(site.url())).status == 200
            assert (requests, site.connections) == (3, 2)

    run(scenario())


def test_a_server_that_breaks_off_at_once_is_not_asked_again() -> None:
    async def scenario() -> None:
        async with serving(closing(raw(b""))) as site, client(site) as web:
            with pytest.raises(Unreachable):
                await web.get(site.url())
            assert len(site.requests) == 1

    run(scenario())


def test_a_client_goes_on_after_every_kind_of_failure() -> None:
    async def scenario() -> None:
        routes = {"/stall": stall, "/zstd": encoded(b"?", "zstd"), "/loop": redirect("/loop"), "/ok": answer()}
        limits = replace(LIMITS, deadline_s=1.0)
        async with serving(routed(routes)) as site, client(site, limits=limits) as web:
            failures = await asyncio.gather(
                *(web.get(site.url(path)) for path in ("/stall", "/zstd", "/loop") for _ in range(5)),
                return_exceptions=True,
            )
            assert {type(failure) for failure in failures} == {FetchTimeout, NotText, Blocked}
            answers = await asyncio.gather(*(web.get(site.url("/ok")) for _ in range(20)))
            assert {fetched.status for fetched in answers} == {200}

    run(scenario())


def test_a_cancelled_fetch_leaves_the_client_working() -> None:
    async def scenario() -> None:
        async with serving(routed({"/stall": stall, "/ok": answer()})) as site, client(site) as web:
            fetching = asyncio.create_task(web.get(site.url("/stall")))
            await asyncio.sleep(0.05)
            fetching.cancel()
            with pytest.raises(asyncio.CancelledError):
                await fetching
            assert (await web.get(site.url("/ok"))).status == 200

    run(scenario())


def test_types_not_asked_for_are_refused_and_any_type_takes_all() -> None:
    image = answer(b"\x89PNG\r\n", kind="image/png")
    assert run(got(image, accept=ANY_TYPE)).body == b"\x89PNG\r\n"
    assert run(got(image, accept={"image/png"})).status == 200
    with pytest.raises(NotText, match="image/png"):
        run(got(image))


def test_a_post_sends_its_body_and_does_not_follow() -> None:
    async def scenario() -> None:
        received = b""

        async def record(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal received
            received = await reader.readuntil(b"done")
            writer.write(b"HTTP/1.1 307 Over there\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")
            writer.close()

        server = await asyncio.start_server(record, "127.0.0.1", 0)
        site = Site(port=server.sockets[0].getsockname()[1])
        async with server, client(site) as web:
            fetched = await web.post(site.url("/hook"), body=b"well done", headers={"X-Signature": "abc"})
        assert (fetched.status, fetched.hops) == (307, ())
        assert received.startswith(b"POST /hook HTTP/1.1\r\n")
        assert b"x-signature: abc\r\n" in received
        assert b"content-length: 9\r\n" in received

    run(scenario())


def test_a_post_goes_nowhere_that_a_get_may_not() -> None:
    async def scenario() -> None:
        async with serving(answer()) as site, client() as web:
            with pytest.raises(Blocked):
                await web.post(site.url(), body=b"{}")
            assert site.connections == 0

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
            with pytest.raises(Unreachable, match=r"127\.0\.0\.1"):
                await web.get(site.url())

    run(scenario())


class Rebinding:
    """A resolver whose every answer is another: public when it is asked first, loopback afterwards."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked = 0

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked += 1
        return self.answers[min(self.asked, len(self.answers)) - 1]


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
            guard = _LoopbackIsPublic(ports=frozenset({site.port}))
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
            (fail, Unreachable, "no such host"),
            (nothing, Unreachable, "no address"),
        ):
            started = time.monotonic()
            async with client(resolver=resolver, limits=replace(LIMITS, deadline_s=10.0)) as web:
                with pytest.raises(error, match=rf"slow\.example.* {says}"):
                    await web.get("http://slow.example/")
            assert time.monotonic() - started < LIMITS.dns_s + 1.0

    run(scenario())


def test_a_redirect_from_the_web_into_an_own_site_is_refused() -> None:
    source = Guard().check("https://example.com/")
    own = Guard(own_sites=frozenset({("127.0.0.1", 8000)})).check("http://127.0.0.1:8000/")
    assert (source.own, own.own) == (False, True)

    async def scenario() -> None:
        async with serving(answer()) as own_site, serving(redirect(own_site.url("/admin"))) as web_site:
            # the second site stands for the web: reached through the resolver, at an address made public here
            web_guard = _LoopbackIsPublic(ports=frozenset({web_site.port}), own_sites=frozenset({own_site.hole}))
            async with client(guard=web_guard, resolver=Rebinding(["127.0.0.1"])) as web:
                assert (await web.get(own_site.url())).status == 200
                with pytest.raises(Blocked, match="into your own site"):
                    await web.get(web_site.url(host="web.example"))
            assert len(own_site.requests) == 1

    run(scenario())


class _LoopbackIsPublic(Guard):
    def is_public(self, address: str) -> bool:
        return address == "127.0.0.1" or super().is_public(address)


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
                with pytest.raises(Unreachable, match="certificate"):
                    await web.get(f"https://other.example:{site.port}/")
            async with client(guard=guard, resolver=resolver) as web:
                with pytest.raises(Unreachable, match="certificate"):
                    await web.get(url)

    run(scenario())


def test_https_to_a_server_that_speaks_plain_http_is_unreachable() -> None:
    async def scenario() -> None:
        async with serving(answer()) as site, client(site, limits=LIMITS) as web:
            with pytest.raises((Unreachable, FetchTimeout)):
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
