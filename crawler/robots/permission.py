"""May a URL be fetched? What robots.txt says of it, kept by origin; and which sitemaps those files name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from crawler import urls
from crawler.fetch.body import ANY_TYPE
from crawler.fetch.guard import Blocked, FetchError
from crawler.fetch.result import Fetched
from crawler.robots import rules as robots
from crawler.robots.rules import Robots
from domain import Link

#: a robots.txt is asked for again after a day; one that could not be had, after five minutes (RFC 9309 §2.4)
ROBOTS_MAX_AGE = timedelta(hours=24)
ROBOTS_RETRY_AGE = timedelta(minutes=5)

_NO_STATUS = 0


@dataclass(frozen=True, kw_only=True)
class RobotsFile:
    """An origin's robots.txt as it was answered."""

    status: int  #: 0 where there was no answer
    body: bytes
    fetched_at: datetime


class RobotsCache(Protocol):
    """Keeps robots.txt files by origin."""

    def get(self, origin: str) -> RobotsFile | None:
        """The file, if it was asked for before."""

    def put(self, origin: str, file: RobotsFile) -> None:
        """Keep a file."""


class FetchClient(Protocol):
    """Fetches a URL under all guards."""

    async def get(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        accept: frozenset[str] | None = None,
        on_redirect: Callable[[str], Awaitable[None]] | None = None,
    ) -> Fetched:
        """Fetch, asking before each redirect is followed; raises FetchError."""


class RobotsForbidden(FetchError):
    """robots.txt forbids it."""


class RobotsUnavailable(FetchError):
    """robots.txt could not be had; the site is left alone for now."""


class HostBusy(FetchError):
    """A redirect leads to a host that has to be left alone for ``after_s`` yet."""

    def __init__(self, message: str, *, after_s: float) -> None:
        super().__init__(message)
        self.after_s = after_s


class Permission:
    """Asks the robots.txt of each hop's site before the hop is made, and keeps what those say besides."""

    def __init__(self, client: FetchClient, cache: RobotsCache, agent: str, now: datetime) -> None:
        self._client, self._cache, self._agent, self._now = client, cache, agent, now
        self._first = ""
        self.sitemaps: tuple[Link, ...] = ()  #: named by the files that were fetched just now
        self.delay_s: float | None = None  #: that the candidate's own site asks for

    async def check(self, url: str) -> None:
        """Raise unless the site allows the URL, which is the candidate's at first and then where it leads."""
        rules, sitemaps = await _rules(url, self._client, self._cache, self._now)
        self.sitemaps = (*self.sitemaps, *sitemaps)
        if not self._first:
            self._first, self.delay_s = url, rules.delay_s(self._agent)
        if rules.allows(url, self._agent):
            return
        error = RobotsUnavailable if rules.is_temporary else RobotsForbidden
        raise error(error.__doc__ if url == self._first else f"It leads to {url}: {error.__doc__}")


async def _rules(url: str, client: FetchClient, cache: RobotsCache, now: datetime) -> tuple[Robots, tuple[Link, ...]]:
    """The rules of the URL's origin, and the sitemaps they name when they were fetched just now."""
    origin = urls.origin(url)
    if (file := cache.get(origin)) is not None:
        rules = robots.from_response(file.status or None, file.body)
        if now - file.fetched_at < (ROBOTS_RETRY_AGE if rules.is_temporary else ROBOTS_MAX_AGE):
            return rules, ()
    file = await _fetch_robots(url, client, now)
    cache.put(origin, file)
    rules = robots.from_response(file.status or None, file.body)
    return rules, tuple(Link(url=sitemap, origin="sitemap-file") for sitemap in _sitemaps(rules, url))


async def _fetch_robots(url: str, client: FetchClient, now: datetime) -> RobotsFile:
    try:
        fetched = await client.get(robots.robots_url(url), accept=ANY_TYPE)
    except Blocked:
        raise
    except FetchError:
        return RobotsFile(status=_NO_STATUS, body=b"", fetched_at=now)
    return RobotsFile(status=fetched.status, body=fetched.body[: robots.MAX_BYTES], fetched_at=now)


def _sitemaps(rules: Robots, url: str) -> list[str]:
    found = []
    for named in rules.sitemaps[:20]:
        try:
            sitemap = urls.canonical(named, url)
        except urls.BadUrl:
            continue
        if urls.host(sitemap) == urls.host(url):
            found.append(sitemap)
    return found
