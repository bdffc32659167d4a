"""Sources, readings and stored pages over HTTP."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from store.crawl import candidates
from store.crawl.candidates import CandidateOutcome, CandidateStatus
from store.sql import leases
from store.sql.tables import CandidateRow, PageRow
from tests.api import walk
from workers.services import Services


def test_source_is_kept_changed_listed_and_forgotten(http: TestClient) -> None:
    added = http.post("/api/sources", json={"url": "example.org/docs", "min_delay_s": 2})
    again = http.post("/api/sources", json={"url": "https://example.org/docs", "min_delay_s": 0.5})
    assert (added.status_code, added.json()["url"]) == (201, "https://example.org/docs")
    assert again.json() == {**added.json(), "min_delay_s": 0.5}
    assert http.get("/api/sources").json() == [again.json()]
    assert http.delete(f"/api/sources/{again.json()['id']}").status_code == 204
    assert http.get("/api/sources").json() == []


def test_own_source_lets_its_private_address_be_asked_about(http: TestClient) -> None:
    asked = {"question": "Why?", "sites": ["http://127.0.0.1:8123/"]}
    assert http.post("/api/questions", json=asked).status_code == 422
    assert http.post("/api/sources", json={"url": "http://127.0.0.1:8123", "own": True}).status_code == 201
    assert http.post("/api/questions", json=asked).status_code == 202
    assert http.post("/api/questions", json={**asked, "sites": ["http://127.0.0.1:8124/"]}).status_code == 422


def test_stored_page_gives_back_exactly_what_a_citation_quotes(http: TestClient, services: Services) -> None:
    page_id = walk.keep_page(services)
    citation = walk.answer(page_id).citations[0]
    page = http.get(f"/api/pages/{page_id}").json()
    part = http.get(f"/api/pages/{page_id}?start={citation.start}&end={citation.end}").json()
    assert (page["text"], page["title"], page["characters"]) == (walk.TEXT, "The tower", len(walk.TEXT))
    assert (part["text"], part["start"]) == (walk.QUOTE, citation.start)


@pytest.mark.parametrize("limits", ["start=5&end=2", "start=100000", "end=0"])
def test_part_of_a_page_that_holds_nothing_is_empty(http: TestClient, services: Services, limits: str) -> None:
    page_id = walk.keep_page(services)
    response = http.get(f"/api/pages/{page_id}?{limits}")
    assert (response.status_code, response.json()["text"]) == (200, "")


def test_reading_is_followed_until_answers_can_be_drawn_from_it(http: TestClient, services: Services) -> None:
    asked = http.post("/api/reads", json={"url": "https://example.org/tower"})
    assert (asked.status_code, asked.json()["outcome"], asked.json()["in_knowledge_base"]) == (202, None, False)
    page_id = walk.keep_page(services)
    with services.database.write() as session:
        waits = CandidateRow.status == CandidateStatus.WAITING
        lease = leases.claim(session, CandidateRow, asked.json()["id"], waits, services.now())
        assert lease is not None
        candidates.finish(session, lease, CandidateOutcome(outcome="read", page_id=page_id), services.now())
    read = http.get(asked.headers["location"]).json()
    assert (read["outcome"], read["title"], read["in_knowledge_base"]) == ("read", "The tower", False)
    with services.database.write() as session:
        session.get_one(PageRow, page_id).state = "INDEXED"
    assert http.get(asked.headers["location"]).json()["in_knowledge_base"] is True
