"""One candidate, added and read as a worker would."""

from __future__ import annotations

import time
from collections.abc import Callable

from domain import Candidate
from store.crawl import candidates
from store.crawl.candidates import CandidateStatus
from store.sql.tables import CandidateRow
from workers.crawl import read_candidate
from workers.services import Services


def add(services: Services, url: str, question_id: str | None = None) -> int:
    """Have a URL wait to be read; gives the candidate's id."""
    (candidate_id,) = services.write(
        candidates.add, question_id, [Candidate(url=url)], wave=0, status=CandidateStatus.WAITING, now=services.now()
    )
    return candidate_id


def row_of(services: Services, candidate_id: int) -> CandidateRow:
    """The candidate as it is stored."""
    with services.database.read() as session:
        return session.get_one(CandidateRow, candidate_id)


def read_one(services: Services, url: str) -> CandidateRow:
    """Read a URL and give what came of it."""
    candidate_id = add(services, url)
    work(services, candidate_id, until=lambda row: row.status == CandidateStatus.SETTLED)
    return row_of(services, candidate_id)


def work(services: Services, candidate_id: int, until: Callable[[CandidateRow], bool]) -> None:
    """Answer wake-up calls, until the row is as wanted."""
    for _ in range(200):
        make_due(services, candidate_id)
        read_candidate.read(services, candidate_id)
        if until(row_of(services, candidate_id)):
            return
        time.sleep(0.02)
    raise AssertionError("the candidate never came that far")


def make_due(services: Services, candidate_id: int) -> None:
    """Have it be due, however long its host is to be left alone."""
    with services.database.write() as session:
        session.get_one(CandidateRow, candidate_id).due_at = services.now()
