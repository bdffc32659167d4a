"""What is kept of a reading: by who holds the candidate, with what the server named last."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import select

from store.sql import leases
from store.sql.tables import CandidateRow, LinkRow, PageRow
from tests.logged_site import article, served
from tests.workers.conftest import Outbox
from tests.workers.crawl.one_candidate import add, read_one
from workers.crawl import outcomes, read_candidate
from workers.crawl.claim import claim
from workers.questions import submit
from workers.services import Services


def test_reader_that_lost_its_lease_keeps_nothing(services: Services, outbox: Outbox) -> None:
    with served({"/lamp": article(1, links="<a href=/ferry>Ferry</a>")}) as site:
        submit.add_source(services, f"{site.origin}/", own=True, min_delay_s=0.0)
        candidate_id = add(services, f"{site.origin}/lamp")
        mine = claim(services, candidate_id)
        assert mine is not None
        found = read_candidate.fetch(services, mine)
    assert found.outcome == "read"
    later = services.now() + timedelta(seconds=leases.LEASE_S + 1)
    with services.database.write() as session:
        assert leases.claim(session, CandidateRow, candidate_id, CandidateRow.id == candidate_id, later)
    outcomes.record_read(services, mine, found, 0.0)
    with services.database.read() as session:
        assert session.scalars(select(PageRow)).all() == []
        assert session.scalars(select(LinkRow)).all() == []
    assert outbox.messages == []


def test_unchanged_page_is_asked_for_next_with_the_validators_it_came_with_last(services: Services) -> None:
    with served({"/lamp": article(1)}) as site:
        submit.add_source(services, f"{site.origin}/", own=True, min_delay_s=0.0)
        read_one(services, f"{site.origin}/lamp")
        site.pages["/lamp"] = article(1).replace("<p>", "<p class=new>")
        outcomes_of = [read_one(services, f"{site.origin}/lamp").outcome for _ in range(2)]
        assert outcomes_of == ["unchanged", "unchanged"]
        assert [request.status for request in site.log if request.path == "/lamp"] == [200, 200, 304]
