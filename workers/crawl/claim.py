"""Claims a candidate to read, with its page, question and host; computes the delay between requests to the host."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from crawler import delay, urls
from crawler.read import ReadResult
from domain import Candidate, Question, ReadOutcome, Status
from domain.site import SiteReadStatus, Source
from store.crawl import candidates, sources
from store.crawl.candidates import CandidateOutcome, CandidateStatus
from store.pages import pages, refresh_queue
from store.pages.visibility import visible_to
from store.questions import answers, state
from store.sql import leases
from store.sql.leases import Lease
from store.sql.rows import to_value
from store.sql.tables import CandidateRow, SiteReadRow
from workers.questions.conditions import out_of_time
from workers.services import Services

#: a page that was read this recently is not fetched again for another question
FRESH_S = 600.0


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A candidate that this process may read."""

    lease: Lease
    candidate_id: int
    candidate: Candidate
    question: Question | None
    site_read_id: int | None
    turn_page: int  #: its number among the pages that are read again in one turn of their host
    attempts: int
    page: pages.PageState | None
    sources: tuple[Source, ...]
    delay_s: float
    reading_s: float = 0.0  #: what the question has read so far
    secrets: Mapping[int, Mapping[str, Any]] = field(default_factory=dict, repr=False)  #: of own sources, by their ids

    @property
    def owner(self) -> str | None:
        """Whose question waits for the page."""
        return self.question.owner if self.question else None

    @property
    def priority(self) -> int | None:
        """The priority of the question that waits for the page."""
        return self.question.priority if self.question else None


def claim(services: Services, candidate_id: int) -> Claim | None:
    """Claim a candidate that waits to be read; None when it does not."""
    now = services.now()
    with services.database.claim() as session:
        lease = leases.claim(session, CandidateRow, candidate_id, CandidateRow.status == CandidateStatus.WAITING, now)
        if lease is None:
            return None
        row = session.get_one(CandidateRow, candidate_id, populate_existing=True)
        if _is_halted(session, row):
            return None
        candidate = to_value(Candidate, row)
        known_sources = tuple(sources.list_all(session))
        asked_by = row.question_id
        return Claim(
            lease=lease,
            candidate_id=candidate_id,
            candidate=candidate,
            question=state.find(session, asked_by) if asked_by else None,
            site_read_id=row.site_read_id,
            turn_page=row.wave,
            attempts=row.attempts,
            page=_page(session, candidate, asked_by) if candidate.kind == "page" else None,
            sources=known_sources,
            secrets=sources.secrets(session),
            delay_s=stored_delay_s(session, services, candidate.url, known_sources),
            reading_s=candidates.used_so_far(session, asked_by, now).seconds if asked_by else 0.0,
        )


def needs_no_fetch(claim: Claim, now: datetime) -> CandidateOutcome | None:
    """Return the outcome of a candidate that need not, or must not, be fetched."""
    question, page = claim.question, claim.page
    if question is not None and question.status is not Status.READING:
        return CandidateOutcome(outcome=ReadOutcome.SKIPPED, reason="the question no longer waits for it")
    if question is not None and (stop := out_of_time(question, claim.reading_s)):
        return CandidateOutcome(outcome=ReadOutcome.SKIPPED, reason=stop)
    if claim.attempts > leases.MAX_ATTEMPTS:
        return CandidateOutcome(outcome=ReadOutcome.FAILED, reason=f"given up after {leases.MAX_ATTEMPTS} attempts")
    if page is not None and page.is_document:
        return CandidateOutcome(outcome=ReadOutcome.KNOWN, reason="a program pushed it", page_id=page.id)
    if question is not None and page is not None and _is_fresh(page, question, now):
        return CandidateOutcome(outcome=ReadOutcome.KNOWN, reason="read a moment ago", page_id=page.id, news=True)
    return None


def _page(session: Session, candidate: Candidate, question_id: str | None) -> pages.PageState | None:
    """Return the stored page; a page that is private to other questions is read as if it were new."""
    if candidate.origin == refresh_queue.ORIGIN:
        return pages.find(session, candidate.url)
    return pages.find(session, candidate.url, visible_to(question_id))


def _is_fresh(page: pages.PageState, question: Question, now: datetime) -> bool:
    """Return whether the page was read recently enough for the question; one that was gone or missed may be back."""
    oldest = answers.oldest_for(question, now)
    if page.is_gone or page.missed_as or (oldest is not None and page.checked_at < oldest):
        return False
    return (now - page.checked_at).total_seconds() < FRESH_S


def _is_halted(session: Session, row: CandidateRow) -> bool:
    """Put a candidate back if the read of its site is paused or over; return whether it is."""
    if row.site_read_id is None:
        return False
    site = session.get_one(SiteReadRow, row.site_read_id)
    if site.status == SiteReadStatus.RUNNING:
        return False
    row.status, row.lease_by, row.lease_until, row.attempts = CandidateStatus.KNOWN, None, None, 0
    return True


def stored_delay_s(session: Session, services: Services, url: str, known: Sequence[Source]) -> float:
    """Return the stored delay of the URL's host, or the shortest one."""
    shortest = _floor_s(services, url, known)
    host = sources.host(session, urls.origin(url))
    return max(shortest, host.delay_s or shortest) if host else shortest


def save_next_delay(
    services: Services, url: str, known: Sequence[Source], before_s: float, reading: ReadResult
) -> float:
    """Return the host's next delay after its answer, and save it where it differs."""
    if reading.status is None:
        return before_s
    seconds = delay.next_delay_s(
        before_s,
        reading.elapsed_s,
        status=reading.status,
        crawl_delay_s=reading.crawl_delay_s,
        retry_after_s=reading.retry_after_s,
        floor_s=_floor_s(services, url, known),
    )
    if abs(seconds - before_s) > 0.1 * max(before_s, 0.1):
        services.write(sources.save_delay, urls.origin(url), seconds)
    return seconds


def _floor_s(services: Services, url: str, known: Sequence[Source]) -> float:
    """Return the shortest delay at this host: the source's own setting, else the general one."""
    for source in known:
        if source.min_delay_s is not None and urls.origin(source.url) == urls.origin(url):
            return source.min_delay_s
    return services.settings.min_delay_s
