"""Read one candidate: ask robots.txt, fetch under guard, extract. Every outcome is a value, never an exception."""

import hashlib
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from urllib.parse import unquote

from crawler import urls
from crawler.browser.render import Browser, NotRendered, run_scripts
from crawler.delay import parse_retry_after
from crawler.discovery.lists import BadSitemap, is_list, parse_feed, parse_sitemap
from crawler.extract.bounded_process import PAGE_S, TooMuchWork, read_bounded
from crawler.extract.charset import decode
from crawler.extract.document import EXTRACTION, NothingToRead, extract
from crawler.extract.files.file_text import read_document
from crawler.extract.html_links import FRAME
from crawler.extract.metadata import Directives, robots_directives
from crawler.extract.selectors import NONE, Selectors
from crawler.extract.walls import Wall, is_login, wall_of
from crawler.fetch.client import Fetcher, OnRedirect
from crawler.fetch.guard import Blocked, FetchError
from crawler.fetch.response import ANY_TYPE, Fetched, FetchTimeout, HostUnreachable, NotTrusted
from crawler.file_kinds import ARCHIVES, kind_of
from crawler.paid_fetcher import PaidFetcher
from crawler.robots import RETRY_AGE, HostBusy, Permission, RobotsCache, RobotsForbidden, RobotsUnavailable
from crawler.search.engine import EngineError
from domain import Candidate, Link, PageText, ReadOutcome, Validators
from text.related_words import shared_start

_OF_WALLS: Mapping[Wall, ReadOutcome] = {
    **dict.fromkeys((Wall.MISSING, Wall.FRONT), ReadOutcome.GONE),
    **dict.fromkeys((Wall.MAINTENANCE, Wall.FAILURE), ReadOutcome.RETRY),
}
_OF_ERRORS: Mapping[type[FetchError], ReadOutcome] = {
    Blocked: ReadOutcome.BLOCKED,
    RobotsForbidden: ReadOutcome.FORBIDDEN,
    NotTrusted: ReadOutcome.FAILED,
    **dict.fromkeys((FetchTimeout, HostUnreachable, HostBusy), ReadOutcome.RETRY),
}
_GONE = frozenset({404, 410})
_CLOSED = frozenset({401, 403, 451})
_BUSY = frozenset({429, 503})
_REFUSED = frozenset({401, 403, 429})
#: before what came instead of a page
NOT_READ = "not read: "
_NOINDEX = "the page asks not to be stored (noindex)"
_EXPIRED = "the page asks not to be shown any more (unavailable_after)"
_UNSELECTED = "its source's `select` matches no text of it: its main content was read"
_LITTLE_TEXT = 400  #: characters
#: readers of what has links and asks something of robots; the others are those of files
_PAGES = frozenset({"html", "markdown", "plain"})
_TEXTS = frozenset({"rows", "markup"})
_NO_TEXTS = (b"%PDF-", *ARCHIVES)


@dataclass(frozen=True, kw_only=True)
class PreviousRead:
    """The stored state of a page's last read."""

    validators: Validators
    content_hash: str
    body_hash: str = ""  #: of the bytes that the text was extracted from, behind the extraction's version
    characters: int = 0  #: of the text

    def is_current(self, selectors: Selectors) -> bool:
        """Return whether the same bytes would give the same text today."""
        return self.body_hash.startswith(f"{EXTRACTION}{selectors.version}-")


@dataclass(frozen=True, kw_only=True)
class ReadResult:
    """The outcome of reading a candidate."""

    outcome: ReadOutcome
    reason: str = ""  #: a sentence, when it was not read, or not as it was to be
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
    is_refused: bool = False  #: the site does not show it to us, but perhaps to others
    usd: float = 0.0  #: paid for it


_Extract = Callable[[Fetched, Candidate, PreviousRead | None], Awaitable[ReadResult]]


async def read(
    candidate: Candidate,
    *,
    client: Fetcher,
    robots: RobotsCache,
    agent: str,
    now: datetime,
    known: PreviousRead | None = None,
    browser: Browser | None = None,
    take_slot: OnRedirect | None = None,
    left_out: Sequence[str] = (),
    ignores_robots: Callable[[str], bool] = lambda _: False,
    selectors_of: Callable[[str], Selectors] = lambda _: NONE,
    paid: PaidFetcher | None = None,
) -> ReadResult:
    """Read a candidate as its site allows; ``agent`` is our name in robots.txt, ``browser`` runs scripts if need be.

    ``take_slot`` is awaited before a redirect's target and its robots.txt are requested; it may raise HostBusy.
    Nothing is requested of the sites that are ``left_out``. ``ignores_robots`` says of a canonical URL whether its
    operator lets it be read whatever robots.txt and noindex say; ``selectors_of`` says what counts as its content.
    ``paid`` fetches what robots.txt allows and the site refuses.
    """
    new_permission = partial(Permission, client, robots, agent, now, left_out, ignores_robots)
    permission, started = new_permission(), time.monotonic()
    leads_to, until = candidate.url, started + PAGE_S
    is_current = known is not None and known.is_current(selectors_of(candidate.url))

    async def extracted(answer: Fetched, asked: Candidate, known: PreviousRead | None) -> ReadResult:
        url = urls.canonical(answer.url)
        named = None if ignores_robots(url) else agent
        extract_it = partial(_extracted, answer, asked, known, named, now, selectors_of(url))
        try:
            return await read_bounded(extract_it, len(answer.body), until=until)
        except TooMuchWork as error:
            return ReadResult(outcome=ReadOutcome.FAILED, url=asked.url, reason=f"{asked.url} {error}")

    async def before_redirect(url: str) -> None:
        nonlocal leads_to
        leads_to = url
        await permission.check_site(url)
        if take_slot is not None:
            await take_slot(url)
        await permission.check(url)

    try:
        await permission.check(candidate.url)
        fetched = await client.get(
            candidate.url,
            headers=known.validators.headers() if is_current and known else None,
            accept=None if candidate.kind == "page" else ANY_TYPE,
            on_redirect=before_redirect,
        )
        result = await extracted(fetched, candidate, known)
        if candidate.kind == "page" and _has_little_text(result):
            result = await _with_frame(result, fetched.url, client, before_redirect, extracted)
        if candidate.kind == "page" and _has_little_text(result):
            rendering = run_scripts(fetched, browser=browser, client=client, permission=new_permission(), until=until)
            result = await _with_scripts(result, rendering, lambda page: extracted(page, candidate, known))
        if candidate.kind == "page" and result.is_refused and paid is not None:
            result = await _paid_for(result, paid, lambda page: extracted(page, candidate, known))
        result = replace(result, bytes=len(fetched.body), elapsed_s=fetched.elapsed_s, status=fetched.status)
    except FetchError as error:
        result = replace(_of_error(error, candidate.url, leads_to), elapsed_s=time.monotonic() - started)
    return replace(result, links=(*permission.sitemaps, *result.links), crawl_delay_s=permission.delay_s)


def _extracted(
    fetched: Fetched,
    candidate: Candidate,
    known: PreviousRead | None,
    agent: str | None,
    now: datetime,
    selectors: Selectors,
) -> ReadResult:
    """Return what an answer holds: a page's text and links, or the links of a sitemap or feed.

    Without an ``agent`` it is read whatever it says to robots.
    """
    url = urls.canonical(fetched.url) if candidate.kind == "page" else candidate.url
    if failure := _of_status(fetched, candidate.url, now):
        return failure
    if candidate.kind == "page":
        return _of_list(fetched, url) or _of_page(fetched, candidate, url, known, agent, now, selectors)
    try:
        parse = parse_sitemap if candidate.kind == "sitemap" else parse_feed
        return ReadResult(outcome=ReadOutcome.READ, url=url, links=parse(fetched.body, url=url))
    except BadSitemap as error:
        return ReadResult(outcome=ReadOutcome.FAILED, url=url, reason=str(error))


def _of_list(fetched: Fetched, url: str) -> ReadResult | None:
    """Return the links of a page that is a sitemap, a feed or another list, for the folder of what it lists."""
    if not is_list(fetched.body, url=url):
        return None
    try:
        links = parse_sitemap(fetched.body, url=url)
    except BadSitemap:
        return None
    if not links:
        return ReadResult(outcome=ReadOutcome.EMPTY, url=url, reason=f"{url} is a list without a page of its own site.")
    first, last = min(link.url for link in links), max(link.url for link in links)
    folder, top = first[: first.rfind("/", 0, shared_start(first, last)) + 1], f"{urls.origin(url)}/"
    return ReadResult(outcome=ReadOutcome.READ, url=folder if folder.startswith(top) else top, links=links)


async def _with_frame(
    result: ReadResult, url: str, client: Fetcher, before_redirect: OnRedirect, extracted: _Extract
) -> ReadResult:
    """Return the result of a page with hardly any text with that of its one frame of its site, if it has more."""
    frames = [link.url for link in result.links if link.origin == FRAME]
    if len(frames) != 1:
        return result
    try:
        client.check_part(frames[0], url)
        await before_redirect(frames[0])
        answer = await client.get(frames[0], on_redirect=before_redirect)
        framed = await extracted(answer, Candidate(url=frames[0]), None)
    except FetchError:  # the page is what it is without
        return result
    if framed.page is None or (result.page is not None and len(result.page.text) >= len(framed.page.text)):
        return result
    title = result.page.title if result.page is not None and result.page.title != result.url else framed.page.title
    links = (*(link for link in result.links if link.origin != FRAME), *framed.links)
    page = replace(framed.page, title=title, canonical_url="")
    return replace(framed, url=result.url, page=page, links=links, validators=Validators(), body_hash="")


async def _with_scripts(
    result: ReadResult, rendering: Awaitable[Fetched | None], extracted: Callable[[Fetched], Awaitable[ReadResult]]
) -> ReadResult:
    """Return what a page says once its scripts have run, without the validators: those are of the page before."""
    try:
        rendered = await rendering
    except NotRendered as error:
        return ReadResult(outcome=ReadOutcome.EMPTY, url=result.url, reason=str(error), links=result.links)
    if rendered is None:
        return result
    found = await extracted(rendered)
    is_worse = found.outcome == ReadOutcome.FAILED and result.page is not None
    return result if is_worse else replace(found, validators=Validators())


async def _paid_for(
    result: ReadResult, paid: PaidFetcher, extracted: Callable[[Fetched], Awaitable[ReadResult]]
) -> ReadResult:
    """Return a refused page as a paid service fetches it, with the reason; the refusal, if the service fails."""
    try:
        found = await extracted(await paid.fetch(result.url))
    except EngineError as error:
        return replace(result, reason=f"{result.reason}; {error}")
    if found.outcome not in (ReadOutcome.READ, ReadOutcome.UNCHANGED):
        outcome = ReadOutcome.FAILED if result.outcome is ReadOutcome.RETRY else result.outcome  # it costs each time
        return replace(result, outcome=outcome, reason=f"{result.reason}; {paid.name}: {found.reason}", usd=paid.usd)
    page = found.page and replace(found.page, fetched_by=paid.name)
    reason = f"{result.reason}; fetched by {paid.name}"
    return replace(found, page=page, reason=reason, validators=Validators(), usd=paid.usd)


def _text_of(fetched: Fetched, url: str, selectors: Selectors) -> PageText:
    """Return the text of a page or of any other document that is read; raises NothingToRead."""
    declared = fetched.headers.get("content-type", "")
    kind = kind_of(fetched.body, url=url, content_type=fetched.content_type)
    if kind is None or (kind.reader in _PAGES and not fetched.body.startswith(_NO_TEXTS)):
        content_type = f"{kind.content_type};{declared.partition(';')[2]}" if kind else declared
        return extract(fetched.body, url=url, content_type=content_type, selectors=selectors)
    name = unquote(url.partition("?")[0].rstrip("/").rpartition("/")[2])
    is_text = kind.reader in _TEXTS and not fetched.body.startswith(_NO_TEXTS)
    body = decode(fetched.body, declared).encode() if is_text else fetched.body
    return read_document(body, name=name, url=url, kind=kind)


def _of_page(
    fetched: Fetched,
    candidate: Candidate,
    url: str,
    known: PreviousRead | None,
    agent: str | None,
    now: datetime,
    selectors: Selectors,
) -> ReadResult:
    headers = fetched.headers
    validators = Validators(etag=headers.get("etag", ""), last_modified=headers.get("last-modified", ""))
    said = headers.get("x-robots-tag", "")
    directives = Directives() if agent is None else robots_directives(said, agent=agent)
    if fetched.status == 304:
        if why := _why_not_shown(directives.index, directives.until, now):
            return ReadResult(outcome=ReadOutcome.FORBIDDEN, url=candidate.url, reason=why)
        return ReadResult(outcome=ReadOutcome.UNCHANGED, url=candidate.url, validators=validators)
    body_hash = f"{EXTRACTION}{selectors.version}-{hashlib.blake2b(fetched.body, digest_size=16).hexdigest()}"
    unchanged = ReadResult(outcome=ReadOutcome.UNCHANGED, url=url, validators=validators, body_hash=body_hash)
    is_dated = b"unavailable_after" in fetched.body.lower()
    if known is not None and known.body_hash == body_hash and directives == Directives() and not is_dated:
        return unchanged  # the same bytes were extracted before
    try:
        page, nothing = _text_of(fetched, url, selectors), None
    except NothingToRead as error:
        page, nothing = None, error
    if wall := wall_of(fetched, page, asked=candidate.url, known_characters=known.characters if known else 0):
        return _of_wall(wall, candidate.url)
    if page is None:
        links = nothing.links if nothing and directives.follow else ()
        return ReadResult(outcome=ReadOutcome.EMPTY, url=url, reason=str(nothing), links=links)
    if agent is None:
        page = replace(page, index=True, follow=True, until=None)
    links = page.links if page.follow and directives.follow else ()
    for asked in (directives, page):
        if why := _why_not_shown(asked.index, asked.until, now):
            return ReadResult(outcome=ReadOutcome.FORBIDDEN, url=url, reason=why, links=links)
    if page.until is not None:  # the same bytes are looked at again on its last day
        unchanged, known = replace(unchanged, validators=Validators()), None
    content_hash = page.content_hash
    if known is not None and known.content_hash == content_hash:
        return replace(unchanged, content_hash=content_hash, links=links)
    reason = "" if page.is_selected else _UNSELECTED
    return replace(
        unchanged, outcome=ReadOutcome.READ, page=page, links=links, content_hash=content_hash, reason=reason
    )


def _of_wall(wall: Wall, url: str) -> ReadResult:
    outcome, is_refused = _OF_WALLS.get(wall, ReadOutcome.WALL), wall is Wall.CHALLENGE
    return ReadResult(outcome=outcome, url=url, reason=f"{NOT_READ}{wall}", is_refused=is_refused)


def _why_not_shown(index: bool, until: datetime | None, now: datetime) -> str:
    return _NOINDEX if not index else _EXPIRED if until is not None and until <= now else ""


def _has_little_text(result: ReadResult) -> bool:
    """Return whether so little was read that scripts may have to add the rest."""
    page = result.page
    has_little = page is not None and (len(page.text) < _LITTLE_TEXT or not page.is_selected)
    return result.outcome == ReadOutcome.EMPTY or has_little


def _of_status(fetched: Fetched, url: str, now: datetime) -> ReadResult | None:
    """Return the result of an answer without content; None for one with content, or a 304."""
    status = fetched.status
    if status in (200, 203, 304):
        return None
    outcome, reason, after_s = ReadOutcome.FAILED, f"the server answered {status}", None
    if status in _GONE:
        outcome, reason = ReadOutcome.GONE, f"{reason}: there is no such page"
    elif status in _CLOSED:
        outcome, reason = ReadOutcome.WALL, f"{reason}: it does not show the page"
    elif status in _BUSY:
        outcome, reason = ReadOutcome.RETRY, f"the server is busy ({status})"
        after_s = parse_retry_after(fetched.headers.get("retry-after", ""), now)
    elif status >= 500:
        outcome, reason = ReadOutcome.RETRY, f"the server failed ({status})"
    is_refused = status in _REFUSED
    return ReadResult(outcome=outcome, url=url, reason=reason, retry_after_s=after_s, is_refused=is_refused)


def _of_error(error: FetchError, url: str, leads_to: str) -> ReadResult:
    if isinstance(error, Blocked | RobotsForbidden) and is_login(leads_to, asked=url):
        return _of_wall(Wall.LOGIN, url)
    outcome = next((outcome for kind, outcome in _OF_ERRORS.items() if isinstance(error, kind)), ReadOutcome.FAILED)
    after_s = error.after_s if isinstance(error, HostBusy) else None
    if isinstance(error, RobotsUnavailable):
        after_s = RETRY_AGE.total_seconds()
    return ReadResult(outcome=outcome, url=url, reason=str(error), retry_after_s=after_s)
