"""Read one candidate: ask robots.txt, fetch under guard, extract. Whatever happens is a value, never an exception."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal, Protocol

from crawler import robots, urls
from crawler.extract import NothingToRead, extract
from crawler.feed import parse_feed
from crawler.fetch import ANY_TYPE, Blocked, Fetched, FetchError, FetchTimeout, Unreachable
from crawler.politeness import parse_retry_after
from crawler.robots import Robots
from crawler.sitemap import BadSitemap, parse_sitemap
from store.types import Candidate, Link, PageText, Validators

Result = Literal["read", "unchanged", "gone", "forbidden", "blocked", "failed", "empty", "retry"]

#: a robots.txt is asked for again after a day; one that could not be had, after five minutes (RFC 9309 §2.4)
ROBOTS_AGAIN = timedelta(hours=24)
ROBOTS_RETRY = timedelta(minutes=5)

_GONE = frozenset({404, 410})
_BUSY = frozenset({429, 503})
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


class Fetches(Protocol):
    """Fetches a URL under all guards."""

    async def get(
        self, url: str, *, headers: Mapping[str, str] | None = None, accept: frozenset[str] | None = None
    ) -> Fetched:
        """Fetch; raises FetchError."""


@dataclass(frozen=True, kw_only=True)
class Known:
    """What was kept of a page when it was read before."""

    validators: Validators
    content_hash: str


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What came of a candidate."""

    outcome: Result
    reason: str = ""  #: a sentence, when it was not read
    url: str = ""  #: canonical, after redirects
    status: int | None = None
    page: PageText | None = None
    links: tuple[Link, ...] = ()
    validators: Validators = field(default_factory=Validators)
    content_hash: str = ""
    bytes: int = 0
    elapsed_s: float = 0.0
    retry_after_s: float | None = None
    crawl_delay_s: float | None = None


async def read(
    candidate: Candidate,
    *,
    client: Fetches,
    robots: RobotsCache,
    agent: str,
    now: datetime,
    known: Known | None = None,
) -> Reading:
    """Read a candidate as its site allows; ``agent`` is our name in robots.txt."""
    try:
        rules, found = await _rules(candidate.url, client, robots, now)
    except Blocked as error:
        return Reading(outcome="blocked", url=candidate.url, reason=str(error))
    nothing = Reading(outcome="failed", url=candidate.url, links=found, crawl_delay_s=rules.delay_s(agent))
    if not rules.allows(candidate.url, agent):
        if rules.is_temporary:
            return replace(nothing, reason="robots.txt could not be had; the site is left alone for now")
        return replace(nothing, outcome="forbidden", reason="robots.txt forbids it")
    try:
        fetched = await client.get(
            candidate.url,
            headers=known.validators.headers() if known else None,
            accept=None if candidate.kind == "page" else ANY_TYPE,
        )
    except FetchError as error:
        return replace(nothing, outcome=_failure(error), reason=str(error))
    reading = _READERS[candidate.kind](fetched, candidate, known, now)
    if reading.url != candidate.url and not await _allowed(reading.url, client, robots, agent, now):
        return replace(nothing, outcome="forbidden", reason="it leads to a page robots.txt forbids")
    return replace(
        reading,
        links=(*found, *reading.links),
        bytes=len(fetched.body),
        elapsed_s=fetched.elapsed_s,
        status=fetched.status,
        crawl_delay_s=nothing.crawl_delay_s,
    )


def _failure(error: FetchError) -> Result:
    if isinstance(error, Blocked):
        return "blocked"
    return "retry" if isinstance(error, FetchTimeout | Unreachable) else "failed"


def _page(fetched: Fetched, candidate: Candidate, known: Known | None, now: datetime) -> Reading:
    url = urls.canonical(fetched.url)
    if refused := _refused(fetched, url, now):
        return refused
    validators = _validators(fetched)
    if fetched.status == 304:
        return Reading(outcome="unchanged", url=candidate.url, validators=validators)
    header = fetched.headers.get("x-robots-tag", "").lower()
    try:
        page = extract(fetched.body, url=url, content_type=fetched.headers.get("content-type", ""))
    except NothingToRead as error:
        return Reading(outcome="empty", url=url, reason=str(error))
    links = page.links if page.follow and "nofollow" not in header else ()
    if not page.index or "noindex" in header or "none" in header:
        return Reading(outcome="forbidden", url=url, reason="the page asks not to be kept (noindex)", links=links)
    digest = hashlib.blake2b(f"{page.title}\0{page.text}".encode(), digest_size=16).hexdigest()
    if known is not None and known.content_hash == digest:
        return Reading(outcome="unchanged", url=url, validators=validators, content_hash=digest, links=links)
    return Reading(outcome="read", url=url, page=page, links=links, validators=validators, content_hash=digest)


def _sitemap(fetched: Fetched, candidate: Candidate, known: Known | None, now: datetime) -> Reading:
    if refused := _refused(fetched, candidate.url, now):
        return refused
    try:
        return Reading(outcome="read", url=candidate.url, links=parse_sitemap(fetched.body, url=candidate.url))
    except BadSitemap as error:
        return Reading(outcome="failed", url=candidate.url, reason=str(error))


def _feed(fetched: Fetched, candidate: Candidate, known: Known | None, now: datetime) -> Reading:
    if refused := _refused(fetched, candidate.url, now):
        return refused
    return Reading(outcome="read", url=candidate.url, links=parse_feed(fetched.body, url=candidate.url))


_READERS: dict[str, Callable[[Fetched, Candidate, Known | None, datetime], Reading]] = {
    "page": _page,
    "sitemap": _sitemap,
    "feed": _feed,
}


def _refused(fetched: Fetched, url: str, now: datetime) -> Reading | None:
    """What a status other than 200 and 304 means."""
    status = fetched.status
    if status in _GONE:
        return Reading(outcome="gone", url=url, reason=f"the server answered {status}: there is no such page")
    if status in _BUSY:
        after = parse_retry_after(fetched.headers.get("retry-after", ""), now)
        return Reading(outcome="retry", url=url, reason=f"the server is busy ({status})", retry_after_s=after)
    if status >= 500:
        return Reading(outcome="retry", url=url, reason=f"the server failed ({status})")
    if status not in (200, 203, 304):
        return Reading(outcome="failed", url=url, reason=f"the server answered {status}")
    return None


def _validators(fetched: Fetched) -> Validators:
    return Validators(etag=fetched.headers.get("etag", ""), last_modified=fetched.headers.get("last-modified", ""))


async def _allowed(url: str, client: Fetches, cache: RobotsCache, agent: str, now: datetime) -> bool:
    try:
        rules, _ = await _rules(url, client, cache, now)
    except Blocked:
        return False
    return rules.allows(url, agent)


async def _rules(url: str, client: Fetches, cache: RobotsCache, now: datetime) -> tuple[Robots, tuple[Link, ...]]:
    """The rules of the URL's origin, and the sitemaps they name when they were fetched just now."""
    origin = urls.origin(url)
    file = cache.get(origin)
    if file is not None and now - file.fetched_at < (ROBOTS_AGAIN if _is_settled(file) else ROBOTS_RETRY):
        return robots.from_response(file.status or None, file.body), ()
    file = await _fetch_robots(url, client, now)
    cache.put(origin, file)
    rules = robots.from_response(file.status or None, file.body)
    return rules, tuple(Link(url=sitemap, origin="sitemap-file") for sitemap in _sitemaps(rules, url))


def _is_settled(file: RobotsFile) -> bool:
    return not robots.from_response(file.status or None, file.body).is_temporary


async def _fetch_robots(url: str, client: Fetches, now: datetime) -> RobotsFile:
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
