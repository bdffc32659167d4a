"""Hostile servers: each ends in its error, in time and within bounds."""

import asyncio
import tracemalloc
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.fetch.guard import Blocked, FetchError
from crawler.fetch.response import ANY_TYPE, FetchTimeout, HostUnreachable, NotText, TooLarge
from tests.crawler.fetch.client import LIMITS, client, got, run
from tests.crawler.hostile import (
    HOSTILE,
    Behaviour,
    answer,
    closing,
    encoded,
    raw,
    redirect,
    routed,
    serving,
    stall,
)

ERRORS = {error.__name__: error for error in (Blocked, FetchTimeout, HostUnreachable, NotText, TooLarge)}


@pytest.mark.parametrize(("what", "behaviour", "error"), HOSTILE, ids=[row[0] for row in HOSTILE])
def test_a_server_that(what: str, behaviour: Behaviour, error: str) -> None:
    # only who waits for the deadline gets a short one: a busy machine must not turn another error into a timeout
    limits = LIMITS if error == "FetchTimeout" else replace(LIMITS, deadline_s=10.0, connect_s=10.0)
    with pytest.raises(ERRORS[error]) as raised:
        run(got(behaviour, limits=limits))
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


def test_a_client_goes_on_after_every_kind_of_failure() -> None:
    async def scenario() -> None:
        routes = {"/stall": stall, "/zstd": encoded(b"?", "zstd"), "/loop": redirect("/loop"), "/ok": answer()}
        limits = replace(LIMITS, deadline_s=2.0, connect_s=10.0)
        async with serving(routed(routes)) as site, client(site, limits=limits) as web:
            failures = await asyncio.gather(
                *(web.get(site.url(path)) for path in ("/stall", "/zstd", "/loop") for _ in range(5)),
                return_exceptions=True,
            )
            assert {type(failure) for failure in failures} == {FetchTimeout, NotText, Blocked}
            answers = await asyncio.gather(*(web.get(site.url("/ok")) for _ in range(20)))
            assert {fetched.status for fetched in answers} == {200}

    run(scenario())


def test_a_server_that_breaks_off_at_once_is_not_asked_again() -> None:
    async def scenario() -> None:
        async with serving(closing(raw(b""))) as site, client(site) as web:
            with pytest.raises(HostUnreachable):
                await web.get(site.url())
            assert len(site.requests) == 1

    run(scenario())
