"""What was read is kept by who holds the candidate, and by nobody else."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import select

from store import candidates, leases
from store.candidates import CandidateStatus
from store.tables import CandidateRow, LinkRow, PageRow
from store.types import Candidate
from tests.logged_site import article, served
from tests.workers.conftest import Bell
from workers import intake, outcomes, reading
from workers.claim import claim
from workers.services import Services


def test_reader_that_lost_its_lease_keeps_nothing(services: Services, bell: Bell) -> None:
    with served({"/lamp": article(1, links="<a href=/ferry>Ferry</a>")}) as site:
        intake.add_source(services, f"{site.origin}/", own=True, min_delay_s=0.0)
        with services.database.write() as session:
            lamp = [Candidate(url=f"{site.origin}/lamp")]
            (candidate_id,) = candidates.add(
                session, None, lamp, wave=0, status=CandidateStatus.WAITING, now=services.now()
            )
        mine = claim(services, candidate_id)
        assert mine is not None
        found = reading.fetch(services, mine)
    assert found.outcome == "read"
    later = services.now() + timedelta(seconds=leases.LEASE_S + 1)
    with services.database.write() as session:
        assert leases.claim(session, CandidateRow, candidate_id, CandidateRow.id == candidate_id, later)
    outcomes.keep(services, mine, found, 0.0)
    with services.database.read() as session:
        assert session.scalars(select(PageRow)).all() == []
        assert session.scalars(select(LinkRow)).all() == []
    assert bell.rung == []
