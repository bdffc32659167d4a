"""Read one candidate: ask robots.txt, fetch under guard, extract. Whatever happens is a value, never an exception."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

from crawler import urls
from crawler.browser.render import NotRendered
from crawler.browser.with_javascript import PageClient, Renderer, Scripts
from crawler.discovery.feed import parse_feed
from crawler.discovery.sitemap import BadSitemap, parse_sitemap
from crawler.extract.document import NothingToRead, extract
from crawler.extract.metadata import robots_directives
from crawler.fetch.client import ANY_TYPE, Blocked, Fetched, FetchError, FetchTimeout, HostUnreachable
from crawler.robots.crawl_delay import parse_retry_after
from crawler.robots.permission import HostBusy, Permission, RobotsCache, RobotsForbidden
from domain import Candidate, Link, PageText, ReadOutcome, Validators

#: asks for leave to ask for a URL; raises FetchError where there is none
UrlCheck = Callable[[str], Awaitable[None]]

_GONE = frozenset({404, 410})
_BUSY = frozenset({429, 503})
_NOINDEX = "the page asks not to be kept (noindex)"
_LITTLE_TEXT = 400  #: characters


@dataclass(frozen=True, kw_only=True)
class PreviousRead:
    """What was kept of a page when it was read before."""

    validators: Validators
    content_hash: str
    body_hash: str = ""  #: of the bytes it was made from


@dataclass(frozen=True, kw_only=True)
class ReadResult:
    """What came of a candidate."""

    outcome: ReadOutcome
    reason: str = ""  #: a sentence, when it was not read
    url: str = ""  #: canonical, after redirects
    status: int | None = None
    page: PageText | None = None
    links: tuple[Link, ...] = ()
    validators: Validators = field(default_factory=Validators)
    content_hash: str = ""
    body_hash: str = ""
    bytes: int = 0
    elapsed_s: float = 0.0
    retry_after_s: float | None = None
    crawl_delay_s: float | None = None


async def read(
    candidate: Candidate,
    *,
    client: PageClient,
    robots: RobotsCache,
    agent: str,
    now: datetime,
    known: PreviousRead | None = None,
    browser: Renderer | None = None,
    take_turn: UrlCheck | None = None,
) -> ReadResult:
    """Read a candidate as its site allows; ``agent`` is our name in robots.txt, ``browser`` runs scripts if need be.

    ``take_turn`` is awaited before a redirect's target is asked for, and its robots.txt; it may raise HostBusy.
    """
    permission = Permission(client, robots, agent, now)
    try:
        await permission.check(candidate.url)
        fetched = await client.get(
            candidate.url,
            headers=known.validators.headers() if known else None,
            accept=None if candidate.kind == "page" else ANY_TYPE,
            on_redirect=_before_redirect(permission, take_turn),
        )
        reading = _READERS[candidate.kind](fetched, candidate, known, now)
        if candidate.kind == "page" and _has_little_text(reading):
            scripts = Scripts(browser=browser, client=client, permission=Permission(client, robots, agent, now))
            reading = await _read_with_javascript(reading, fetched, candidate, known, now, scripts)
        reading = replace(
            reading,
            bytes=len(fetched.body),
            elapsed_s=fetched.elapsed_s,
            status=fetched.status,
        )
    except FetchError as error:
        reading = _result_of_error(error, candidate.url)
    return replace(reading, links=(*permission.sitemaps, *reading.links), crawl_delay_s=permission.delay_s)


def _before_redirect(permission: Permission, take_turn: UrlCheck | None) -> UrlCheck:
    """What is awaited before a redirect is followed."""

    async def follow(url: str) -> None:
        if take_turn is not None:
            await take_turn(url)
        await permission.check(url)

    return follow


def _result_of_error(error: FetchError, url: str) -> ReadResult:
    after_s = error.after_s if isinstance(error, HostBusy) else None
    return ReadResult(outcome=_outcome_of_error(error), url=url, reason=str(error), retry_after_s=after_s)


def _outcome_of_error(error: FetchError) -> ReadOutcome:
    if isinstance(error, Blocked):
        return ReadOutcome.BLOCKED
    if isinstance(error, RobotsForbidden):
        return ReadOutcome.FORBIDDEN
    passing = isinstance(error, FetchTimeout | HostUnreachable | HostBusy)
    return ReadOutcome.RETRY if passing else ReadOutcome.FAILED


def _read_page(fetched: Fetched, candidate: Candidate, known: PreviousRead | None, now: datetime) -> ReadResult:
    url = urls.canonical(fetched.url)
    if refused := _result_of_status(fetched, url, now):
        return refused
    validators = _validators(fetched)
    asked = robots_directives(fetched.headers.get("x-robots-tag", ""))
    if fetched.status == 304:
        if "noindex" not in asked:
            return ReadResult(outcome=ReadOutcome.UNCHANGED, url=candidate.url, validators=validators)
        return ReadResult(outcome=ReadOutcome.FORBIDDEN, url=candidate.url, reason=_NOINDEX)
    body_hash = hashlib.blake2b(fetched.body, digest_size=16).hexdigest()
    unchanged = ReadResult(outcome=ReadOutcome.UNCHANGED, url=url, validators=validators, body_hash=body_hash)
    if known is not None and known.body_hash == body_hash and not asked:
        return unchanged  # byte for byte what was extracted before
    try:
        page = extract(fetched.body, url=url, content_type=fetched.headers.get("content-type", ""))
    except NothingToRead as error:
        return ReadResult(outcome=ReadOutcome.EMPTY, url=url, reason=str(error))
    links = page.links if page.follow and "nofollow" not in asked else ()
    if not page.index or "noindex" in asked:
        return ReadResult(outcome=ReadOutcome.FORBIDDEN, url=url, reason=_NOINDEX, links=links)
    digest = hashlib.blake2b(f"{page.title}\0{page.text}".encode(), digest_size=16).hexdigest()
    if known is not None and known.content_hash == digest:
        return replace(unchanged, content_hash=digest, links=links)
    return replace(unchanged, outcome=ReadOutcome.READ, page=page, links=links, content_hash=digest)


def _has_little_text(reading: ReadResult) -> bool:
    """Return whether so little was read that scripts may have to make the rest."""
    return reading.outcome == ReadOutcome.EMPTY or (reading.page is not None and len(reading.page.text) < _LITTLE_TEXT)


async def _read_with_javascript(
    reading: ReadResult,
    fetched: Fetched,
    candidate: Candidate,
    known: PreviousRead | None,
    now: datetime,
    scripts: Scripts,
) -> ReadResult:
    """Read the page that its scripts make; one that needs none stays as it was read."""
    try:
        made = await scripts.run(fetched)
    except NotRendered as error:
        return ReadResult(outcome=ReadOutcome.EMPTY, url=reading.url, reason=str(error))
    # the server can only say of the frame that it did not change: it is asked for the whole again
    return reading if made is None else replace(_read_page(made, candidate, known, now), validators=Validators())


def _read_sitemap(fetched: Fetched, candidate: Candidate, known: PreviousRead | None, now: datetime) -> ReadResult:
    if refused := _result_of_status(fetched, candidate.url, now):
        return refused
    try:
        return ReadResult(
            outcome=ReadOutcome.READ, url=candidate.url, links=parse_sitemap(fetched.body, url=candidate.url)
        )
    except BadSitemap as error:
        return ReadResult(outcome=ReadOutcome.FAILED, url=candidate.url, reason=str(error))


def _read_feed(fetched: Fetched, candidate: Candidate, known: PreviousRead | None, now: datetime) -> ReadResult:
    if refused := _result_of_status(fetched, candidate.url, now):
        return refused
    return ReadResult(outcome=ReadOutcome.READ, url=candidate.url, links=parse_feed(fetched.body, url=candidate.url))


_READERS: dict[str, Callable[[Fetched, Candidate, PreviousRead | None, datetime], ReadResult]] = {
    "page": _read_page,
    "sitemap": _read_sitemap,
    "feed": _read_feed,
}


def _result_of_status(fetched: Fetched, url: str, now: datetime) -> ReadResult | None:
    """What a status other than 200 and 304 means."""
    status = fetched.status
    if status in _GONE:
        return ReadResult(
            outcome=ReadOutcome.GONE, url=url, reason=f"the server answered {status}: there is no such page"
        )
    if status in _BUSY:
        after = parse_retry_after(fetched.headers.get("retry-after", ""), now)
        return ReadResult(
            outcome=ReadOutcome.RETRY, url=url, reason=f"the server is busy ({status})", retry_after_s=after
        )
    if status >= 500:
        return ReadResult(outcome=ReadOutcome.RETRY, url=url, reason=f"the server failed ({status})")
    if status not in (200, 203, 304):
        return ReadResult(outcome=ReadOutcome.FAILED, url=url, reason=f"the server answered {status}")
    return None


def _validators(fetched: Fetched) -> Validators:
    return Validators(etag=fetched.headers.get("etag", ""), last_modified=fetched.headers.get("last-modified", ""))
