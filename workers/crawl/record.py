"""Keeps what was read and what came of a candidate, and sees to it that what waited for that goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from crawler import urls
from domain import EventKind, ReadOutcome, Status
from store.crawl import candidates
from store.crawl.candidates import CandidateOutcome
from store.pages import links, pages, refresh_queue, visits
from store.questions import state
from store.sql import leases
from store.sql.tables import PageRow, QuestionRow
from workers.crawl import schedules, sites
from workers.questions.crawl_progress import status_after_reading

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from crawler.read import ReadResult
    from workers.crawl.claim import Claim
    from workers.services import Services


#: after these a page is not quoted any more: it vanished, asks not to be kept, or robots.txt forbids to ask for it
_WITHDRAWN = frozenset({ReadOutcome.GONE, ReadOutcome.FORBIDDEN})


@dataclass(frozen=True, kw_only=True)
class _Kept:
    """What became of the page."""

    page_id: int | None = None
    is_new: bool = False  #: whether its text is
    to_embed: tuple[int, ...] = ()  #: pages whose passages must come or go


def keep(services: Services, claim: Claim, reading: ReadResult, pause_s: float) -> None:
    """Keep what was read and what came of the candidate, together and only while the lease holds.

    Its host rests for ``pause_s``.
    """
    now = services.now()
    with services.database.write() as session:
        asker = _asker(session, claim)
        if not leases.renew(session, claim.lease, now):
            return
        kept = _keep_page(session, claim, reading, now)
        outcome = CandidateOutcome(
            outcome=reading.outcome if reading.outcome != ReadOutcome.RETRY else ReadOutcome.FAILED,
            reason=reading.reason,
            page_id=kept.page_id,
            bytes=reading.bytes,
            elapsed_s=reading.elapsed_s,
            news=_keep_links(session, claim, reading, now) > 0 or kept.is_new,
        )
        _settle(session, claim, outcome, now)
        _note(session, outcome, reading, is_new=kept.is_new, now=now)
        moved = _move(session, asker, now)
        following = _following(session, claim, outcome, reading, kept, now, pause_s)
    for page_id in kept.to_embed:
        services.dispatcher.send("wellread.embed", page_id)
    _tell(services, claim, outcome, moved, following, pause_s)


def record(services: Services, claim: Claim, outcome: CandidateOutcome) -> None:
    """Settle a candidate that was not read; the last one of a wave moves its question on."""
    now = services.now()
    with services.database.write() as session:
        asker = _asker(session, claim)
        if not _settle(session, claim, outcome, now):
            return
        moved = _move(session, asker, now)
        following = _following(session, claim, outcome, None, _Kept(), now)
    _tell(services, claim, outcome, moved, following)


def _asker(session: Session, claim: Claim) -> QuestionRow | None:
    """The row of the question that it is read for, locked."""
    return state.lock(session, claim.question.id) if claim.question else None


def _keep_page(session: Session, claim: Claim, reading: ReadResult, now: datetime) -> _Kept:
    """Keep the page that was read, or how it was found."""
    page_id = claim.page.id if claim.page else None
    due_at = schedules.due_at(claim.sources, reading.url or claim.candidate.url, now)
    if reading.page is not None:
        left = _leave(session, claim, reading, now)
        return _new_text(
            *pages.save(
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
            ),
            left=left,
        )
    if page_id is None:
        return _Kept()
    if reading.outcome == ReadOutcome.UNCHANGED:
        return _new_text(
            *pages.mark_unchanged(
                session, page_id, now, validators=reading.validators, body_hash=reading.body_hash, due_at=due_at
            )
        )
    if reading.outcome in _WITHDRAWN:
        pages.mark_gone(session, page_id, now, for_good=reading.outcome == ReadOutcome.GONE)
        return _Kept(page_id=page_id, to_embed=(page_id,))
    pages.mark_failed(session, page_id, now, due_at=due_at)
    return _Kept(page_id=page_id)


def _new_text(page_id: int, is_new: bool, *, left: tuple[int, ...] = ()) -> _Kept:
    return _Kept(page_id=page_id, is_new=is_new, to_embed=(*left, page_id) if is_new else left)


def _leave(session: Session, claim: Claim, reading: ReadResult, now: datetime) -> tuple[int, ...]:
    """Give up a page whose URL leads to another now, before that one is kept: it must not stand for it."""
    page = claim.page
    if page is None or page.is_gone or reading.url == claim.candidate.url:
        return ()
    pages.mark_gone(session, page.id, now, for_good=False)
    visits.add(
        session,
        page.id,
        outcome=ReadOutcome.GONE,
        status=reading.status,
        content_hash=page.content_hash,
        reason=f"it leads to {reading.url} now",
        now=now,
    )
    return (page.id,)


def _keep_links(session: Session, claim: Claim, reading: ReadResult, now: datetime) -> int:
    """Keep the links that were shown; returns how many were not known."""
    candidate = claim.candidate
    return links.save(
        session,
        site=urls.origin(candidate.url),
        from_url=candidate.url,
        links=reading.links,
        depth=candidate.depth + (1 if candidate.kind == "page" else 0),
        now=now,
    )


def _move(session: Session, asker: QuestionRow | None, now: datetime) -> Status | None:
    """Move a question on that read its wave to the end; returns where."""
    if asker is None or asker.status != Status.READING:
        return None
    moved = status_after_reading(session, asker.id)
    if moved is not None:
        state.advance(session, asker, moved, now)
    return moved


def _following(
    session: Session,
    claim: Claim,
    outcome: CandidateOutcome,
    reading: ReadResult | None,
    kept: _Kept,
    now: datetime,
    pause_s: float = 0.0,
) -> list[int]:
    """The candidates to be read next, where nobody asked: of the site that is read, or of the pages that are due."""
    if claim.site_read_id is not None:
        due_at = now + timedelta(seconds=pause_s)
        return sites.after(session, claim, outcome, reading, is_new=kept.is_new, due_at=due_at, now=now)
    if claim.candidate.origin == refresh_queue.ORIGIN:
        return refresh_queue.next_of(session, urls.origin(claim.candidate.url), turn=claim.turn + 1, now=now)
    return []


def _settle(session: Session, claim: Claim, outcome: CandidateOutcome, now: datetime) -> bool:
    """Record the outcome; a page that was only looked at again keeps its history, not its candidates."""
    if claim.candidate.origin == refresh_queue.ORIGIN:
        return candidates.drop(session, claim.lease)
    return candidates.finish(session, claim.lease, outcome, now)


def _note(session: Session, outcome: CandidateOutcome, reading: ReadResult, *, is_new: bool, now: datetime) -> None:
    """Add to the page's history what was found, if it was this page that was looked at."""
    page = session.get(PageRow, outcome.page_id) if outcome.page_id else None
    if page is None or (reading.page is not None and page.url != reading.url):
        return
    found = (ReadOutcome.CHANGED if page.generation > 1 else ReadOutcome.NEW) if is_new else outcome.outcome
    visits.add(
        session,
        page.id,
        outcome=ReadOutcome.UNCHANGED if found == ReadOutcome.READ else found,
        status=reading.status,
        content_hash=page.content_hash,
        reason=outcome.reason,
        now=now,
    )


def _tell(
    services: Services,
    claim: Claim,
    outcome: CandidateOutcome,
    moved: Status | None,
    following: Sequence[int],
    pause_s: float = 0.0,
) -> None:
    """Ring for what is read next, and tell who listens to the question."""
    for candidate_id in following:
        services.dispatcher.send("wellread.read", candidate_id, in_s=pause_s)
    if claim.question is None:
        return
    candidate, question = claim.candidate, claim.question
    data: dict[str, Any] = {"url": candidate.url, "kind": candidate.kind, "text": candidate.text}
    services.events.publish(question.id, EventKind.PAGE, {**data, "outcome": outcome.outcome, "reason": outcome.reason})
    if moved is not None:
        services.events.publish(question.id, EventKind.STATUS, {"status": moved})
        services.dispatcher.send_for(question.id, moved, priority=question.priority)
