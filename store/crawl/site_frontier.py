"""Store the frontier of each whole site and choose what is read next.

One candidate of a site read is read at a time; whoever finishes it takes the next one in the same transaction.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from domain import Candidate
from store.crawl.candidates import CandidateStatus
from store.sql import leases
from store.sql.rows import update_rows
from store.sql.tables import CandidateRow, PageRow, SiteReadRow
from text.invisible import strip_invisible

#: candidates looked up, or written, in one statement
_CHUNK = 500
#: found beyond the limit of pages, for those that turn out to be none
_SPARE = 10_000
#: keeps the order of finding among candidates of one score
_LATER = 1e-8


def add(session: Session, row: SiteReadRow, wanted: Sequence[Candidate], *, most_alike: int, now: datetime) -> int:
    """Save new candidates; return how many. At most ``most_alike`` URLs of one address may differ in the query."""
    new = [c for c in _unknown(session, row.id, wanted) if row.again or _is_wanted_anyhow(session, c)]
    new = list(_not_too_alike(session, row.id, new, most_alike))
    room = max(0, row.max_pages + _SPARE - row.found)
    pages = [candidate for candidate in new if candidate.kind == "page"][:room]
    kept = [*(candidate for candidate in new if candidate.kind != "page"), *pages]
    values = [_values(row, candidate, at, now) for at, candidate in enumerate(kept)]
    for start in range(0, len(values), _CHUNK):
        session.execute(insert(CandidateRow), values[start : start + _CHUNK])
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
    for start in range(0, len(wanted), _CHUNK):
        urls = [candidate.url for candidate in wanted[start : start + _CHUNK]]
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
    alike: dict[str, int] = defaultdict(int)
    counted: Counter[str] = Counter()
    for candidate in wanted:
        address, _, query = candidate.url.partition("?")
        if query:
            if address not in alike:
                same = CandidateRow.url.startswith(f"{address}?", autoescape=True)
                mine = select(func.count()).select_from(CandidateRow).where(CandidateRow.site_read_id == site_read_id)
                alike[address] = int(session.scalar(mine.where(same)) or 0)
            counted[address] += 1
            if alike[address] + counted[address] > most:
                continue
        yield candidate


def _values(row: SiteReadRow, candidate: Candidate, at: int, now: datetime) -> dict[str, Any]:
    return {
        "site_read_id": row.id, "url": candidate.url, "kind": candidate.kind, "depth": candidate.depth,
        "score": candidate.score - (row.found + at) * _LATER, "origin": candidate.origin,
        "text": strip_invisible(candidate.text),
        "wave": 0, "status": CandidateStatus.KNOWN, "due_at": now, "created_at": now,
    }  # fmt: skip
