"""What a well-behaved server answers, redirects and posts among it."""

import asyncio
import gzip
import zlib
from typing import Any

import brotli
import pytest

from crawler.fetch.guard import Blocked
from crawler.fetch.response import ANY_TYPE, NotText
from tests.crawler.fetch.client import client, got, run
from tests.crawler.hostile import (
    Behaviour,
    Site,
    answer,
    encoded,
    raw,
    redirect,
    routed,
    serving,
)


def test_a_page_comes_with_its_headers_in_lower_case_and_its_type_without_parameters() -> None:
    fetched = run(got(answer(b"<p>hi</p>", kind="Text/HTML; charset=utf-8", headers="X-One: a\r\nx-ONE: b\r\n")))
    assert (fetched.status, fetched.body, fetched.content_type) == (200, b"<p>hi</p>", "text/html")
    assert fetched.headers["x-one"] == "a, b"
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


def test_redirects_are_followed() -> None:
    routes = {"/a": redirect("/b?x=1#part", 301), "/b?x=1": redirect("c", 307), "/c": answer()}

    async def scenario() -> None:
        async with serving(routed(routes)) as site, client(site) as web:
            fetched = await web.get(site.url("/a"))
            assert fetched.url == site.url("/c")

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


def test_a_webhook_that_answers_nonsense_has_still_been_delivered() -> None:
    async def scenario() -> None:
        async with serving(encoded(b"?", "zstd")) as site, client(site) as web:
            fetched = await web.post(site.url(), body=b"")
            assert (fetched.status, fetched.body) == (200, b"")

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
        assert (fetched.status, fetched.url) == (307, site.url("/hook"))
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


@pytest.mark.parametrize("encoding", ["UTF-8", "none", "8bit", "binary", "utf-8, gzip", "x-unknown; q=1"])
def test_an_encoding_that_is_none_has_no_effect(encoding: str) -> None:
    body = b"<p>The bell was cast in 1783.</p>"
    sent = gzip.compress(body) if "gzip" in encoding else body
    assert run(got(encoded(sent, encoding))).body == body


def _walled(gate: str, *, status: int = 302, cookie: str = "seen=1; Path=/") -> dict[str, Behaviour]:
    """A site whose pages ask for a cookie that the gate sets."""

    def asks_for_cookie(page: Behaviour) -> Behaviour:
        async def behave(head: str, writer: asyncio.StreamWriter) -> None:
            await (page if "cookie: seen=1" in head.lower() else redirect(gate, status))(head, writer)

        return behave

    pages = {"/": answer(b"<p>tide</p>"), "/robots.txt": answer(b"User-agent: *", kind="text/plain")}
    sets = f"HTTP/1.1 302 Found\r\nSet-Cookie: {cookie}\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"
    by_page = answer(b'<meta http-equiv=refresh content="0; url=/">', headers=f"Set-Cookie: {cookie}\r\n")
    return {path: asks_for_cookie(page) for path, page in pages.items()} | {
        "/gate": raw(sets.encode()),
        "/page": by_page,
    }


@pytest.mark.parametrize("gate", ["/gate", "/page"])
def test_a_cookie_counts_within_its_chain_and_nowhere_else(gate: str) -> None:
    async def scenario() -> None:
        async with serving(routed(_walled(gate))) as site, client(site) as web:
            for _ in range(2):
                assert (await web.get(site.url())).body == b"<p>tide</p>"
            cookies = ["cookie:" in head.lower() for head in site.requests]
            assert cookies == [False, False, True] * 2

    run(scenario())


def test_a_cookie_wall_before_robots_txt_is_passed_too() -> None:
    async def scenario() -> None:
        routes = _walled("/gate")
        sets = "HTTP/1.1 302 Found\r\nSet-Cookie: seen=1\r\nLocation: /robots.txt\r\nContent-Length: 0\r\n\r\n"
        async with serving(routed(routes | {"/gate": raw(sets.encode())})) as site, client(site) as web:
            assert (await web.get(site.url("/robots.txt"), accept=ANY_TYPE)).body == b"User-agent: *"

    run(scenario())


def test_a_cookie_is_not_sent_to_another_host() -> None:
    async def scenario() -> None:
        async with serving(answer()) as other:
            sets = f"HTTP/1.1 302 Found\r\nSet-Cookie: secret=1\r\nLocation: {other.url()}\r\nContent-Length: 0\r\n\r\n"
            async with serving(raw(sets.encode())) as site, client(site, other) as web:
                await web.get(site.url())
            assert "secret" not in other.requests[0]

    run(scenario())


@pytest.mark.parametrize(
    "cookie", ["seen=2", "seen=1; Max-Age=0", "seen=1; expires=Thu, 01 Jan 1970 00:00:00 GMT", "=1"]
)
def test_a_wall_that_no_cookie_opens_is_a_circle(cookie: str) -> None:
    async def scenario() -> None:
        async with serving(routed(_walled("/gate", cookie=cookie))) as site, client(site) as web:
            with pytest.raises(Blocked, match="redirects"):
                await web.get(site.url())
            assert len(site.requests) <= 6

    run(scenario())


REFRESHED = [
    b'<html><head><meta http-equiv="refresh" content="0; url=/docs/"></head></html>',
    b"<META HTTP-EQUIV='Refresh' CONTENT='5;URL=docs/'>",
    b"<meta content=\"0;URL='/docs/'\" http-equiv=REFRESH>",
    b'<meta http-equiv="refresh" content="0, /docs/">',
    b'<base href="/docs/"><meta http-equiv="refresh" content=".5;url=.">',
]


@pytest.mark.parametrize("page", REFRESHED)
def test_a_page_that_loads_another_at_once_is_a_redirect(page: bytes) -> None:
    asked: list[str] = []

    async def note(url: str) -> None:
        asked.append(url)

    async def scenario() -> None:
        routes = {"/": answer(page), "/docs/": answer(b"<p>the docs</p>")}
        async with serving(routed(routes)) as site, client(site) as web:
            fetched = await web.get(site.url(), on_redirect=note)
            assert (fetched.url, fetched.body) == (site.url("/docs/"), b"<p>the docs</p>")
            assert asked == [site.url("/docs/")]

    run(scenario())


def test_the_header_that_loads_another_page_is_a_redirect_too() -> None:
    routes = {"/": answer(b"<p>wait</p>", headers="Refresh: 0; url=/next\r\n"), "/next": answer(b"<p>next</p>")}
    assert run(got(routed(routes))).body == b"<p>next</p>"


@pytest.mark.parametrize(
    "content",
    [
        "0; url=/",  # itself
        "300",
        "300; url=/next",  # news
        "0; url=/loop",
        "0; url=javascript:alert(1)",
        "0; url=http://169.254.169.254/latest/",
        "0; url=http://127.0.0.1:6379/",
        "0; url=file:///etc/passwd",
        "soon",
    ],
)
def test_a_page_that_leads_nowhere_else_is_read_itself(content: str) -> None:
    page = f'<meta http-equiv="refresh" content="{content}"><p>news'.encode()
    back = answer(b'<meta http-equiv="refresh" content="0; url=/"><p>loop')
    fetched = run(got(routed({"/": answer(page), "/loop": back, "/next": answer()})))
    assert fetched.body.endswith((b"<p>news", b"<p>loop"))


def test_what_is_for_browsers_without_scripts_is_no_redirect() -> None:
    page = b'<noscript><meta http-equiv="refresh" content="0; url=/nojs"></noscript><p>news'
    assert run(got(routed({"/": answer(page)}))).body == page


@pytest.mark.parametrize("kind", ["application/octet-stream", "binary/octet-stream", "application/force-download"])
def test_a_type_that_says_nothing_is_fetched_and_a_program_is_not(kind: str) -> None:
    assert run(got(answer(b"%PDF-1.4 ...", kind=kind))).body == b"%PDF-1.4 ..."
    with pytest.raises(NotText, match="binary"):
        run(got(answer(b"\x7fELF\x02\x01", kind=kind)))
