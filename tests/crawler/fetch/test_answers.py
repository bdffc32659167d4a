"""What a well-behaved server answers, redirects and posts among it."""

import asyncio
import gzip
import zlib
from typing import Any

import brotli
import pytest

from crawler.fetch.guard import Blocked
from crawler.fetch.result import ANY_TYPE, NotText
from tests.crawler.fetch.client import client, got, run
from tests.crawler.hostile import (
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
