"""Connections: kept, replaced where they died, and left working by whatever was cancelled."""

import asyncio

import pytest

from tests.crawler.fetch.client import client, run
from tests.crawler.hostile import (
    answer,
    closing,
    raw,
    routed,
    serving,
    stall,
)


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


def test_a_cancelled_fetch_leaves_the_client_working() -> None:
    async def scenario() -> None:
        requested = asyncio.Event()

        async def stalling(head: str, writer: asyncio.StreamWriter) -> None:
            requested.set()
            await stall(head, writer)

        async with serving(routed({"/stall": stalling, "/ok": answer()})) as site, client(site) as web:
            fetching = asyncio.create_task(web.get(site.url("/stall")))
            await requested.wait()
            fetching.cancel()
            with pytest.raises(asyncio.CancelledError):
                await fetching
            assert (await web.get(site.url("/ok"))).status == 200

    run(scenario())


def test_no_cookie_is_kept() -> None:
    async def scenario() -> None:
        async with serving(answer(headers="Set-Cookie: a=b; Path=/\r\n")) as site, client(site) as web:
            await web.get(site.url())
            await web.get(site.url())
            assert not any("cookie" in request.lower() for request in site.requests)

    run(scenario())
