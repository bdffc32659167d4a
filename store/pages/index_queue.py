"""Claim pages that wait to be indexed, record the result, and find the questions that wait for them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from domain import Page, Status
from domain.hit import SearchedPages
from domain.site import SiteScope
from store.pages.pages import to_page
from store.pages.visibility import under, visible_to
from store.sql import leases
from store.sql.rows import groups
from store.sql.tables import CandidateRow, IndexState, PageRow, QuestionRow

#: characters from which on a text has passages
_SOME_TEXT = 200
#: the statuses of a question whose crawl reads, or waits for its pages
_OPEN = (Status.READING, Status.EMBEDDING)
#: more pages are not counted: whoever got no answer must not wait for that
MOST_COUNTED = 10_000


def claim(
    session: Session, first: int, now: datetime, *, most: int, most_characters: int
) -> list[tuple[leases.Lease, Page]]:
    """Take the page that was sent and others that wait, to be embedded in one commit.

    All have at most ``most_characters`` together, the first alone any number. One that was tried before is taken
    alone: it may be what stopped the process. With one that a question waits for, only others that one waits for are
    taken.
    """
    waits = PageRow.state == IndexState.FETCHED
    ids = [first]
    if not session.scalar(select(PageRow.attempts).where(PageRow.id == first)):
        ids += _waiting_beside(session, first, now, most - 1, most_characters)
    claimed = [lease for page_id in ids if (lease := leases.claim(session, PageRow, page_id, waits, now))]
    return [(lease, to_page(session.get_one(PageRow, lease.row_id, populate_existing=True))) for lease in claimed]


def _waiting_beside(session: Session, first: int, now: datetime, most: int, most_characters: int) -> Iterator[int]:
    length = func.length(PageRow.text)
    is_waited_for = PageRow.id.in_(_awaited())
    urgent = session.scalar(select(is_waited_for).where(PageRow.id == first))
    wait = (PageRow.state == IndexState.FETCHED, leases.is_free(PageRow, now), PageRow.attempts == 0)
    others = select(PageRow.id, length).where(*wait, PageRow.id != first).order_by(PageRow.due_at).limit(most)
    if urgent:
        others = others.where(is_waited_for)
    left = most_characters - (session.scalar(select(length).where(PageRow.id == first)) or 0)
    for page_id, characters in session.execute(others).all():
        left -= characters
        if left < 0:
            return
        yield page_id


def _awaited() -> Select[int | None]:
    """Return the query of the pages that open crawls of questions have read."""
    read = select(CandidateRow.page_id).join(QuestionRow, CandidateRow.question_id == QuestionRow.id)
    return read.where(QuestionRow.status.in_(_OPEN), CandidateRow.page_id.is_not(None))


def mark_indexed(session: Session, lease: leases.Lease, now: datetime) -> bool:
    """Record that the knowledge base holds the page; return False when its text changed meanwhile."""
    return leases.release(session, lease, state=IndexState.INDEXED, indexed_at=now, attempts=0, error=None)


def give_up(session: Session, lease: leases.Lease, error: str) -> bool:
    """Stop trying to embed a page; nobody waits for it any longer."""
    return leases.release(session, lease, state=IndexState.FAILED, error=error)


def indexed() -> Select[int]:
    """Return the query of the pages whose passages the knowledge base holds."""
    return indexed_of_any_length().where(func.length(PageRow.text) >= _SOME_TEXT)


def indexed_of_any_length() -> Select[int]:
    """Return the query of these pages and those of a few words, which may have no passages; it reads no text."""
    is_current = (PageRow.gone_at.is_(None), PageRow.duplicate_of.is_(None), ~PageRow.is_hub)
    return select(PageRow.id).where(PageRow.state == IndexState.INDEXED, *is_current)


def count_indexed(session: Session, page_ids: Iterable[int]) -> int:
    """Return how many of these pages have passages in the knowledge base."""
    queries = (indexed().where(PageRow.id.in_(some)) for some in groups(sorted(page_ids)))
    return sum(len(session.scalars(query).all()) for query in queries)


def searched(
    session: Session, question_id: str, sites: Sequence[SiteScope] = (), langs: Sequence[str] = ()
) -> SearchedPages:
    """Return the pages that a question may be answered from, of its sites and languages if it names any."""
    where = [visible_to(question_id), *([under(PageRow.url, sites)] if sites else [])]
    waits = (PageRow.state == IndexState.FETCHED, PageRow.gone_at.is_(None), PageRow.duplicate_of.is_(None))
    of_langs = [PageRow.lang.in_(langs)] if langs else []
    held = indexed_of_any_length().with_only_columns(PageRow.host).where(*where, *of_langs).limit(MOST_COUNTED)
    hosts = Counter(host.rpartition("://")[2] for host in session.scalars(held))
    return SearchedPages(
        pages=hosts.total(),
        hosts=tuple(host for host, _ in hosts.most_common()),
        waiting=session.scalar(select(func.count()).where(*waits, *where)) or 0,
    )


def questions_reading(session: Session, page_ids: Sequence[int]) -> dict[str, int]:
    """Return how many of these pages each open crawl of a question has read, by the question's id."""
    query = select(QuestionRow.id, func.count()).join(CandidateRow, CandidateRow.question_id == QuestionRow.id)
    reading = query.where(QuestionRow.status.in_(_OPEN), CandidateRow.page_id.in_(page_ids))
    return dict(session.execute(reading.group_by(QuestionRow.id)).all())
