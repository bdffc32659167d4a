"""Keeps what was read and what came of a candidate, and sees to it that what waited for that goes on."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from crawler import urls
from store import candidates, due, links, page_checks, pages, questions
from store.candidates import Outcome
from store.tables import PageRow
from store.types import Candidate, Question, Status
from workers import planning, whole_sites
from workers.waves import after_reading

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from crawler.read import Reading
    from workers.claim import Claim
    from workers.services import Services


def keep(services: Services, claim: Claim, reading: Reading, pause_s: float) -> None:
    """Keep what was read, then what came of the candidate; its host rests for ``pause_s``."""
    now, candidate = services.now(), claim.candidate
    with services.database.write() as session:
        page_id, is_new = _keep_page(session, claim, reading, now)
        known = links.save(
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
        news=is_new or known > 0,
    )
    record(services, claim, outcome, reading=reading, is_new=is_new, pause_s=pause_s)
    if page_id is not None and (is_new or reading.outcome == "gone"):
        services.doorbell.ring("wellread.embed", page_id)


def record(
    services: Services,
    claim: Claim,
    outcome: Outcome,
    *,
    reading: Reading | None = None,
    is_new: bool = False,
    pause_s: float = 0.0,
) -> None:
    """Settle the candidate; the last one of a wave moves its question on, any other kind has the next one read."""
    now, moved, following = services.now(), None, list[int]()
    with services.database.write() as session:
        row = questions.lock(session, claim.question.id) if claim.question else None
        if not _settle(session, claim, outcome, now):
            return
        _note(session, outcome, reading, is_new=is_new, now=now)
        if row is not None and row.status == Status.READING:
            moved = after_reading(session, row.id)
            if moved is not None:
                questions.advance(session, row, moved, now)
        if claim.site_read_id is not None:
            due_at = now + timedelta(seconds=pause_s)
            following = whole_sites.after(session, claim, outcome, reading, is_new=is_new, due_at=due_at, now=now)
        elif claim.candidate.origin == due.ORIGIN:
            following = due.next_of(session, urls.origin(claim.candidate.url), turn=claim.turn + 1, now=now)
    for candidate_id in following:
        services.doorbell.ring("wellread.read", candidate_id, in_s=pause_s)
    if claim.question is not None:
        _tell(services, claim.question, claim.candidate, outcome, moved)


def _keep_page(session: Session, claim: Claim, reading: Reading, now: datetime) -> tuple[int | None, bool]:
    """Keep the page that was read, or how it was found; returns its id and whether its text is new."""
    page_id = claim.page.id if claim.page else None
    due_at = planning.due_at(claim.sources, reading.url or claim.candidate.url, now)
    if reading.page is not None:
        return pages.save(
            session,
            url=reading.url,
            host=urls.origin(reading.url),
            page=reading.page,
            content_hash=reading.content_hash,
            body_hash=reading.body_hash,
            validators=reading.validators,
            depth=claim.candidate.depth,
            now=now,
            due_at=due_at,
        )
    if page_id is not None and reading.outcome == "unchanged":
        return pages.unchanged(session, page_id, now, body_hash=reading.body_hash, due_at=due_at)
    if page_id is not None and reading.outcome == "gone":
        pages.gone(session, page_id, now)
    elif page_id is not None:
        pages.failed(session, page_id, now, due_at=due_at)
    return page_id, False


def _settle(session: Session, claim: Claim, outcome: Outcome, now: datetime) -> bool:
    """Record the outcome; a page that was only looked at again keeps its history, not its candidates."""
    if claim.candidate.origin == due.ORIGIN:
        return candidates.drop(session, claim.lease)
    return candidates.settle(session, claim.lease, outcome, now)


def _note(session: Session, outcome: Outcome, reading: Reading | None, *, is_new: bool, now: datetime) -> None:
    """Add to the page's history what was found, if it was this page that was looked at."""
    page = session.get(PageRow, outcome.page_id) if outcome.page_id else None
    if page is None or reading is None or (reading.page is not None and page.url != reading.url):
        return
    word = ("changed" if page.generation > 1 else "new") if is_new else outcome.outcome
    page_checks.note(
        session,
        page.id,
        outcome="unchanged" if word == "read" else word,
        status=reading.status,
        content_hash=page.content_hash,
        reason=outcome.reason,
        now=now,
    )


def _tell(services: Services, question: Question, candidate: Candidate, outcome: Outcome, moved: Status | None) -> None:
    data: dict[str, Any] = {"url": candidate.url, "kind": candidate.kind, "text": candidate.text}
    services.events.publish(question.id, "page", {**data, "outcome": outcome.outcome, "reason": outcome.reason})
    if moved is not None:
        services.events.publish(question.id, "status", {"status": moved})
        services.doorbell.ring_for(question.id, moved, priority=question.priority)
