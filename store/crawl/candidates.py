"""Store the candidates of a question's crawl and their outcomes."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, or_, select
from sqlalchemy.orm import Session

from domain import Candidate, ReadOutcome
from store.sql import leases
from store.sql.rows import delete_rows, to_value, update_rows
from store.sql.tables import CandidateRow, IndexState, PageRow, QuestionRow
from text.invisible import strip_invisible

#: the outcomes of candidates that were fetched
_FETCHED = (
    *(ReadOutcome.READ, ReadOutcome.UNCHANGED, ReadOutcome.EMPTY, ReadOutcome.WALL),
    *(ReadOutcome.FAILED, ReadOutcome.GONE),
)


class CandidateStatus(StrEnum):
    """The state of a candidate: found, in the wave that is read, or finished."""

    KNOWN = "KNOWN"
    WAITING = "WAITING"
    SETTLED = "SETTLED"


@dataclass(frozen=True, kw_only=True)
class CandidateOutcome:
    """The result of reading one candidate."""

    outcome: ReadOutcome
    reason: str = ""
    page_id: int | None = None
    bytes: int = 0
    elapsed_s: float = 0.0
    news: bool = False  #: whether it brought text or links that were not known


@dataclass(frozen=True, kw_only=True)
class CrawlUse:
    """What a question's crawl has used so far."""

    pages: int
    bytes: int
    seconds: float  #: in which at least one page was fetched, or a site had asked to be left alone for a while


def add(
    session: Session,
    question_id: str | None,
    found: Sequence[Candidate],
    *,
    wave: int,
    status: CandidateStatus,
    now: datetime,
) -> list[int]:
    """Save candidates, or move known ones to ``status``; return the rows' ids. Finished ones stay finished."""
    ids: list[int] = []
    for candidate in found:
        mine = (CandidateRow.question_id == question_id, CandidateRow.site_read_id.is_(None))
        row = session.scalar(select(CandidateRow).where(*mine, CandidateRow.url == candidate.url))
        if row is not None and (row.status == CandidateStatus.SETTLED and question_id is not None):
            continue
        if row is None:
            row = CandidateRow(question_id=question_id, url=candidate.url, created_at=now, bytes=0, elapsed_s=0.0)
            session.add(row)
        row.kind, row.score, row.depth = candidate.kind, candidate.score, candidate.depth
        row.origin, row.text = candidate.origin, strip_invisible(candidate.text)
        row.wave, row.status, row.due_at = wave, status, now
        row.attempts, row.lease_by, row.lease_until, row.outcome, row.news = 0, None, None, None, False
        session.flush()
        ids.append(row.id)
    return ids


def add_read(session: Session, question_id: str, url: str, page_id: int, now: datetime) -> None:
    """Save a page that a question brought with it as one that was read for it."""
    found = {"kind": "page", "score": 1.0, "depth": 0, "text": "", "origin": "attached", "wave": 0}
    ended = {"status": CandidateStatus.SETTLED, "outcome": ReadOutcome.READ, "settled_at": now}
    row = {"question_id": question_id, "url": url, "page_id": page_id, "created_at": now, "due_at": now}
    session.add(CandidateRow(**row, **found, **ended))
    session.flush()


def finish(session: Session, lease: leases.Lease, result: CandidateOutcome, now: datetime) -> bool:
    """Record the outcome of a candidate if the lease still holds it."""
    return _finish(session, leases.holds(lease), result, now) == 1


def drop(session: Session, lease: leases.Lease) -> bool:
    """Delete a candidate if the lease still holds it."""
    return delete_rows(session, CandidateRow, leases.holds(lease)) == 1


def abandon(session: Session, question_id: str, reason: str, now: datetime) -> int:
    """Skip the candidates that a question waits for and nobody reads; return how many."""
    waits = (CandidateRow.question_id == question_id) & (CandidateRow.status == CandidateStatus.WAITING)
    skipped = CandidateOutcome(outcome=ReadOutcome.SKIPPED, reason=reason)
    return _finish(session, waits & leases.is_unleased(CandidateRow, now), skipped, now)


def has_waiting() -> ColumnElement[bool]:
    """Return whether candidates of a question's wave have no outcome yet."""
    waits = CandidateRow.status == CandidateStatus.WAITING
    return select(CandidateRow.id).where(CandidateRow.question_id == QuestionRow.id, waits).exists()


def has_unindexed() -> ColumnElement[bool]:
    """Return whether a question has pages whose text the knowledge base does not hold yet.

    One that is gone is not waited for when it could not be removed again and again.
    """
    given_up = PageRow.gone_at.is_not(None) & (PageRow.attempts >= leases.MAX_ATTEMPTS)
    query = select(PageRow.id).join(CandidateRow, CandidateRow.page_id == PageRow.id)
    return query.where(
        CandidateRow.question_id == QuestionRow.id, PageRow.state == IndexState.FETCHED, ~given_up
    ).exists()


def is_indexed(session: Session, question_id: str) -> bool:
    """Return whether the knowledge base holds the text of all the question's pages."""
    return not session.scalar(select(has_unindexed()).where(QuestionRow.id == question_id))


def used_so_far(session: Session, question_id: str, now: datetime) -> CrawlUse:
    """Return the pages, bytes and seconds that the question's crawl has used.

    What a page waits for a worker, for its turn at a host or to be embedded is not reading.
    """
    mine = CandidateRow.question_id == question_id
    fetched = (CandidateRow.kind == "page", CandidateRow.outcome.in_(_FETCHED))
    pages = session.scalar(select(func.count()).where(mine, *fetched)) or 0
    total = session.scalar(select(func.sum(CandidateRow.bytes)).where(mine)) or 0
    seconds = reading_seconds(session, QuestionRow.id == question_id, now).get(question_id, 0.0)
    return CrawlUse(pages=pages, bytes=int(total), seconds=seconds)


def reading_seconds(session: Session, which: ColumnElement[bool], now: datetime) -> dict[str, float]:
    """Return the seconds of reading that the crawl of each of these questions has used; none where nothing was read."""
    query = (
        select(QuestionRow.id, CandidateRow.settled_at, CandidateRow.due_at, CandidateRow.elapsed_s)
        .join(CandidateRow, CandidateRow.question_id == QuestionRow.id)
        .where(which, CandidateRow.elapsed_s > 0)
    )
    reads: dict[str, list[tuple[datetime, datetime]]] = {}
    for question_id, settled, due, elapsed_s in session.execute(query):
        end = settled or due
        reads.setdefault(question_id, []).append((end - timedelta(seconds=elapsed_s), min(end, now)))
    return {question_id: covered_s(spans) for question_id, spans in reads.items()}


def retry_later(
    session: Session, lease: leases.Lease, *, after_s: float, took_s: float, error: str, now: datetime
) -> bool:
    """Release a candidate to be read again later; what its site took and asks to wait for counts as reading."""
    read_s = CandidateRow.elapsed_s + took_s + after_s
    return leases.release(session, lease, due_at=now + timedelta(seconds=after_s), error=error, elapsed_s=read_s)


def of_question(session: Session, question_id: str) -> list[CandidateRow]:
    """Return all candidates of a question that were chosen for a wave, in that order."""
    return list(session.scalars(_CHOSEN, {"question": question_id}))


_CHOSEN = (
    select(CandidateRow)
    .where(CandidateRow.question_id == bindparam("question"), CandidateRow.status != CandidateStatus.KNOWN)
    .order_by(CandidateRow.wave, CandidateRow.score.desc(), CandidateRow.id)
)


def known(session: Session, question_id: str) -> list[Candidate]:
    """Return the question's frontier: candidates that were found and not chosen yet."""
    waiting = (CandidateRow.question_id == question_id, CandidateRow.status == CandidateStatus.KNOWN)
    query = select(CandidateRow).where(*waiting)
    return [to_value(Candidate, row) for row in session.scalars(query.order_by(CandidateRow.score.desc()))]


def finished_since(
    session: Session, urls: Sequence[str], since: datetime, *, question_id: str | None = None
) -> set[str]:
    """Return those of these URLs that were read, or tried, since then for everyone or for this question."""
    private = select(QuestionRow.id).where(QuestionRow.private, QuestionRow.id == CandidateRow.question_id)
    for_it = or_(CandidateRow.question_id == question_id, ~private.exists())
    query = select(CandidateRow.url).where(CandidateRow.url.in_(urls), CandidateRow.settled_at >= since, for_it)
    return set(session.scalars(query))


def last_failures(session: Session, urls: Sequence[str]) -> dict[str, str]:
    """Return why those of these URLs could not be read whose last try failed, or met something else."""
    latest = select(func.max(CandidateRow.id)).where(
        CandidateRow.url.in_(urls), CandidateRow.status == CandidateStatus.SETTLED, CandidateRow.kind == "page"
    )
    query = select(CandidateRow.url, CandidateRow.reason).where(
        CandidateRow.id.in_(latest.group_by(CandidateRow.url)),
        CandidateRow.outcome.in_((ReadOutcome.FAILED, ReadOutcome.WALL)),
    )
    return {url: reason or "no answer" for url, reason in session.execute(query)}


def _finish(session: Session, which: Any, result: CandidateOutcome, now: datetime) -> int:
    values = asdict(result) | {"elapsed_s": CandidateRow.elapsed_s + result.elapsed_s}  # with that of earlier attempts
    # due now: the index by status and time then finds what was settled lately
    ended = {"status": CandidateStatus.SETTLED, "settled_at": now, "due_at": now, **leases.RELEASED}
    return update_rows(session, CandidateRow, which, **values, **ended)


def covered_s(spans: Sequence[tuple[datetime, datetime]]) -> float:
    """Return the seconds that these spans of time cover, where they overlap once."""
    total, covered_to = 0.0, None
    for start, end in sorted(spans):
        begin = start if covered_to is None else max(start, covered_to)
        if end > begin:
            total, covered_to = total + (end - begin).total_seconds(), end
    return total
