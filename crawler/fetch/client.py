"""Fetch one URL under all guards: every hop's address is checked, every size and the whole time are bounded.

Whatever a server does, ``Fetcher.get`` ends by its deadline and holds no more than its limits. It keeps cookies for one
chain of redirects and uses no proxy of the environment; what an operator's own site asks for
(``crawler.fetch.access``) goes there only. robots.txt and delays are the caller's, who is asked before
each redirect. A page that loads another by itself within seconds is a redirect, too.
"""

from __future__ import annotations

import asyncio
import re
import ssl
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import httpcore2

from crawler.fetch.access import KEPT_S, SiteAccess, SiteAccesses
from crawler.fetch.content_encoding import ENCODINGS
from crawler.fetch.guard import Blocked, Guard, Target
from crawler.fetch.network import GuardedNetwork, Resolver, system_resolver
from crawler.fetch.response import (
    Cookies,
    Fetched,
    FetchTimeout,
    Limits,
    fetch_error_of,
    location_of,
    receive,
    refresh_of,
)
from crawler.file_kinds import ACCEPT, PAGE_TYPES
from crawler.urls import BadUrl, absolute

_UNSAFE = re.compile(r"[\x00-\x1f\x7f\\]")

#: called with a redirect's target before it is requested; raises FetchError to refuse it
OnRedirect = Callable[[str], Awaitable[None]]


async def refuse_redirect(url: str) -> None:
    """Raise Blocked for any redirect: keys are for the address that was given."""
    raise Blocked(f"It redirects to {url}: give that address, if it is the right one")


class Fetcher:
    """Fetches inside one event loop, and keeps connections to use them again."""

    def __init__(
        self,
        *,
        guard: Guard,
        limits: Limits,
        user_agent: str,
        resolver: Resolver = system_resolver,
        ssl_context: ssl.SSLContext | None = None,
        accesses: Sequence[SiteAccess] = (),
    ) -> None:
        self._guard = guard
        self._limits = limits
        self._headers = {"user-agent": user_agent, "accept": ACCEPT, "accept-encoding": ENCODINGS}
        self._accesses = SiteAccesses(accesses, resolver, limits)
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=ssl_context or httpcore2.default_ssl_context(),
            max_connections=100,
            max_keepalive_connections=20,
            keepalive_expiry=KEPT_S,
            network_backend=GuardedNetwork(guard, resolver, dns_s=limits.dns_s, connect_s=limits.connect_s),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close every connection."""
        await self._pool.aclose()
        await self._accesses.aclose()

    def check_part(self, url: str, page: str, first: str = "") -> None:
        """Raise Blocked if a page, which ``first`` led to, may not lead to a URL: into another site of your own."""
        source, target = self._guard.check(page), self._guard.check(url)
        if (target.own and not source.own) or not self._accesses.is_for(target.url, first or page):
            raise Blocked(f"{source.url} leads into your own site {target.authority}: read {target.url} by itself")

    async def get(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        accept: Collection[str] | None = None,
        on_redirect: OnRedirect | None = None,
    ) -> Fetched:
        """GET a URL and follow its redirects; 304, 4xx and 5xx are answers like any other. Raises FetchError.

        ``headers`` are for the first hop only: conditions and keys are meant for this URL, not for a redirect's target.
        ``accept`` holds the content types accepted of a 2xx answer, ``PAGE_TYPES`` by default. ``on_redirect`` is
        awaited with the URL of each further hop, within the deadline, once the guard admitted it.
        """
        types = PAGE_TYPES if accept is None else frozenset(accept)
        return await self._within_deadline(url, _Call(headers=headers or {}, accept=types, on_redirect=on_redirect))

    async def post(
        self, url: str, *, body: bytes, headers: Mapping[str, str] | None = None, accept: Collection[str] | None = None
    ) -> Fetched:
        """POST a body; a redirect is never followed, so that the body goes nowhere else. Raises FetchError.

        ``accept`` holds the content types accepted of a 2xx answer; None: its body is not wanted, and may be empty.
        """
        types = None if accept is None else frozenset(accept)
        return await self._within_deadline(url, _Call(method="POST", body=body, headers=headers or {}, accept=types))

    async def _within_deadline(self, url: str, call: _Call) -> Fetched:
        started = time.monotonic()
        try:
            async with asyncio.timeout(self._limits.deadline_s):
                fetched = await self._follow(url, call)
        except TimeoutError as error:
            raise FetchTimeout(f"{url} did not answer within {self._limits.deadline_s:g} s: try it later") from error
        return replace(fetched, elapsed_s=time.monotonic() - started)

    async def _follow(self, url: str, call: _Call) -> Fetched:
        target, cookies = self._guard.check(url), Cookies()
        # what was requested and redirected: the same URL with other cookies may give another answer
        passed: list[tuple[str, str]] = []
        while True:
            sent = (target.url, cookies.header(target))
            headers = {} if passed else dict(call.headers)  # the caller's are for the first hop only
            headers |= {"cookie": sent[1]} if sent[1] else {}
            response = await self._send(target, replace(call, headers=headers))
            try:
                cookies.keep(target, response)
                location = location_of(response) if call.method == "GET" else None
                fetched = None
                if location is None:
                    fetched = await receive(target, response, accept=call.accept, limits=self._limits)
                    location = refresh_of(fetched) if call.method == "GET" and call.accept == PAGE_TYPES else None
            finally:
                await response.aclose()
            if location is None and fetched is not None:
                return fetched
            passed.append(sent)
            try:
                target = self._redirected(target, location or "", passed, cookies)
            except Blocked:
                if fetched is None:
                    raise
                return fetched  # a page that leads nowhere that may be read, or back, is read itself
            if call.on_redirect is not None:
                await call.on_redirect(target.url)

    def _redirected(self, source: Target, location: str, passed: Sequence[tuple[str, str]], cookies: Cookies) -> Target:
        """Check a redirect's target as any URL, and for what only a redirect can do wrong."""
        first, _ = passed[0]
        if len(passed) > self._limits.max_hops:
            raise Blocked(f"{first} redirects more than {self._limits.max_hops} times; it is not read")
        if _UNSAFE.search(location):
            raise Blocked(f"{source.url} redirects to a URL with control characters or backslashes; it is not read")
        try:
            target = self._guard.check(absolute(location, source.url))
        except (BadUrl, Blocked) as error:
            raise Blocked(f"{source.url} redirects to a URL that may not be read: {error}") from error
        if (target.url, cookies.header(target)) in passed:
            raise Blocked(f"{first} redirects in a circle; it is not read")
        if source.scheme == "https" and target.scheme == "http":
            raise Blocked(f"{source.url} redirects from https to {target.url}: ask for that if you trust it")
        self.check_part(target.url, source.url, first)
        return target

    async def _send(self, target: Target, call: _Call) -> httpcore2.Response:
        """Send the request and return the answer's head; send it again if a kept connection had died."""
        pool = self._accesses.pool_for(target.url) or self._pool
        try:
            connected = _Connected()
            try:
                return await pool.handle_async_request(self._request(target, call, connected))
            except (httpcore2.RemoteProtocolError, httpcore2.ReadError, httpcore2.WriteError):
                if connected.anew or call.method != "GET":
                    raise
                return await pool.handle_async_request(self._request(target, call, connected))
        except httpcore2.TimeoutException as error:
            why = str(error) or f"no connection in {self._limits.connect_s:g} s"
            raise FetchTimeout(f"{target.url} did not answer in time: {why}. Try it later") from error
        except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.ProxyError) as error:
            raise fetch_error_of(target, error) from error

    def _request(self, target: Target, call: _Call, connected: _Connected) -> httpcore2.Request:
        named = self._headers | {name.lower(): value for name, value in call.headers.items()}
        given = self._accesses.headers_for(target.url)
        if "cookie" in given and "cookie" in named:
            given["cookie"] += f"; {named['cookie']}"
        named |= given | {"host": target.authority}
        if call.method == "POST":
            named |= {"content-length": str(len(call.body))}
        return httpcore2.Request(
            method=call.method,
            url=httpcore2.URL(scheme=target.scheme, host=target.host, port=target.port, target=target.path),
            headers=[(name.encode("latin-1"), value.encode("latin-1")) for name, value in named.items()],
            content=call.body,
            extensions={
                "timeout": {"connect": self._limits.connect_s},
                "sni_hostname": target.host.removesuffix("."),
                "trace": connected,
            },
        )


@dataclass(frozen=True, kw_only=True)
class _Call:
    method: str = "GET"
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    accept: frozenset[str] | None = PAGE_TYPES  #: None: the body is not wanted
    on_redirect: OnRedirect | None = None


class _Connected:
    anew = False

    async def __call__(self, event: str, info: Mapping[str, object]) -> None:
        self.anew = self.anew or event == "connection.connect_tcp.started"
