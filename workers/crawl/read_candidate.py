"""Reads one candidate: takes a slot at its host or comes back later, fetches, and records the result."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta
from functools import partial

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from redis import RedisError

from crawler import urls
from crawler.fetch.client import Fetcher
from crawler.fetch.guard import Blocked
from crawler.paid_fetcher import PaidFetcher
from crawler.read import PreviousRead, ReadResult
from crawler.read import read as read_page
from crawler.robots import HostBusy, RobotsFile
from domain import Candidate, Cost, ReadOutcome
from domain.file import is_file_address
from domain.site import Source
from store.crawl import candidates, sources
from store.crawl.candidates import CandidateOutcome
from store.ephemeral.slots import Slot
from store.pages import refresh_queue
from store.questions import trace
from store.sql import leases
from store.sql.rows import to_value
from workers import files, monitoring
from workers.crawl import outcomes, sites
from workers.crawl.claim import Claim, claim, needs_no_fetch, save_next_delay, stored_delay_s
from workers.egress import guard
from workers.questions.conditions import left_out
from workers.questions.step import spend_cost
from workers.services import Services
from workers.services.interruptions import AGAIN_AFTER_S, OUTAGES
from workers.services.pipeline import remaining_budget

log = structlog.get_logger()

#: the longest wait for a slot at a host that a redirect leads to; beyond it the page is read later
MOST_WAIT_S = 5.0


def read(services: Services, candidate_id: int) -> None:
    """Read one candidate, if it still waits to be read."""
    mine = claim(services, candidate_id)
    if mine is None:
        monitoring.report_not_due()
        return
    monitoring.note_page(mine.candidate.url, mine.question.id if mine.question else "")
    if outcome := needs_no_fetch(mine, services.now()):
        outcomes.record_skipped(services, mine, outcome)
        return
    if is_file_address(mine.candidate.url):
        _read_file(services, mine)
        return
    try:
        slot = services.host_slots.claim(urls.origin(mine.candidate.url), now=time.time(), delay_s=mine.delay_s)
    except OUTAGES as error:
        _postpone(services, mine, error)
        return
    if slot.wait_s > 0:
        monitoring.report_later(f"waits {slot.wait_s:.1f} s for its turn at the host")
        services.write(leases.defer, mine.lease, services.now() + timedelta(seconds=slot.wait_s))
        services.dispatcher.send("wellread.read", candidate_id, priority=mine.priority, in_s=slot.wait_s)
        return
    with structlog.contextvars.bound_contextvars(question=mine.question and mine.question.id, url=mine.candidate.url):
        _read_now(services, mine, slot)


def _read_now(services: Services, claim: Claim, slot: Slot) -> None:
    """Fetch in the host's slot, then record the result; the candidate's lease is held all the while."""
    with services.leases.holding(claim.lease):
        delay_s = claim.delay_s
        try:
            reading = fetch(services, claim)
            delay_s = save_next_delay(services, claim.candidate.url, claim.sources, claim.delay_s, reading)
        except OUTAGES as error:
            _postpone(services, claim, error)
            return
        except SoftTimeLimitExceeded:  # it would take as long again
            reading = _too_long(claim)
        except Exception as error:  # the row remembers what failed; the sweep tries again
            log.exception("read_failed")
            _retry(services, claim, f"{type(error).__name__}: {error}", after_s=leases.backoff_s(claim.attempts))
            return
        finally:
            _release(services, slot, delay_s)
        # a page that is due is planned again soon: its host's other pages do not wait for it
        is_due_page = claim.candidate.origin == refresh_queue.ORIGIN
        if reading.outcome == ReadOutcome.RETRY and claim.attempts < leases.MAX_ATTEMPTS and not is_due_page:
            after_s = reading.retry_after_s or leases.backoff_s(claim.attempts)
            _retry(services, claim, reading.reason, after_s=after_s, took_s=reading.elapsed_s)
        else:
            outcomes.record_read(services, claim, reading, delay_s)


def _too_long(claim: Claim) -> ReadResult:
    """Return that a page or file was not read within the time of a task, and is not tried again before it is due."""
    log.error("read_took_too_long", url=claim.candidate.url)
    return ReadResult(outcome=ReadOutcome.FAILED, url=claim.candidate.url, reason="it took longer than 100 s to read")


def _read_file(services: Services, claim: Claim) -> None:
    """Read a file of the operator's own, then record the result; the candidate's lease is held all the while."""
    with services.leases.holding(claim.lease):
        try:
            reading = files.read(services, claim.candidate.url, claim.page)
        except SoftTimeLimitExceeded:
            reading = _too_long(claim)
        except Exception as error:  # the row remembers what failed; the sweep tries again
            log.exception("file_not_read", url=claim.candidate.url)
            reading = ReadResult(outcome=ReadOutcome.RETRY, reason=f"{type(error).__name__}: {error}")
        if reading.outcome == ReadOutcome.RETRY:
            _retry(services, claim, reading.reason, after_s=leases.backoff_s(claim.attempts))
        else:
            outcomes.record_read(services, claim, reading, 0.0)


def fetch(services: Services, claim: Claim) -> ReadResult:
    """Fetch and extract the claimed page; store nothing."""
    import trafilatura  # noqa: F401 (before this process forks those that read with it)

    page, known = claim.page, None
    if page and not page.is_gone:  # a page that comes back must be fetched whole
        known = to_value(PreviousRead, page)
    slots = HostSlots(services, claim.sources, claim.candidate.url)
    excluded = left_out(services, claim.question.overrides) if claim.question else left_out(services)
    client = services.client(claim.sources, claim.secrets)
    read_it = partial(reading_of, known=known, excluded=excluded, paid=paid_fetcher(services, claim))
    try:
        reading = services.wait_for(read_it(services, claim.candidate, claim.sources, client, slots))
    finally:
        slots.release()
    if reading.usd and claim.question:
        cost, now = Cost(usd=reading.usd), services.now()
        services.write(trace.add_cost, claim.question.id, "fetch", cost, started_at=now, now=now)
        spend_cost(services, claim.question, cost)
    return reading


def paid_fetcher(services: Services, claim: Claim) -> PaidFetcher | None:
    """Return the paid service, if there is one, for a page of the public web that the question can pay."""
    paid, url = services.paid_fetcher, claim.candidate.url
    if paid is None or any(source.own_scope.covers(url) for source in claim.sources if source.own):
        return None
    try:
        if guard(services.settings, claim.sources).check(url).own:
            return None
    except Blocked:  # reading it says why
        return None
    is_paid = claim.question is None or remaining_budget(services, claim.question).usd >= paid.usd
    return paid if is_paid else None


async def reading_of(
    services: Services,
    candidate: Candidate,
    known_sources: Sequence[Source],
    client: Fetcher,
    slots: "HostSlots",
    *,
    known: PreviousRead | None = None,
    excluded: Sequence[str] = (),
    paid: PaidFetcher | None = None,
) -> ReadResult:
    """Fetch and extract a candidate, whose host's slot is taken, as its sources say."""

    def ignored(url: str) -> bool:
        return any(source.may_ignore_robots(url) for source in known_sources)

    if ignored(candidate.url):
        log.info("robots_ignored", url=candidate.url)
    return await read_page(
        candidate,
        client=client,
        robots=_StoredRobots(services),
        agent=services.settings.user_agent,
        now=services.now(),
        known=known,
        browser=services.browser,
        take_slot=slots.take,
        left_out=excluded,
        ignores_robots=ignored,
        selectors_of=partial(sites.selectors_of, known_sources),
        paid=paid,
    )


def _release(services: Services, slot: Slot, delay_s: float) -> None:
    try:
        services.host_slots.release(slot, now=time.time(), delay_s=delay_s)
    except RedisError as error:  # a slot ends by itself; what was read is not to be lost for it
        log.warning("slot_not_released", error=str(error))


def _postpone(services: Services, claim: Claim, error: Exception) -> None:
    """Have a page read later that could not be read without the database or Redis; the sweep sends it again."""
    log.warning("read_postponed", url=claim.candidate.url, error=str(error))
    monitoring.report_later(f"read later: {error}")
    services.write(leases.defer, claim.lease, services.now() + timedelta(seconds=AGAIN_AFTER_S))


def _retry(services: Services, claim: Claim, error: str, *, after_s: float, took_s: float = 0.0) -> None:
    is_too_late = claim.question is not None and after_s > claim.question.budget.seconds
    if claim.attempts >= leases.MAX_ATTEMPTS or is_too_late:
        outcomes.record_skipped(services, claim, CandidateOutcome(outcome=ReadOutcome.FAILED, reason=error))
        return
    monitoring.report_later(f"read again in {after_s:.0f} s: {error}")
    services.write(candidates.retry_later, claim.lease, after_s=after_s, took_s=took_s, error=error, now=services.now())


class _StoredRobots:
    """The robots.txt files in SQL, by origin."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def get(self, origin: str) -> RobotsFile | None:
        """Return the stored file, if there is one."""
        row = self._services.read(sources.host, origin)
        if row is None or row.robots_at is None:
            return None
        return RobotsFile(status=row.robots_status, body=row.robots, fetched_at=row.robots_at)

    def put(self, origin: str, file: RobotsFile) -> None:
        """Save a file."""
        self._services.write(sources.save_robots, origin, **asdict(file))


class HostSlots:
    """Takes a slot at each host that redirects lead to before its first request, and releases all slots together.

    One at the host of ``own_url`` is taken already.
    """

    def __init__(self, services: Services, known: Sequence[Source], own_url: str = "") -> None:
        self._services, self._known = services, known
        self._own = urls.origin(own_url) if own_url else ""
        self._taken: dict[str, tuple[Slot, float]] = {}

    async def take(self, url: str) -> None:
        """Take a slot at the URL's host unless one is taken; raises HostBusy if the wait is too long."""
        host = urls.origin(url)
        if host == self._own or host in self._taken:
            return
        delay_s = self._services.read(stored_delay_s, self._services, url, self._known)
        left_s = MOST_WAIT_S
        claim = partial(self._services.host_slots.claim, host, delay_s=delay_s)
        while (slot := claim(now=time.time())).wait_s > 0:
            left_s -= slot.wait_s
            if left_s < 0:
                raise HostBusy(f"{host} is busy with other requests.", after_s=slot.wait_s)
            await asyncio.sleep(slot.wait_s)
        self._taken[host] = slot, delay_s

    def release(self) -> None:
        """Release the slots; each host gets its own delay."""
        for slot, delay_s in self._taken.values():
            self._services.host_slots.release(slot, now=time.time(), delay_s=delay_s)
        self._taken.clear()
