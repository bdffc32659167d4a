"""Reads one candidate: waits for the host's turn without sleeping, reads, records, and moves the question on."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import structlog

from crawler import politeness, urls
from crawler.permission import RobotsFile
from crawler.read import Known as KnownText
from crawler.read import Reading
from crawler.read import read as read_page
from store import candidates, leases, pages, questions, sources
from store.candidates import CandidateStatus, Outcome
from store.leases import Lease
from store.tables import CandidateRow
from store.types import Candidate, Question, Status
from workers.budget import out_of_time
from workers.waves import after_reading

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from crawler.fetch import Client
    from store.slots import Turn
    from workers.services import Services

log = structlog.get_logger()

#: a page that was looked at this recently is not fetched again for another question
FRESH_S = 600.0


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A candidate this process may read, and what is known of its page and host."""

    lease: Lease
    candidate_id: int
    candidate: Candidate
    question: Question | None
    attempts: int
    page: pages.Known | None
    sources: tuple[sources.Source, ...]
    delay_s: float


def read(services: Services, candidate_id: int) -> None:
    """Read one candidate, if it still waits to be read."""
    claim = _claim(services, candidate_id)
    if claim is None:
        return
    if outcome := _needs_no_fetch(claim, services.now()):
        _record(services, claim, outcome)
        return
    turn = services.slots.claim(urls.origin(claim.candidate.url), now=time.time(), delay_s=claim.delay_s)
    if turn.wait_s > 0:
        _defer(services, claim, turn.wait_s)
        return
    with structlog.contextvars.bound_contextvars(
        question=claim.question and claim.question.id, url=claim.candidate.url
    ):
        _read_now(services, claim, turn)


def _read_now(services: Services, claim: Claim, turn: Turn) -> None:
    reading: Reading | None = None
    try:
        with services.keeper.keeping(claim.lease):
            reading = services.wait_for(_fetch(services, claim, services.client(claim.sources)))
    except Exception as error:  # the row remembers what failed; the sweep tries again
        log.exception("read_failed")
        _retry(services, claim, f"{type(error).__name__}: {error}", after_s=leases.backoff_s(claim.attempts))
    finally:
        services.slots.release(turn, now=time.time(), delay_s=_next_delay(services, claim, reading))
    if reading is None:
        return
    if reading.outcome == "retry" and claim.attempts < leases.MAX_ATTEMPTS:
        _retry(services, claim, reading.reason, after_s=reading.retry_after_s or leases.backoff_s(claim.attempts))
    else:
        _keep(services, claim, reading)


async def _fetch(services: Services, claim: Claim, client: Client) -> Reading:
    page = claim.page
    known = KnownText(validators=page.validators, content_hash=page.content_hash) if page else None
    return await read_page(
        claim.candidate,
        client=client,
        robots=_Robots(services),
        agent=services.settings.user_agent,
        now=services.now(),
        known=known,
        browser=services.browser,
    )


class _Robots:
    """The robots.txt files that were fetched, in SQL."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def get(self, origin: str) -> RobotsFile | None:
        with self._services.database.read() as session:
            record = sources.robots(session, origin)
        if record is None:
            return None
        return RobotsFile(status=record.status, body=record.body, fetched_at=record.fetched_at)

    def put(self, origin: str, file: RobotsFile) -> None:
        record = sources.RobotsRecord(status=file.status, body=file.body, fetched_at=file.fetched_at)
        with self._services.database.write() as session:
            sources.save_robots(session, origin, record)


def _claim(services: Services, candidate_id: int) -> Claim | None:
    now = services.now()
    with services.database.write() as session:
        lease = leases.claim(session, CandidateRow, candidate_id, CandidateRow.status == CandidateStatus.WAITING, now)
        if lease is None:
            return None
        row = session.get_one(CandidateRow, candidate_id, populate_existing=True)
        candidate = candidates.to_candidate(row)
        known_sources = tuple(sources.every(session))
        return Claim(
            lease=lease,
            candidate_id=candidate_id,
            candidate=candidate,
            question=questions.find(session, row.question_id) if row.question_id else None,
            attempts=row.attempts,
            page=pages.find(session, candidate.url) if candidate.kind == "page" else None,
            sources=known_sources,
            delay_s=_delay_s(session, services, candidate.url, known_sources),
        )


def _delay_s(session: Session, services: Services, url: str, known: tuple[sources.Source, ...]) -> float:
    floor = _floor_s(services, url, known)
    return max(floor, sources.delay_s(session, urls.origin(url)) or floor)


def _floor_s(services: Services, url: str, known: tuple[sources.Source, ...]) -> float:
    """The shortest pause at this host: the source's own setting, else everyone's."""
    for source in known:
        if source.min_delay_s is not None and urls.origin(source.url) == urls.origin(url):
            return source.min_delay_s
    return services.settings.min_delay_s


def _needs_no_fetch(claim: Claim, now: datetime) -> Outcome | None:
    question, page = claim.question, claim.page
    if question is not None and question.status is not Status.READING:
        return Outcome(outcome="skipped", reason="the question no longer waits for it")
    if question is not None and (stop := out_of_time(question, now)):
        return Outcome(outcome="skipped", reason=stop)
    if claim.attempts > leases.MAX_ATTEMPTS:
        return Outcome(outcome="failed", reason=f"given up after {leases.MAX_ATTEMPTS} attempts")
    if question is not None and page is not None and (now - page.checked_at).total_seconds() < FRESH_S:
        return Outcome(outcome="known", reason="read a moment ago", page_id=page.id, news=True)
    return None


def _keep(services: Services, claim: Claim, reading: Reading) -> None:
    """Keep what was read, then what came of the candidate."""
    now, candidate = services.now(), claim.candidate
    with services.database.write() as session:
        page_id, news = claim.page.id if claim.page else None, False
        if reading.page is not None:
            page_id, news = pages.save(
                session,
                url=reading.url,
                host=urls.origin(reading.url),
                page=reading.page,
                content_hash=reading.content_hash,
                validators=reading.validators,
                depth=candidate.depth,
                now=now,
            )
        elif page_id is not None and reading.outcome == "unchanged":
            pages.unchanged(session, page_id, now)
        elif page_id is not None and reading.outcome == "gone":
            pages.gone(session, page_id, now)
        elif page_id is not None:
            pages.failed(session, page_id, now)
        links = pages.save_links(
            session,
            site=urls.origin(candidate.url),
            from_url=candidate.url,
            links=reading.links,
            depth=candidate.depth + (1 if candidate.kind == "page" else 0),
            now=now,
        )
    outcome = Outcome(
        outcome=reading.outcome if reading.outcome != "retry" else "failed",
        reason=reading.reason,
        page_id=page_id,
        bytes=reading.bytes,
        elapsed_s=reading.elapsed_s,
        news=news or links > 0,
    )
    _record(services, claim, outcome)
    if page_id is not None and (news or reading.outcome == "gone"):
        services.doorbell.ring("wellread.embed", page_id)


def _record(services: Services, claim: Claim, outcome: Outcome) -> None:
    """Settle the candidate; the last one of the wave moves the question on."""
    now, moved = services.now(), None
    with services.database.write() as session:
        row = questions.lock(session, claim.question.id) if claim.question else None
        if not candidates.settle(session, claim.lease, outcome, now):
            return
        if row is not None and row.status == Status.READING:
            moved = after_reading(session, row.id)
            if moved is not None:
                questions.advance(session, row, moved, now)
    if claim.question is not None:
        _tell(services, claim.question, claim.candidate, outcome, moved)


def _tell(services: Services, question: Question, candidate: Candidate, outcome: Outcome, moved: Status | None) -> None:
    data: dict[str, Any] = {"url": candidate.url, "kind": candidate.kind, "text": candidate.text}
    services.events.publish(question.id, "page", {**data, "outcome": outcome.outcome, "reason": outcome.reason})
    if moved is not None:
        services.events.publish(question.id, "status", {"status": moved})
        services.doorbell.ring_for(question.id, moved, priority=question.priority)


def _defer(services: Services, claim: Claim, wait_s: float) -> None:
    with services.database.write() as session:
        leases.defer(session, claim.lease, services.now() + timedelta(seconds=wait_s))
    services.doorbell.ring("wellread.read", claim.candidate_id, in_s=wait_s)


def _retry(services: Services, claim: Claim, error: str, *, after_s: float) -> None:
    if claim.attempts >= leases.MAX_ATTEMPTS or (
        claim.question is not None and after_s > claim.question.budget.seconds
    ):
        _record(services, claim, Outcome(outcome="failed", reason=error))
        return
    with services.database.write() as session:
        leases.retry_later(session, claim.lease, services.now() + timedelta(seconds=after_s), error)


def _next_delay(services: Services, claim: Claim, reading: Reading | None) -> float:
    """Work out and keep the host's next pause."""
    if reading is None or reading.status is None:
        return claim.delay_s
    floor = _floor_s(services, claim.candidate.url, claim.sources)
    seconds = politeness.next_delay_s(
        claim.delay_s,
        reading.elapsed_s,
        status=reading.status,
        crawl_delay_s=reading.crawl_delay_s,
        retry_after_s=reading.retry_after_s,
        floor_s=floor,
    )
    if abs(seconds - claim.delay_s) > 0.1 * max(claim.delay_s, 0.1):
        with services.database.write() as session:
            sources.save_delay(session, urls.origin(claim.candidate.url), seconds)
    return seconds
