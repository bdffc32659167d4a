"""What an operator sees over HTTP: the last day, what failed, what was spent; searching pages."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from pydantic import SecretStr
from starlette.testclient import TestClient

from api.app import create_app
from domain import Candidate, Cost, ReadOutcome, Status
from domain.answer import NextQuestion
from domain.flow import QUEUES
from store.crawl import candidates
from store.crawl.candidates import CandidateOutcome, CandidateStatus
from store.questions.state import Changes, Move
from store.questions.trace import WriteDetail
from store.sql import leases
from store.sql.tables import CandidateRow, QuestionRow
from tests.api import walk
from tests.api.conftest import LOCAL
from workers.services import Services
from workers.settings import Settings


def test_questions_are_counted_in_the_hour_in_which_they_ended(http: TestClient, services: Services) -> None:
    page_id = walk.keep_page(services)
    for seconds in (2, 4, 60):
        asked = walk.ask(services)
        _asked_ago(services, asked.id, seconds)
        walk.move(services, asked.id, walk.answered(page_id))
    walk.move(services, walk.ask(services).id, walk.unsure(page_id))
    walk.move(services, walk.ask(services).id, Move(to=Status.ABSTAINED, outcome="insufficient"))
    walk.move(services, walk.ask(services).id, Move(to=Status.CANCELLED, outcome="cancelled"))
    hours = http.get("/api/operations").json()["hours"]
    assert len(hours) == 24
    counted = [hour for hour in hours if hour["answered"] or hour["unknown"]]  # two where the hour changes meanwhile
    assert [sum(hour[name] for hour in counted) for name in ("answered", "unsure", "unknown", "failed", "pages")] == [
        3,
        1,
        1,
        0,
        1,
    ]
    assert max(hour["slowest_s"] for hour in counted) >= 40
    assert all(hour["median_s"] is None for hour in hours if hour not in counted)


def test_question_that_failed_is_listed_until_it_is_replayed(http: TestClient, services: Services) -> None:
    asked = walk.ask(services)
    walk.move(services, asked.id, Move(to=Status.FAILED, outcome="failed", changes=Changes(error="no disk")))
    (dead,) = http.get("/api/operations").json()["dead"]
    assert (dead["id"], dead["question"], dead["error"]) == (asked.id, asked.text, "no disk")
    assert http.post(f"/api/questions/{asked.id}/replay").status_code == 202
    assert http.get("/api/operations").json()["dead"] == []


def test_what_models_cost_is_added_up_by_the_day(http: TestClient, services: Services) -> None:
    for usd in (0.25, 0.5):
        detail = WriteDetail(asked=("answer",), cost=Cost(model="m", input_tokens=100, output_tokens=10, usd=usd))
        walk.move(services, walk.ask(services).id, Move(to=Status.ABSTAINED, outcome="insufficient", detail=detail))
    walk.move(services, walk.ask(services).id, walk.insufficient(Status.RETRYING))  # without a model
    spent = http.get("/api/operations").json()["spent"]
    assert sum(day["usd"] for day in spent) == pytest.approx(0.75)
    assert sum(day["tokens"] for day in spent) == 220


def test_queues_are_shown_with_their_workers(http: TestClient) -> None:
    queues = http.get("/api/operations").json()["queues"]
    assert [queue["name"] for queue in queues] == list(QUEUES)
    assert all(queue["workers"] == 0 for queue in queues)


def test_pages_are_searched_by_address_and_title(http: TestClient, services: Services) -> None:
    urls = ["https://example.org/100%25", "https://example.org/tower"]
    for url in urls:
        walk.keep_page(services, url)
    assert [page["url"] for page in http.get("/api/pages", params={"text": "100%"}).json()] == urls[:1]
    assert [page["url"] for page in http.get("/api/pages", params={"text": "THE TOWER"}).json()] == urls
    assert http.get("/api/pages", params={"text": "ocean"}).json() == []


def test_pages_that_could_not_be_read_are_searched_by_address(http: TestClient, services: Services) -> None:
    for url, kind in [("https://example.org/secret", "page"), ("https://example.org/sitemap.xml", "sitemap")]:
        _fail(services, Candidate(url=url, kind=kind), "robots.txt forbids it")  # type: ignore[arg-type]
    (unread,) = http.get("/api/pages", params={"not_read": True, "text": "example"}).json()
    assert (unread["url"], unread["state"], unread["reason"]) == (
        "https://example.org/secret",
        "forbidden",
        "robots.txt forbids it",
    )
    assert http.get("/api/pages", params={"not_read": True, "text": "sitemap"}).json() == []


def test_related_questions_are_those_about_the_same_pages_and_those_of_the_answer(
    http: TestClient, services: Services
) -> None:
    page_id = walk.keep_page(services)
    texts = ("When was the lighthouse built?", "Who built it?", "Why?", "The lighthouse's fee?")
    earlier, asked, open_one, fragment = (walk.ask(services, text) for text in texts)
    answered = walk.answered(page_id)
    assert answered.answer is not None
    answer = replace(answered.answer, related=(NextQuestion(question="Is it open?", page_id=page_id),))
    for question in (earlier, asked, fragment):
        walk.move(services, question.id, replace(answered, answer=answer))
    assert http.get(f"/api/questions/{asked.id}").json()["related"] == [{"question": "Is it open?", "page_id": page_id}]
    related = http.get(f"/api/questions/{asked.id}/related").json()
    assert related[0] == {"question": earlier.text, "id": earlier.id}
    assert related[1:] == [{"question": "Is it open?", "id": None}]
    assert http.get(f"/api/questions/{open_one.id}/related").json() == []


def test_operations_need_an_operators_key(services: Services, settings: Settings) -> None:
    services.settings = settings.model_copy(update={"api_keys": (SecretStr("ask:a"), SecretStr("operate:b"))})
    with TestClient(create_app(services), base_url=LOCAL) as client:
        assert client.get("/api/operations", headers={"x-api-key": "a"}).status_code == 403
        assert client.get("/api/operations", headers={"x-api-key": "b"}).status_code == 200


def _asked_ago(services: Services, question_id: str, seconds: float) -> None:
    with services.database.write() as session:
        session.get_one(QuestionRow, question_id).created_at -= timedelta(seconds=seconds)


def _fail(services: Services, candidate: Candidate, reason: str) -> None:
    now = services.now()
    outcome = CandidateOutcome(outcome=ReadOutcome.FORBIDDEN, reason=reason)
    with services.database.write() as session:
        (row_id,) = candidates.add(session, None, [candidate], wave=0, status=CandidateStatus.WAITING, now=now)
        lease = leases.claim(session, CandidateRow, row_id, CandidateRow.id == row_id, now)
        assert lease is not None
        assert candidates.finish(session, lease, outcome, now)
