"""Reads one candidate: waits for the host's turn without sleeping, reads, records, and moves the question on."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog

from crawler import urls
from crawler.read import PreviousRead as KnownText
from crawler.read import ReadResult
from crawler.read import read as read_page
from domain import ReadOutcome
from store.crawl.candidates import CandidateOutcome
from store.sql import leases
from workers.crawl import host_delay, record
from workers.crawl.claim import Claim, claim, needs_no_fetch
from workers.crawl.model_facts import with_facts
from workers.crawl.redirect_slots import RedirectSlots
from workers.crawl.robots_cache import KeptRobots

if TYPE_CHECKING:
    from store.ephemeral.host_slots import Slot
    from workers.services import Services

log = structlog.get_logger()


def read(services: Services, candidate_id: int) -> None:
    """Read one candidate, if it still waits to be read."""
    mine = claim(services, candidate_id)
    if mine is None:
        return
    if outcome := needs_no_fetch(mine, services.now()):
        record.record(services, mine, outcome)
        return
    turn = services.slots.claim(urls.origin(mine.candidate.url), now=time.time(), delay_s=mine.delay_s)
    if turn.wait_s > 0:
        _defer(services, mine, turn.wait_s)
        return
    with structlog.contextvars.bound_contextvars(question=mine.question and mine.question.id, url=mine.candidate.url):
        _read_now(services, mine, turn)


def _read_now(services: Services, claim: Claim, turn: Slot) -> None:
    """Read in the host's turn, then keep what was read; the candidate is held all the while."""
    with services.leases.holding(claim.lease):
        pause_s = claim.delay_s
        try:
            reading = fetch(services, claim)
            pause_s = host_delay.next_delay_s(services, claim.candidate.url, claim.sources, claim.delay_s, reading)
        except Exception as error:  # the row remembers what failed; the sweep tries again
            log.exception("read_failed")
            _retry(services, claim, f"{type(error).__name__}: {error}", after_s=leases.backoff_s(claim.attempts))
            return
        finally:
            services.slots.release(turn, now=time.time(), delay_s=pause_s)
        if reading.outcome == ReadOutcome.RETRY and claim.attempts < leases.MAX_ATTEMPTS:
            _retry(services, claim, reading.reason, after_s=reading.retry_after_s or leases.backoff_s(claim.attempts))
        else:
            record.keep(services, claim, with_facts(services, claim.question, reading), pause_s)


def fetch(services: Services, claim: Claim) -> ReadResult:
    """Fetch and extract what was claimed; keeps nothing."""
    page = claim.page
    known = (
        KnownText(validators=page.validators, content_hash=page.content_hash, body_hash=page.body_hash)
        if page and not page.is_gone  # one that comes back must be had whole
        else None
    )
    turns = RedirectSlots(services, claim.candidate.url, claim.sources)
    try:
        return services.wait_for(
            read_page(
                claim.candidate,
                client=services.client(claim.sources),
                robots=KeptRobots(services.database),
                agent=services.settings.user_agent,
                now=services.now(),
                known=known,
                browser=services.browser,
                take_slot=turns.take,
            )
        )
    finally:
        turns.release()


def _defer(services: Services, claim: Claim, wait_s: float) -> None:
    with services.database.write() as session:
        leases.defer(session, claim.lease, services.now() + timedelta(seconds=wait_s))
    services.dispatcher.send("wellread.read", claim.candidate_id, in_s=wait_s)


def _retry(services: Services, claim: Claim, error: str, *, after_s: float) -> None:
    if claim.attempts >= leases.MAX_ATTEMPTS or (
        claim.question is not None and after_s > claim.question.budget.seconds
    ):
        record.record(services, claim, CandidateOutcome(outcome=ReadOutcome.FAILED, reason=error))
        return
    with services.database.write() as session:
        leases.retry_later(session, claim.lease, services.now() + timedelta(seconds=after_s), error)
