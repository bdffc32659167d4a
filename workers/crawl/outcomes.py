"""Stores what was read and the candidate's outcome, and moves on what waited for it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from crawler import urls
from crawler.read import ReadResult
from domain import WITH_TEXT, EventKind, ReadOutcome, Status
from domain.file import is_file_address
from store.crawl import candidates, sources
from store.crawl.candidates import CandidateOutcome
from store.pages import history, links, pages, refresh_queue, visibility
from store.questions import state
from store.sql import leases
from store.sql.tables import PageRow
from workers import monitoring
from workers.crawl import page_events, sites
from workers.crawl.claim import Claim
from workers.questions.conditions import move_on
from workers.services import Services

#: after two looks with such outcomes a page is not quoted any more; one may be a bad minute of its site
_DOUBTFUL = frozenset({ReadOutcome.GONE, ReadOutcome.WALL, ReadOutcome.EMPTY})
#: the page's server says that it is gone for good
_GONE_FOR_GOOD = 410
#: where candidates come from that may be what a site is named by
_FRONT_PAGES = frozenset({"seed", "asked for", refresh_queue.ORIGIN})


@dataclass(frozen=True, kw_only=True)
class _Stored:
    """The stored page."""

    page_id: int | None = None
    is_new: bool = False  #: its text is new
    to_embed: tuple[int, ...] = ()  #: pages whose passages must be added or removed
    seen_first: bool = False  #: it was not new, but the question, or everyone, may see it from now on


def record_read(services: Services, claim: Claim, reading: ReadResult, delay_s: float) -> None:
    """Store the page and the candidate's outcome in one transaction, if the lease still holds.

    The host's next page may be read after ``delay_s``.
    """
    now = services.now()
    candidate = claim.candidate
    is_front = candidate.origin in _FRONT_PAGES and candidate.kind == "page" and not is_file_address(candidate.url)
    is_page = reading.page is not None or reading.outcome == ReadOutcome.UNCHANGED or reading.links
    with services.database.write() as session:
        asker = state.lock(session, claim.question.id) if claim.question else None
        if not leases.renew(session, claim.lease, now):
            return
        if is_front and is_page and reading.url:  # what is there is read and searched with its site
            sources.follow(session, candidate.url, reading.url)
        private = _is_private(session, claim, reading)
        stored = _store_page(session, claim, reading, private, now)
        stored = _show(session, claim, reading, stored, private, now)
        outcome = CandidateOutcome(
            outcome=reading.outcome if reading.outcome != ReadOutcome.RETRY else ReadOutcome.FAILED,
            reason=reading.reason,
            page_id=stored.page_id,
            bytes=reading.bytes,
            elapsed_s=reading.elapsed_s,
            news=_store_links(session, claim, reading, private, now) > 0 or stored.is_new or stored.seen_first,
        )
        _close(session, claim, outcome, now)
        _add_history(session, outcome, reading, is_new=stored.is_new, now=now)
        moved = move_on(session, asker, now) if asker and asker.status == Status.READING else None
        next_reads = _next_reads(session, claim, outcome, reading, stored, now, delay_s)
    services.dispatcher.send_all("wellread.embed", stored.to_embed, priority=claim.priority, owner=claim.owner)
    _notify(services, claim, outcome, moved, next_reads, delay_s)


def record_skipped(services: Services, claim: Claim, outcome: CandidateOutcome) -> None:
    """Record the outcome of a candidate that was not read; the last one of a wave moves its question on."""
    now = services.now()
    with services.database.write() as session:
        asker = state.lock(session, claim.question.id) if claim.question else None
        if not _close(session, claim, outcome, now):
            return
        if claim.page is not None and outcome.outcome == ReadOutcome.FAILED:
            due_at = sites.due_at(claim.sources, claim.candidate.url, now)
            pages.mark_missed(session, claim.page.id, now, outcome.outcome, due_at=due_at)
        moved = move_on(session, asker, now) if asker and asker.status == Status.READING else None
        next_reads = _next_reads(session, claim, outcome, None, _Stored(), now)
    _notify(services, claim, outcome, moved, next_reads)


def _is_private(session: Session, claim: Claim, reading: ReadResult) -> bool:
    """Return whether what was read, if it is new, serves only the questions that had it read.

    What lies at a source's own address serves everyone: the page's URL counts, not one that led to it, because a site
    may lead to any other. A page that is read again stays what it is, also where it moved.
    """
    url = reading.url or claim.candidate.url
    if any(source.own_scope.covers(url) for source in sources.list_all(session)):
        return False
    if claim.question is not None:
        return claim.question.private
    return claim.candidate.origin == refresh_queue.ORIGIN and claim.page is not None and claim.page.private


def _show(
    session: Session, claim: Claim, reading: ReadResult, stored: _Stored, private: bool, now: datetime
) -> _Stored:
    """Let everyone see the page, or those who had it read what is private there."""
    url = claim.candidate.url
    if not private:
        if stored.page_id is None or not visibility.share(session, stored.page_id, now):
            return stored
        return replace(stored, seen_first=True, to_embed=tuple(dict.fromkeys((*stored.to_embed, stored.page_id))))
    if reading.page is not None or reading.links:
        if claim.question is not None:
            is_first = visibility.grant(session, claim.question.id, {url, reading.url or url})
            return replace(stored, seen_first=is_first)
        visibility.follow(session, url, reading.url)
    return stored


def _store_page(session: Session, claim: Claim, reading: ReadResult, private: bool, now: datetime) -> _Stored:
    page_id = claim.page.id if claim.page else None
    # a page that is kept stays where it was, wherever its address leads for now
    due_at = sites.due_at(claim.sources, reading.url if reading.page else claim.candidate.url, now)
    if reading.page is not None:
        left = _drop_moved(session, claim, reading, now)
        before = page_events.before(session, claim.sources, reading.url, private=private)
        saved = _new_text(
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
                private=private,
            ),
            left=left,
        )
        page_events.saved(session, claim.sources, reading.url, before, now)
        return saved
    if claim.page is None or page_id is None:
        return _Stored()
    if reading.outcome == ReadOutcome.UNCHANGED:
        return _new_text(
            *pages.mark_unchanged(
                session, page_id, now, validators=reading.validators, body_hash=reading.body_hash, due_at=due_at
            )
        )
    if reading.outcome == ReadOutcome.FORBIDDEN or (
        reading.outcome in _DOUBTFUL and _is_confirmed(claim, claim.page, reading, now)
    ):
        pages.mark_gone(session, page_id, now, due_at=due_at)
        page_events.removed(session, claim.sources, page_id, now)
        return _Stored(page_id=page_id, to_embed=(page_id,))
    outcome = ReadOutcome.FAILED if reading.outcome == ReadOutcome.RETRY else reading.outcome
    pages.mark_missed(session, page_id, now, outcome, due_at=due_at)
    return _Stored(page_id=page_id)


def _is_confirmed(claim: Claim, page: pages.PageState, reading: ReadResult, now: datetime) -> bool:
    """Return whether a page is surely not there any more: a file is certain at once, a site after a second look."""
    if page.is_gone or is_file_address(claim.candidate.url) or reading.status == _GONE_FOR_GOOD:
        return True
    confirmed_from = sites.confirmed_from(claim.sources, page, claim.candidate.url)
    return page.missed_as in _DOUBTFUL and confirmed_from is not None and now >= confirmed_from


def _new_text(page_id: int, is_new: bool, *, left: tuple[int, ...] = ()) -> _Stored:
    return _Stored(page_id=page_id, is_new=is_new, to_embed=(*left, page_id) if is_new else left)


def _drop_moved(session: Session, claim: Claim, reading: ReadResult, now: datetime) -> tuple[int, ...]:
    """Mark the page as gone if its URL leads to another page; do so before the other is stored."""
    page = claim.page
    if page is None or page.is_gone or reading.url == claim.candidate.url:
        return ()
    due_at = sites.due_at(claim.sources, claim.candidate.url, now)
    reason = history.moved_to(reading.url)
    pages.mark_gone(session, page.id, now, due_at=due_at, reason=reason, status=reading.status)
    page_events.removed(session, claim.sources, page.id, now)
    return (page.id,)


def _store_links(session: Session, claim: Claim, reading: ReadResult, private: bool, now: datetime) -> int:
    """Store the page's links; return how many are new. Those of a public page are public, whoever reads it.

    They are the page's, also where another URL led to it: they are deleted with it.
    """
    candidate = claim.candidate
    from_url = reading.url or candidate.url
    if private and (page := pages.find(session, from_url)):
        private = page.private
    return links.save(
        session,
        site=urls.origin(candidate.url),
        from_url=from_url,
        links=reading.links,
        depth=candidate.depth + (1 if candidate.kind == "page" else 0),
        now=now,
        private=private,
    )


def _next_reads(
    session: Session,
    claim: Claim,
    outcome: CandidateOutcome,
    reading: ReadResult | None,
    stored: _Stored,
    now: datetime,
    delay_s: float = 0.0,
) -> list[int]:
    if claim.site_read_id is not None:
        due_at = now + timedelta(seconds=delay_s)
        is_new = stored.is_new or stored.seen_first
        return sites.after_page(session, claim, outcome, reading, is_new=is_new, due_at=due_at, now=now)
    if claim.candidate.origin == refresh_queue.ORIGIN:
        return refresh_queue.next_of(session, urls.origin(claim.candidate.url), turn=claim.turn_page + 1, now=now)
    return []


def _close(session: Session, claim: Claim, outcome: CandidateOutcome, now: datetime) -> bool:
    """Close the candidate; one of a refresh is deleted, as the page's history has its outcome."""
    if claim.candidate.origin == refresh_queue.ORIGIN:
        return candidates.drop(session, claim.lease)
    return candidates.finish(session, claim.lease, outcome, now)


def _add_history(
    session: Session, outcome: CandidateOutcome, reading: ReadResult, *, is_new: bool, now: datetime
) -> None:
    page = session.get(PageRow, outcome.page_id) if outcome.page_id else None
    if page is None or (reading.page is not None and page.url != reading.url):
        return
    found = (ReadOutcome.CHANGED if page.generation > 1 else ReadOutcome.NEW) if is_new else outcome.outcome
    history.add(
        session,
        page.id,
        outcome=ReadOutcome.UNCHANGED if found == ReadOutcome.READ else found,
        status=reading.status,
        content_hash=page.content_hash,
        reason=outcome.reason,
        now=now,
    )


def _notify(
    services: Services,
    claim: Claim,
    outcome: CandidateOutcome,
    moved: Status | None,
    next_reads: Sequence[int],
    delay_s: float = 0.0,
) -> None:
    monitoring.report_page(outcome)
    services.dispatcher.send_all("wellread.read", next_reads, in_s=delay_s)
    if claim.question is None:
        return
    candidate, question = claim.candidate, claim.question
    services.spend(question.owner, pages=int(outcome.outcome in WITH_TEXT))
    data: dict[str, Any] = {"url": candidate.url, "kind": candidate.kind, "text": candidate.text}
    services.events.publish(question.id, EventKind.PAGE, {**data, "outcome": outcome.outcome, "reason": outcome.reason})
    if moved is not None:
        services.events.publish(question.id, EventKind.STATUS, {"status": moved})
        services.dispatcher.send_for(question.id, moved, priority=question.priority, owner=question.owner)
