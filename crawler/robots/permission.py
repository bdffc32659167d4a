"""Ask robots.txt whether a URL may be fetched, unless its site is left out.

The files are cached by origin, and their sitemaps collected.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from crawler import urls
from crawler.fetch.guard import Blocked, FetchError
from crawler.fetch.result import ANY_TYPE, Fetched, HostUnreachable
from crawler.robots import rules
from domain import Link
from domain.site import is_under

#: a robots.txt is fetched again after a day; one that could not be fetched, after five minutes (RFC 9309 §2.4)
ROBOTS_MAX_AGE = timedelta(hours=24)
ROBOTS_RETRY_AGE = timedelta(minutes=5)
UNREACHED = "The site could not be reached: {why}. It is asked again after five minutes."


@dataclass(frozen=True, kw_only=True)
class RobotsFile:
    """The answer for an origin's robots.txt."""

    status: int  #: 0 where there was no answer
    body: bytes  #: or why there was no answer
    fetched_at: datetime


class RobotsCache(Protocol):
    """Stores robots.txt files by origin."""

    def get(self, origin: str) -> RobotsFile | None:
        """Return the file, if it is stored."""

    def put(self, origin: str, file: RobotsFile) -> None:
        """Store a file."""


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
        """Fetch a URL, and call ``on_redirect`` before each redirect is followed; raises FetchError."""


class RobotsForbidden(FetchError):
    """robots.txt forbids it."""


class RobotsUnavailable(FetchError):
    """robots.txt could not be fetched; the site is not read for now."""


class HostBusy(FetchError):
    """A redirect leads to a host that may be asked only after ``after_s``."""

    def __init__(self, message: str, *, after_s: float) -> None:
        super().__init__(message)
        self.after_s = after_s


class Permission:
    """Checks each hop against the robots.txt of its site; holds the sitemaps and the delay that those name.

    ``ignored`` says of a URL whether its operator lets it be read whatever robots.txt says.
    """

    def __init__(
        self,
        client: FetchClient,
        cache: RobotsCache,
        agent: str,
        now: datetime,
        left_out: Sequence[str] = (),
        ignored: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._client, self._cache, self._agent, self._now = client, cache, agent, now
        self._left_out, self._ignored = left_out, ignored
        self._first = ""
        self.sitemaps: tuple[Link, ...] = ()  #: of the files that were fetched, not of those in the cache
        self.delay_s: float | None = None  #: Crawl-delay of the first URL's site

    async def check(self, url: str) -> None:
        """Raise Blocked where the site is left out, RobotsForbidden or RobotsUnavailable unless it allows the URL."""
        await self.check_site(url)
        file, robots, sitemaps = await self._rules(url)
        self.sitemaps = (*self.sitemaps, *sitemaps)
        is_ignored = self._ignored(urls.canonical(url))
        if not self._first:
            self._first, self.delay_s = url, None if is_ignored else robots.delay_s(self._agent)
        if is_ignored or robots.allows(url, self._agent):
            return
        error = RobotsUnavailable if robots.is_temporary else RobotsForbidden
        no_answer = file.body.decode() or "its robots.txt got no answer"
        why = UNREACHED.format(why=no_answer) if not robots.was_answered else error.__doc__
        raise error(why if url == self._first else f"It redirects to {url}: {why}")

    async def check_site(self, url: str) -> None:
        """Raise Blocked if the URL is on a site that is left out; nothing is requested."""
        if is_under(urls.canonical(url), self._left_out):
            raise Blocked(f"{url} is on an excluded site: it is not read")

    async def _rules(self, url: str) -> tuple[RobotsFile, rules.Robots, tuple[Link, ...]]:
        """Return the file and rules of the URL's origin; with the sitemaps they name, if it was fetched for this."""
        origin = urls.origin(url)
        if (file := self._cache.get(origin)) is not None:
            robots = rules.from_response(file.status or None, file.body)
            if self._now - file.fetched_at < (ROBOTS_RETRY_AGE if robots.is_temporary else ROBOTS_MAX_AGE):
                return file, robots, ()
        file = await self._fetch_robots(url)
        self._cache.put(origin, file)
        robots = rules.from_response(file.status or None, file.body)
        return file, robots, tuple(Link(url=sitemap, origin="sitemap-file") for sitemap in _sitemaps(robots, url))

    async def _fetch_robots(self, url: str) -> RobotsFile:
        try:
            fetched = await self._client.get(rules.robots_url(url), accept=ANY_TYPE, on_redirect=self.check_site)
        except Blocked:
            raise
        except FetchError as error:
            why = error.why if isinstance(error, HostUnreachable) else str(error)
            return RobotsFile(status=0, body=why.encode()[: rules.MAX_BYTES], fetched_at=self._now)
        return RobotsFile(status=fetched.status, body=fetched.body[: rules.MAX_BYTES], fetched_at=self._now)


def _sitemaps(robots: rules.Robots, url: str) -> list[str]:
    """Return the sitemaps on the URL's own host, in canonical form."""
    found = (urls.canonical_or_none(named, url) for named in robots.sitemaps[:20])
    return [sitemap for sitemap in found if sitemap and urls.host(sitemap) == urls.host(url)]
