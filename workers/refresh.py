"""Has known pages read again when they are due: a candidate without a question for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from store import candidates, pages
from store.candidates import CandidateStatus
from store.types import Candidate

if TYPE_CHECKING:
    from workers.services import Services

#: pages taken in one round
BATCH = 100


def refresh(services: Services) -> int:
    """Take the pages that are due; returns how many."""
    now = services.now()
    with services.database.write() as session:
        due = pages.take_due(session, now, BATCH)
        found = [Candidate(url=url, depth=depth, origin="refresh") for url, depth in due]
        ids = candidates.add(session, None, found, wave=0, status=CandidateStatus.WAITING, now=now)
    for candidate_id in ids:
        services.doorbell.ring("wellread.read", candidate_id)
    return len(ids)
