"""Sources, readings and stored pages over HTTP."""

from __future__ import annotations

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from domain import Candidate, PageText, ReadOutcome, Validators
from store.crawl import candidates
from store.crawl.candidates import CandidateOutcome, CandidateStatus
from store.pages import history, pages
from store.sql import leases
from store.sql.tables import CandidateRow, PageRow, PageVersionRow
from tests.api import walk
from tests.api.conftest import indexed
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


def test_pages_are_listed_by_address_in_parts(http: TestClient, services: Services) -> None:
    source = http.post("/api/sources", json={"url": "https://example.org/docs"}).json()
    urls = [f"https://example.org/{path}" for path in ("docs/a", "docs/b", "tower")]
    for url in (*urls, "files://uploads/lamp.md"):
        page_id = walk.keep_page(services, url)
        with services.database.write() as session:
            row = session.get_one(PageRow, page_id)
            row.state, row.duplicate_of, row.content_hash = "INDEXED", None, url

    def listed(**filters: object) -> list[str]:
        return [page["url"] for page in http.get("/api/pages", params=filters).json()]  # type: ignore[arg-type]

    assert listed() == ["files://uploads/lamp.md", *urls]
    assert listed(limit=2) == ["files://uploads/lamp.md", urls[0]]
    assert listed(limit=2, after=urls[0]) == urls[1:]
    assert listed(kind="file") == ["files://uploads/lamp.md"]
    assert listed(kind="web", site="https://example.org/docs") == urls[:2]
    assert listed(source=source["id"]) == urls[:2]
    assert listed(source=source["id"], site=urls[0]) == urls[:1]
    assert listed(since="2020-01-01") == listed()
    assert listed(since="2200-01-01") == []
    assert listed(not_read=True) == []
    assert http.get("/api/pages", params={"source": 99}).status_code == 404
    assert http.get("/api/pages", params={"stranger": 1}).status_code == 422


def test_what_was_not_read_is_listed_with_the_reason(http: TestClient, services: Services) -> None:
    page_id, now, waits = walk.keep_page(services), services.now(), "https://example.org/waits"
    walk.keep_page(services, "https://example.org/held")
    with services.database.write() as session:
        for row in session.scalars(select(PageRow)):
            row.state, row.duplicate_of = "INDEXED", None
        pages.mark_gone(session, page_id, now)
        history.add(
            session, page_id, outcome=ReadOutcome.GONE, status=404, content_hash="h", reason="HTTP 404", now=now
        )
        session.flush()
        for url in ("https://example.org/held", "https://example.org/secret", waits):
            found = [Candidate(url=url, origin="test")]
            candidates.add(session, None, found, wave=0, status=CandidateStatus.WAITING, now=now)
        for candidate in session.scalars(select(CandidateRow).where(CandidateRow.url != waits)):
            candidate.status, candidate.outcome, candidate.reason = (
                CandidateStatus.SETTLED,
                "forbidden",
                "robots.txt forbids it",
            )
    listed = http.get("/api/pages", params={"not_read": True}).json()
    assert [(page["url"], page["state"], page["reason"], page["id"]) for page in listed] == [
        ("https://example.org/secret", "forbidden", "robots.txt forbids it", None),
        ("https://example.org/tower", "gone", "HTTP 404", page_id),
    ]


def test_former_texts_are_kept_listed_and_shown(http: TestClient, services: Services) -> None:
    url = "https://example.org/tower"
    for number in range(1, 9):
        with services.database.write() as session:
            page = PageText(title=f"Title {number}", text=f"It is text {number}.", lang="en")
            pages.save(
                session, url=url, host="https://example.org", page=page, content_hash=f"h{number}",
                validators=Validators(), depth=0, now=services.now(),
            )  # fmt: skip
    kept = http.get("/api/pages/1/versions").json()
    assert [each["number"] for each in kept] == [8, 7, 6, 5, 4, 3]
    assert kept[2]["title"] == "Title 6"
    shown = http.get("/api/pages/1", params={"version": 6}).json()
    assert (shown["text"], shown["generation"], shown["content_hash"]) == ("It is text 6.", 6, "h6")
    assert http.get("/api/pages", params={"url": url, "version": 3}).json()["text"] == "It is text 3."
    assert http.get("/api/pages/1", params={"version": 2}).status_code == 404
    with indexed(services, 1):
        assert http.delete("/api/pages/1").status_code == 204
    with services.database.read() as session:
        assert session.scalars(select(PageVersionRow)).all() == []
