"""Extracts a page at once, while its asker waits: one of the web as a crawl would read it, or HTML that is sent."""

import asyncio
import time
from functools import partial
from threading import BoundedSemaphore
from typing import Final

from crawler import urls
from crawler.extract.bounded_process import TooMuchWork, read_bounded
from crawler.extract.document import NothingToRead
from crawler.extract.document import extract as extract_html
from crawler.read import ReadResult
from crawler.robots import HostBusy
from domain import Candidate, PageText, ReadOutcome
from domain.document import own_address
from domain.errors import WellreadError
from store.crawl import candidates, sources
from store.crawl.candidates import CandidateStatus
from workers.admission import Busy, admitted
from workers.crawl import outcomes, sites
from workers.crawl.claim import Claim, claim, needs_no_fetch, save_next_delay, stored_delay_s
from workers.crawl.read_candidate import HostSlots, reading_of
from workers.questions import submit
from workers.questions.conditions import left_out
from workers.services import Services

#: seconds in which a page is fetched and extracted, with the wait for its host
MOST_S: Final = 60.0
#: pages that a process extracts at a time; each has a thread of the API and a process of its own
AT_ONCE: Final = 6
_turn = partial(
    admitted, BoundedSemaphore(AT_ONCE), f"{AT_ONCE} pages are being extracted, as many as may be at a time."
)
HTML: Final = "HTML"


class PageNotRead(WellreadError):
    """A page cannot be extracted; the message says why: its site forbids it, it is none, it has no text."""


class PageNotReached(WellreadError):
    """A page's site is down or busy, or it took too long; it may be read later."""


def page_at(services: Services, url: str, owner: str | None, *, keep: bool = False) -> tuple[ReadResult, int | None]:
    """Return what is read of a URL; if it is kept, also the id of its reading.

    Raises BadSite, QuotaSpent, Busy, PageNotRead or PageNotReached.
    """
    candidate = Candidate(url=submit.check_site(services, url), origin="asked for")
    if owner:
        services.take(owner, services.limits_of(owner), "pages")
    try:
        with _turn():
            kept_id, reading = _kept(services, candidate) if keep else (None, _read(services, candidate))
        if reading.outcome is ReadOutcome.RETRY or reading.retry_after_s is not None:
            raise PageNotReached(reading.reason)
        if reading.page is None:
            raise PageNotRead(reading.reason or f"{reading.url} is a list of pages, not a page.")
    except BaseException:
        services.spend(owner, pages=-1)
        raise
    return reading, kept_id


def page_of(services: Services, html: str, url: str = "") -> PageText:
    """Return what is read of HTML, which may have come from a URL. Raises BadUrl, Busy or PageNotRead."""
    address = urls.canonical(url) if url else own_address(HTML)
    selectors = sites.selectors_of(services.read(sources.list_all), address)
    body = html.encode("utf-8", "replace")
    content_type = "text/html; charset=utf-8"
    work = partial(extract_html, body, url=address, content_type=content_type, selectors=selectors)
    try:
        with _turn():
            return services.wait_for(read_bounded(work, len(body), until=time.monotonic() + MOST_S))
    except TooMuchWork as error:
        raise PageNotRead(f"{url or 'The HTML'} {error}") from error
    except NothingToRead as error:
        raise PageNotRead(str(error) if url else str(error).replace(address, "The HTML")) from error


def _kept(services: Services, candidate: Candidate) -> tuple[int, ReadResult]:
    """Read and store a page as a worker does; return the id of its reading."""
    waits, now = CandidateStatus.WAITING, services.now()
    (row_id,) = services.write(candidates.add, None, [candidate], wave=0, status=waits, now=now)
    mine = claim(services, row_id)
    if mine is None:
        raise Busy(f"{candidate.url} is being read already.")
    with services.leases.holding(mine.lease):
        if settled := needs_no_fetch(mine, now):
            outcomes.record_skipped(services, mine, settled)
            raise PageNotRead(f"{candidate.url} is not read: {settled.reason}.")
        reading = _read(services, candidate, mine)
        outcomes.record_read(services, mine, reading, mine.delay_s)
    return row_id, reading


def _read(services: Services, candidate: Candidate, mine: Claim | None = None) -> ReadResult:
    known = mine.sources if mine else services.read(sources.list_all)
    client = services.client(known, mine.secrets if mine else services.read(sources.secrets))
    slots, excluded = HostSlots(services, known), left_out(services)

    async def in_time() -> ReadResult:
        async with asyncio.timeout(MOST_S):
            await slots.take(candidate.url)
            return await reading_of(services, candidate, known, client, slots, excluded=excluded)

    try:
        before_s = services.read(stored_delay_s, services, candidate.url, known)
        reading = services.wait_for(in_time())
        save_next_delay(services, candidate.url, known, before_s, reading)
    except (TimeoutError, HostBusy) as error:
        reason = str(error) or f"{candidate.url} was not read within {MOST_S:g} s."
        reading = ReadResult(outcome=ReadOutcome.RETRY, url=candidate.url, reason=reason)
    finally:
        slots.release()
    return reading
