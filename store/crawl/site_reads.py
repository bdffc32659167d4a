"""Store the reading of whole sites: the limits, the progress and the frontier of each.

One candidate of a site read is read at a time; whoever finishes it takes the next one in the same transaction.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from domain import Candidate, ReadOutcome
from domain.errors import WellreadError
from domain.site import SiteRead, SiteReadStatus
from store.crawl.candidates import CandidateOutcome, CandidateStatus
from store.sql import leases
from store.sql.rows import groups, to_value, update_rows
from store.sql.tables import CandidateRow, IndexState, PageRow, SiteReadRow
from text.invisible import strip_invisible

#: candidates looked up, or written, in one statement
_CHUNK = 500
#: found beyond the limit of pages, for those that turn out to be none
_SPARE = 10_000
#: keeps the order of finding among candidates of one score
_LATER = 1e-8


class UnknownSiteRead(WellreadError):
    """No such site is, or was, being read."""


class SiteReadOver(WellreadError):
    """The site read has ended."""


def start(session: Session, new: SiteReadRow, now: datetime) -> tuple[SiteReadRow, bool]:
    """Save a site read; return it and whether it is new: an unfinished one of the same site is used again."""
    unfinished = SiteReadRow.status.in_((SiteReadStatus.RUNNING, SiteReadStatus.PAUSED))
    open_now = select(SiteReadRow).where(SiteReadRow.prefix == new.prefix, unfinished, SiteReadRow.again == new.again)
    row = session.scalar(open_now.order_by(SiteReadRow.id).limit(1).with_for_update())
    if row is not None:
        return row, False
    new.status, new.running_since, new.created_at = SiteReadStatus.RUNNING, now, now
    session.add(new)
    session.flush()
    return new, True


def lock(session: Session, site_read_id: int) -> SiteReadRow | None:
    """Return the row, locked until the transaction ends."""
    return session.get(SiteReadRow, site_read_id, with_for_update=True, populate_existing=True)


def find(session: Session, site_read_id: int, now: datetime) -> SiteRead | None:
    """Return how far a site read has come."""
    row = session.get(SiteReadRow, site_read_id)
    if row is None:
        return None
    waits = select(func.count()).select_from(PageRow).join(CandidateRow, CandidateRow.page_id == PageRow.id)
    embedding = session.scalar(waits.where(PageRow.state == IndexState.FETCHED, CandidateRow.site_read_id == row.id))
    return to_site_read(row, now, embedding=embedding or 0)


def latest(session: Session, now: datetime, limit: int = 50) -> list[SiteRead]:
    """Return the last site reads, newest first."""
    query = select(SiteReadRow).order_by(SiteReadRow.id.desc()).limit(limit)
    return [to_site_read(row, now) for row in session.scalars(query)]


def count(row: SiteReadRow, outcome: CandidateOutcome, *, is_new: bool) -> None:
    """Count a page that was read or tried."""
    row.looked_at += 1
    row.bytes += outcome.bytes
    if outcome.outcome in (ReadOutcome.READ, ReadOutcome.UNCHANGED):
        row.new, row.unchanged = row.new + is_new, row.unchanged + (not is_new)
    elif outcome.outcome is ReadOutcome.FAILED:
        row.failed += 1
    else:
        row.left_out += 1


def stalled(session: Session) -> list[int]:
    """Return the running site reads of which no candidate waits or is read."""
    ids = session.scalars(select(SiteReadRow.id).where(SiteReadRow.status == SiteReadStatus.RUNNING)).all()
    return [site_read_id for site_read_id in ids if not is_being_read(session, site_read_id)]


def move(row: SiteReadRow, to: SiteReadStatus, now: datetime, reason: str | None = None) -> None:
    """Run, pause or end a site read; its time is counted while it runs."""
    if row.running_since is not None:
        row.active_s += max(0.0, (now - row.running_since).total_seconds())
    row.status, row.reason = to, reason
    row.running_since = now if to is SiteReadStatus.RUNNING else None
    row.finished_at = now if to.is_final else None


def to_site_read(row: SiteReadRow, now: datetime, *, embedding: int = 0) -> SiteRead:
    """Return the row as a plain value; the time that is left is that until all pages are embedded."""
    running_s = (now - row.running_since).total_seconds() if row.running_since else 0.0
    active_s = row.active_s + max(0.0, running_s)
    pages_per_s = row.looked_at / active_s if active_s > 0 else 0.0
    status, waiting, done = SiteReadStatus(row.status), embedding, row.looked_at - embedding
    if status is SiteReadStatus.RUNNING:
        waiting += min(row.found, row.max_pages) - row.looked_at
    until_now_s = active_s + ((now - row.finished_at).total_seconds() if row.finished_at else 0.0)
    is_known = done > 0 and (embedding or status is SiteReadStatus.RUNNING)
    return to_value(
        SiteRead,
        row,
        status=status,
        embedding=embedding,
        active_s=active_s,
        pages_per_s=pages_per_s,
        left_s=waiting * until_now_s / done if is_known else None,
    )


def add(session: Session, row: SiteReadRow, wanted: Sequence[Candidate], *, most_alike: int, now: datetime) -> int:
    """Save new candidates; return how many. At most ``most_alike`` URLs of one address may differ in the query."""
    new = [c for c in _unknown(session, row.id, wanted) if row.again or _is_wanted_anyhow(session, c)]
    new = list(_not_too_alike(session, row.id, new, most_alike))
    room = max(0, row.max_pages + _SPARE - row.found)
    pages = [candidate for candidate in new if candidate.kind == "page"][:room]
    kept = [*(candidate for candidate in new if candidate.kind != "page"), *pages]
    values = [_values(row, candidate, at, now) for at, candidate in enumerate(kept)]
    for some in groups(values, _CHUNK):
        session.execute(insert(CandidateRow), some)
    row.found += len(pages)
    return len(kept)


def take_next(session: Session, row: SiteReadRow, due_at: datetime) -> int | None:
    """Make the next candidate wait to be read; return None when there is none."""
    mine = CandidateRow.site_read_id == row.id
    query = select(CandidateRow.id).where(mine, CandidateRow.status == CandidateStatus.KNOWN)
    candidate_id = session.scalar(query.order_by(CandidateRow.score.desc()).limit(1))
    if candidate_id is not None:
        chosen = CandidateRow.id == candidate_id
        update_rows(session, CandidateRow, chosen, status=CandidateStatus.WAITING, due_at=due_at, attempts=0)
    return candidate_id


def put_back(session: Session, site_read_id: int, now: datetime) -> None:
    """Return waiting candidates to the frontier; one that is being read is read to its end."""
    mine = (CandidateRow.site_read_id == site_read_id, CandidateRow.status == CandidateStatus.WAITING)
    unread = leases.is_unleased(CandidateRow, now)
    update_rows(session, CandidateRow, *mine, unread, status=CandidateStatus.KNOWN)


def is_being_read(session: Session, site_read_id: int) -> bool:
    """Return whether a candidate of it waits, or is being read."""
    waits = (CandidateRow.site_read_id == site_read_id, CandidateRow.status == CandidateStatus.WAITING)
    return session.scalar(select(CandidateRow.id).where(*waits).limit(1)) is not None


def _unknown(session: Session, site_read_id: int, wanted: Sequence[Candidate]) -> list[Candidate]:
    known: set[str] = set()
    for some in groups(wanted, _CHUNK):
        urls = [candidate.url for candidate in some]
        query = select(CandidateRow.url).where(CandidateRow.site_read_id == site_read_id, CandidateRow.url.in_(urls))
        known |= set(session.scalars(query))
    return [candidate for candidate in wanted if candidate.url not in known]


def _is_wanted_anyhow(session: Session, candidate: Candidate) -> bool:
    """Return whether a candidate lists pages, or is a page that is new or private."""
    if candidate.kind != "page" or candidate.origin == "seed":
        return True
    return session.scalar(select(PageRow.id).where(PageRow.url == candidate.url, ~PageRow.private)) is None


def _not_too_alike(session: Session, site_read_id: int, wanted: Iterable[Candidate], most: int) -> Iterable[Candidate]:
    """Leave out candidates of an address that has too many that differ only in their query."""
    alike: dict[str, int] = {}
    for candidate in wanted:
        address, _, query = candidate.url.partition("?")
        if query:
            if address not in alike:
                same = CandidateRow.url.startswith(f"{address}?", autoescape=True)
                mine = select(func.count()).where(CandidateRow.site_read_id == site_read_id)
                alike[address] = session.scalar(mine.where(same)) or 0
            alike[address] += 1
            if alike[address] > most:
                continue
        yield candidate


def _values(row: SiteReadRow, candidate: Candidate, at: int, now: datetime) -> dict[str, Any]:
    return {
        "site_read_id": row.id, "url": candidate.url, "kind": candidate.kind, "depth": candidate.depth,
        "score": candidate.score - (row.found + at) * _LATER, "origin": candidate.origin,
        "text": strip_invisible(candidate.text),
        "wave": 0, "status": CandidateStatus.KNOWN, "due_at": now, "created_at": now,
    }  # fmt: skip
