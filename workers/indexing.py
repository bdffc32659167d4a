"""Indexes pages: chunk, embed, write passages; the only writer of the knowledge base."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import structlog
from sqlalchemy.orm import Session

from crawler.extract.chunk import passages_of
from domain import EventKind, Fact, Page, Passage, Status
from store import graph
from store.crawl import candidates
from store.graph import PageNames
from store.pages import deletion, index_queue, pages
from store.questions import answers, state, trace
from store.sql import leases
from store.sql.leases import Lease
from store.sql.tables import PageRow
from text import names as names_in_text
from text.names import name_key, names_in, proper_nouns
from text.terms import stop_words
from workers import monitoring
from workers.deletion import ask_erasure
from workers.questions import watches
from workers.services import Services

log = structlog.get_logger()

Claimed = tuple[Lease, Page]

#: pages in one commit, and their characters together: some 200 passages, which a page that a question waits for awaits
BATCH_PAGES = 16
BATCH_CHARACTERS = 120_000


def embed(services: Services, page_id: int, *, most_characters: int = BATCH_CHARACTERS) -> None:
    """Index this page and others that wait; move on the questions that waited for them."""
    now = services.now()
    with services.database.write() as session:
        claimed = index_queue.claim(session, page_id, now, most=BATCH_PAGES, most_characters=most_characters)
        fatal = bool(claimed) and _is_hopeless(session.get_one(PageRow, page_id), leases.MAX_ATTEMPTS + 1)
        if fatal:
            _give_up(session, claimed[0][0], page_id, now, "Embedding it stopped the worker again and again.")
    if not claimed:
        monitoring.report_not_due()
        return
    monitoring.note(wellread__pages=len(claimed))
    if not fatal:
        with services.leases.holding(*(lease for lease, _ in claimed)):
            if not _try(services, claimed) and len(claimed) > 1:
                for one in claimed:  # a page that cannot be embedded must not hold up the others
                    _try(services, [one])
    release_waiting(services, [page.id for _, page in claimed], started_at=now)
    watches.ask_again(services)


def release_waiting(services: Services, page_ids: Sequence[int], *, started_at: datetime | None = None) -> None:
    """Move on the questions that waited for these pages and for no others.

    With ``started_at`` the pages were embedded from then until now, which becomes a step of each question.
    """
    reading = services.read(index_queue.questions_reading, page_ids)
    for question_id, read in reading.items():
        with services.database.write() as session:
            row, now = state.lock(session, question_id), services.now()
            if row is not None and started_at is not None:
                detail = {"pages": read}
                trace.add(session, row, "embed", outcome="embedded", detail=detail, started_at=started_at, now=now)
            moved = row is not None and row.status == Status.EMBEDDING and candidates.is_indexed(session, question_id)
            if row is not None and moved:
                state.advance(session, row, Status.REQUERYING, now)
        if row is not None and moved:
            services.events.publish(question_id, EventKind.STATUS, {"status": Status.REQUERYING})
            services.dispatcher.send_for(question_id, Status.REQUERYING, priority=row.priority, owner=row.owner)


def names_of(
    services: Services, some: Sequence[Page], passages: Mapping[int, Sequence[Passage]]
) -> dict[int, PageNames]:
    """Return the names of each page and of its passages."""
    stated = services.read(pages.facts_of, [page.id for page in some])
    return {page.id: names_of_page(page, passages[page.id], stated.get(page.id, ())) for page in some}


def _try(services: Services, claimed: Sequence[Claimed]) -> bool:
    """Index these pages in one commit and record that; record the failure of a single page."""
    try:
        by_page = {page.id: passages_of(page) for _, page in claimed}
        written = services.passages_writer.write_pages(by_page, services.embedder)
        names = names_of(services, [page for _, page in claimed], by_page)
    except Exception as error:  # the row remembers what failed; the sweep tries again
        log.exception("embed_failed", pages=[page.id for _, page in claimed])
        monitoring.fail(error)
        if len(claimed) == 1:
            _record_failure(services, *claimed[0], f"{type(error).__name__}: {error}")
        return False
    log.info("pages_indexed", pages=len(by_page), passages=written.passages, embedded=written.embedded)
    monitoring.report(f"{written.passages} passages of {len(by_page)} page{'s' if len(by_page) > 1 else ''}")
    now = services.now()
    with services.database.write() as session:
        current = [page.id for lease, page in claimed if index_queue.mark_indexed(session, lease, now)]
        answers.mark_stale(session, current, now)
        graph.replace(session, {page_id: names[page_id] for page_id in current})
        deleted = set(current) - deletion.not_deleted(session, current)
    if deleted:
        ask_erasure(services, min(deleted))
    return True


def _record_failure(services: Services, lease: Lease, page: Page, error: str) -> None:
    monitoring.report(f"failed: {error}")
    now = services.now()
    with services.database.write() as session:
        row = session.get_one(PageRow, page.id)
        if _is_hopeless(row, leases.MAX_ATTEMPTS):
            _give_up(session, lease, page.id, now, error)
        else:
            leases.retry_later(session, lease, now + timedelta(seconds=leases.backoff_s(row.attempts)), error)


def _is_hopeless(row: PageRow, attempts: int) -> bool:
    """Return whether a page was tried this often; one that is gone is tried until nobody finds its passages."""
    return row.attempts >= attempts and row.gone_at is None and row.deleted_at is None


def _give_up(session: Session, lease: Lease, page_id: int, now: datetime, error: str) -> None:
    log.error("page_given_up", page=page_id, error=error)
    index_queue.give_up(session, lease, error)
    answers.mark_stale(session, [page_id], now)


def names_of_page(page: Page, passages: Sequence[Passage], facts: Sequence[Fact] = ()) -> PageNames:
    """Return a page's names; none without passages, as such a page is gone or a list of links."""
    if not passages:
        return PageNames()
    empty = stop_words(page.lang)
    mentions = {p.ord: dict.fromkeys(proper_nouns(p.text, empty=empty)) for p in passages}
    for fact in facts:  # from JSON-LD and tables: its subject is named in the passage that states it
        at = next((p.ord for p in passages if fact.start is not None and p.start <= fact.start < p.end), 0)
        if name := name_key(fact.subject):
            mentions.setdefault(at, {}).setdefault(name)
    return PageNames(
        bears=names_in_text.names_of(page.title),
        mentions={at: tuple(names) for at, names in mentions.items()},
        maybe={p.ord: names_in(p.text, empty=empty) for p in passages},
        private=page.private,
    )
