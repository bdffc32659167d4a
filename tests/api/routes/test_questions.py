"""Questions are asked, read, cancelled and traced over HTTP."""

from __future__ import annotations

import threading
import time
from dataclasses import fields, replace
from functools import partial
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from pydantic import SecretStr
from starlette.testclient import TestClient

from api.app import create_app
from api.dependencies import read_record
from api.schemas.responses import record_json
from domain import Budget, Cost, Status
from domain.answer import StructuredAnswer, StructuredField
from domain.flow import QUEUES
from domain.options import Overrides
from domain.record import Record
from store.questions import state, webhooks
from store.questions.state import Move
from store.questions.trace import SeekDetail, WriteDetail
from tests.api import walk
from tests.api.conftest import LOCAL, serving
from workers.crawl.seek import after_seek
from workers.services import Services
from workers.settings import Settings

#: what the four-phase design's /api/chat returns
DESIGN_FIELDS = {
    *("answer", "context", "retry_attempted", "paraphrased_queries", "online_search_triggered", "crawl_reason"),
    *("rag_hits_count", "sql_hits_count", "graph_hits_count", "id", "status", "current_step", "final_step"),
    *("provisional", "confidence", "citations", "live_urls", "search_cycles_completed", "max_search_cycles"),
    *("entity", "timings", "cost"),
}


def test_queue_that_may_not_be_named_is_refused_at_once(http: TestClient, services: Services) -> None:
    asked = {"question": "Why?", "reply_to": {"queue": "orders", "task": "orders.answered"}}
    refused = http.post("/api/questions", json=asked)
    assert (refused.status_code, refused.json()["type"]) == (422, "reply-refused")
    assert "WELLREAD_REPLY_QUEUES" in refused.json()["detail"]
    services.settings = services.settings.model_copy(update={"reply_queues": ("orders",)})
    assert http.post("/api/questions", json=asked).status_code == 202
    assert http.post("/api/questions", json=asked | {"callback_url": "https://example.org/"}).status_code == 422


def test_record_has_every_field_of_the_design() -> None:
    assert {field.name for field in fields(Record)} >= DESIGN_FIELDS


def test_chat_waits_for_the_final_answer(http: TestClient, services: Services) -> None:
    page_id = walk.keep_page(services)
    mover = walk.move_soon(services, walk.answered(page_id), text="Who built it?")
    response = http.post("/api/chat", json={"question": "Who built it?", "wait": 20})
    mover.join(5)
    record = response.json()
    assert response.status_code == 200
    assert response.headers["location"] == f"/api/questions/{record['id']}"
    assert (record["status"], record["provisional"]) == ("ANSWERED", False)
    assert record["answer"] == "Robert Tallis built it in 1871 [1]."
    assert record["short_answer"] == walk.BUILDER
    assert record["citations"][0]["quote"] == walk.QUOTE
    assert record["context"][0]["text"] == walk.TEXT
    assert record["cost"]["usd"] == 0.1
    assert record["final_step"] == "phase1_initial_lookup"


def test_question_that_is_answered_at_once_is_told_to_nobody_but_its_receiver(
    http: TestClient, services: Services
) -> None:
    first = http.post("/api/questions", json={"question": "Who built it?"}).json()["id"]
    walk.move(services, first, walk.answered(walk.keep_page(services)))
    again = http.post("/api/chat", json={"question": "Who built it?", "wait": 20}).json()
    assert (again["status"], again["timings"][0]["step"]) == ("ANSWERED", "reuse")
    assert not services.events_redis.exists(f"wellread:events:{again['id']}")
    with http.stream("GET", f"/api/questions/{again['id']}/events") as events:
        assert "event: final" in events.read().decode()
    callback = {"callback_url": "http://8.8.8.8/ended"}
    told = http.post("/api/questions", json={"question": "Who built it?", **callback}).json()["id"]
    assert services.events_redis.exists(f"wellread:events:{told}")
    with services.database.read() as session:
        assert webhooks.pending(session, told)


def test_chat_gives_the_provisional_answer_when_its_time_is_up(http: TestClient, services: Services) -> None:
    moves = (walk.insufficient(Status.RETRYING), walk.provisional())
    walk.move_soon(services, *moves, text="Who built that?")
    response = http.post("/api/chat", json={"question": "Who built that?", "wait": 1.0})
    record = response.json()
    assert response.status_code == 202
    assert (record["status"], record["answer"], record["provisional"]) == ("SEEKING", "Perhaps.", True)
    assert record["current_step"] == "phase3_web_crawl"


def test_online_search_is_triggered_once_phase_3_is_due_even_if_it_reads_no_page(
    http: TestClient, services: Services
) -> None:
    question = walk.ask(services)
    question_id = question.id

    def seen() -> dict[str, Any]:
        return dict(http.get(f"/api/questions/{question_id}").json())

    walk.move(services, question_id, walk.insufficient(Status.RETRYING))
    assert not seen()["online_search_triggered"]
    walk.move(services, question_id, walk.provisional(Status.SEEKING))
    assert seen()["online_search_triggered"]
    detail = SeekDetail(candidates=[], pages=0, engines={}, cost=Cost(), known_links=0)
    nothing = after_seek(question, chosen=0, why_none="nothing was found", detail=detail, now=services.now())
    walk.move(services, question_id, nothing, step="seek")
    assert seen()["online_search_triggered"]
    walk.move(services, question_id, walk.abstained(), step="requery")
    assert (seen()["online_search_triggered"], seen()["live_urls"]) == (True, [])


@pytest.mark.timeout(60)
def test_queued_chat_does_not_wait(http: TestClient) -> None:
    response = http.post("/api/chat", json={"question": "Who?", "wait": 110, "queued": True})
    assert response.status_code == 202
    assert response.json()["status"] == "ASKED"


def test_question_goes_on_when_its_caller_hangs_up(app: FastAPI, services: Services) -> None:
    with serving(app) as url, httpx2.Client(base_url=url, timeout=60, trust_env=False) as client:
        with pytest.raises(httpx2.ReadTimeout):
            client.post("/api/chat", json={"question": "Who hangs up?", "wait": 20}, timeout=2)
        question_id = client.get("/api/questions").json()[0]["id"]
        walk.move(services, question_id, walk.answered())
        assert client.get(f"/api/questions/{question_id}").json()["status"] == "ANSWERED"


def test_stopping_server_gives_waiting_callers_the_present_answer(app: FastAPI, services: Services) -> None:
    walk.move_soon(services, walk.insufficient(Status.RETRYING), walk.provisional(), text="Who is cut short?")
    answers = []
    with serving(app) as url:
        asked = {"question": "Who is cut short?", "wait": 110}
        post = partial(httpx2.post, f"{url}/api/chat", json=asked, timeout=60, trust_env=False)
        waiting = threading.Thread(target=lambda: answers.append(post()))
        waiting.start()
        while not any(
            entry["status"] == "SEEKING" for entry in httpx2.get(f"{url}/api/questions", trust_env=False).json()
        ):
            time.sleep(0.05)
    waiting.join()
    assert (answers[0].status_code, answers[0].json()["answer"]) == (202, "Perhaps.")


def test_question_is_taken_at_once_and_found_at_its_location(http: TestClient) -> None:
    response = http.post("/api/questions", json={"question": "Why?", "priority": 9, "max_search_cycles": 3})
    assert response.status_code == 202
    record = http.get(response.headers["location"]).json()
    assert (record["question"], record["status"], record["max_search_cycles"]) == ("Why?", "ASKED", 3)
    assert record["verdict"] is None


def test_zero_search_cycles_read_nothing(http: TestClient, services: Services) -> None:
    from store.questions.state import find

    record = http.post("/api/questions", json={"question": "Why?", "max_search_cycles": 0}).json()
    with services.database.read() as session:
        assert find(session, record["id"]).crawl_enabled is False


def test_asker_chooses_the_id_and_finds_the_answer_under_it(http: TestClient) -> None:
    asked = "0B5E9C7A-6A0B-4D53-9D52-6F3C3B1A2F00"
    first = http.post("/api/questions", json={"question": "Mine?", "id": asked})
    again = http.post("/api/questions", json={"question": "Mine?", "id": asked})
    other = http.post("/api/questions", json={"question": "Yours?", "id": asked})
    assert (first.status_code, again.status_code, other.status_code) == (202, 200, 409)
    assert "belongs to another question" in other.json()["detail"]
    read = http.get(f"/api/questions/{asked}").json()
    assert (read["id"], read["question"]) == (asked.replace("-", "").lower(), "Mine?")
    assert http.post("/api/questions", json={"question": "Mine?", "id": "1"}).status_code == 422


def test_same_idempotency_key_and_body_give_the_same_question(http: TestClient) -> None:
    key = {"Idempotency-Key": "k1"}
    first = http.post("/api/questions", json={"question": "Once?"}, headers=key)
    again = http.post("/api/questions", json={"question": "Once?"}, headers=key)
    assert (first.status_code, again.status_code) == (202, 200)
    assert again.json()["id"] == first.json()["id"]
    assert len(http.get("/api/questions").json()) == 1


def test_cancelled_question_ends_and_a_second_cancel_changes_nothing(http: TestClient, services: Services) -> None:
    question = walk.ask(services)
    first = http.post(f"/api/questions/{question.id}/cancel").json()
    again = http.post(f"/api/questions/{question.id}/cancel").json()
    assert first["status"] == again["status"] == "CANCELLED"
    assert again["finished_at"] == first["finished_at"]


@pytest.mark.parametrize(("move", "expected"), [(None, "ASKED"), (walk.answered(), "ANSWERED")])
def test_only_a_question_without_an_answer_is_started_again(
    http: TestClient, services: Services, move: Move | None, expected: str
) -> None:
    question = walk.ask(services)
    if move is None:
        http.post(f"/api/questions/{question.id}/cancel")
    else:
        walk.move(services, question.id, move)
    again = http.post(f"/api/questions/{question.id}/replay")
    assert (again.status_code, again.json()["status"]) == (202, expected)
    assert (again.json()["finished_at"] is None) == (expected == "ASKED")


def test_event_command_line_and_response_give_the_same_record(http: TestClient, services: Services) -> None:
    question = walk.ask(services)
    walk.move(services, question.id, walk.answered())
    sent = http.get(f"/api/questions/{question.id}").json()
    assert record_json(read_record(services, question.id)) == sent
    assert http.post("/api/chat", json={"question": "Why?", "queued": True}).json().keys() == sent.keys()


def test_conditions_reach_the_question(http: TestClient, services: Services) -> None:
    conditions = {
        "question": "Why?",
        "lang": "de",
        "priority": 7,
        "max_age": 60,
        "strategy": "debugging",
        "threshold": 0.55,
        "variants": 0,
        "top_k": 6,
        "sites": ["https://example.org/docs"],
        "budget": {"pages": 3, "seconds": 9.5, "bytes": 1000, "depth": 1, "cycles": 2},
    }
    sent = http.post("/api/chat", json={**conditions, "queued": True}).json()
    with services.database.read() as session:
        question = state.find(session, sent["id"])
    assert (question.lang, question.priority, question.max_age_s) == ("de", 7, 60)
    assert (question.strategy, question.sites) == ("debugging", ("https://example.org/docs",))
    assert question.overrides == Overrides(threshold=0.55, variants=0, top_k=6)
    assert question.budget == Budget(pages=3, seconds=9.5, bytes=1000, depth=1, cycles=2)
    assert sent["max_search_cycles"] == 2


def test_statistics_count_what_is_kept_and_what_waits(http: TestClient, services: Services) -> None:
    services.redis.flushdb()
    walk.keep_page(services)
    http.post("/api/sources", json={"url": "https://example.org"})
    asked = [http.post("/api/questions", json={"question": f"Why {n}?"}).json()["id"] for n in range(2)]
    http.post(f"/api/questions/{asked[0]}/cancel")
    assert http.get("/api/stats").json() == {
        "pages": 1,
        "sources": 1,
        "questions": {"ASKED": 1, "CANCELLED": 1},
        "queues": dict.fromkeys(QUEUES, 0) | {"answer": 2},
        "engines": ["wikipedia"],
    }


def test_trace_tells_each_step_with_its_detail(http: TestClient, services: Services) -> None:
    question = walk.ask(services)
    walk.move(services, question.id, walk.insufficient(Status.RETRYING))
    walk.move(services, question.id, walk.answered(), step="retry")
    steps = http.get(f"/api/questions/{question.id}/trace").json()
    assert [step["name"] for step in steps] == ["retrieve", "retry"]
    assert steps[0]["detail"]["entities"] == ["Tallis"]


def test_asker_learns_of_a_models_failure_only_the_kind(services: Services, settings: Settings) -> None:
    services.settings = settings.model_copy(update={"api_keys": (SecretStr("ask:a"), SecretStr("operate:b"))})
    with TestClient(create_app(services), base_url=LOCAL) as client:
        asker, operator = {"x-api-key": "a"}, {"x-api-key": "b"}
        question_id = client.post("/api/questions", json={"question": "Why?"}, headers=asker).json()["id"]
        detail = WriteDetail(asked=("answer",), error="models.internal does not reply", kind="ModelUnreachable")
        walk.move(services, question_id, Move(to=Status.RETRYING, outcome="model failed", detail=detail))
        walk.move(services, question_id, walk.answered(), step="retry")
        path = f"/api/questions/{question_id}"
        told = [client.get(f"{path}/trace", headers=key).json()[0]["detail"]["error"] for key in (asker, operator)]
        assert told == ["ModelUnreachable", "models.internal does not reply"]
        events = client.get(f"{path}/events", headers=asker).text
        assert "ModelUnreachable" in events
        assert "models.internal" not in events


def test_latest_questions_come_newest_first(http: TestClient, services: Services) -> None:
    for text in ("First?", "Second?"):
        walk.ask(services, text)
    assert [entry["question"] for entry in http.get("/api/questions").json()] == ["Second?", "First?"]
    assert len(http.get("/api/questions?limit=1").json()) == 1


def test_ready_says_what_is_missing_and_what_to_do(http: TestClient, services: Services) -> None:
    services.redis.delete("wellread:alive:answer")
    response = http.get("/readyz")
    by_name = {check["name"]: check for check in response.json()["checks"]}
    assert response.status_code == 503
    assert (by_name["database"]["ok"], by_name["redis"]["ok"], by_name["workers"]["ok"]) == (True, True, False)
    assert "wellread worker answer" in by_name["workers"]["what_to_do"]


def test_ready_when_a_worker_shows_life(http: TestClient, services: Services) -> None:
    services.redis.zadd("wellread:alive:answer", {"here:1": time.time()})
    try:
        response = http.get("/readyz")
        assert (response.status_code, response.json()["ready"]) == (200, True)
    finally:
        services.redis.delete("wellread:alive:answer")


def test_alive_without_anything_else(http: TestClient) -> None:
    assert http.get("/healthz").json() == {"status": "alive"}


def test_record_fits_its_description_in_openapi(http: TestClient) -> None:
    described = http.get("/openapi.json").json()
    assert {"/api/chat", "/api/questions", "/api/questions/{question_id}/events"} <= set(described["paths"])
    fields_described = described["components"]["schemas"]["RecordOut"]["properties"]
    assert set(fields_described) == {field.name for field in fields(Record)} - {"json"}


def test_answer_is_exported_as_a_document_that_runs_nothing(http: TestClient, services: Services) -> None:
    question = walk.ask(services)
    walk.move(services, question.id, walk.answered(walk.keep_page(services)))
    for form, kind in (("md", "text/markdown"), ("html", "text/html")):
        answer = http.get(f"/api/questions/{question.id}/export", params={"format": form})
        assert walk.QUOTE in answer.text
        assert answer.headers["content-type"] == f"{kind}; charset=utf-8"
        assert answer.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
        assert answer.headers["content-disposition"] == f'attachment; filename="wellread-{question.id[:8]}.{form}"'
    assert http.get(f"/api/questions/{question.id}/export", params={"format": "pdf"}).status_code == 422
    assert http.get(f"/api/questions/{'0' * 32}/export").status_code == 404


def test_answer_has_the_form_that_was_asked_for_and_a_form_that_nobody_can_fill_is_refused(
    http: TestClient, services: Services
) -> None:
    schema = {"type": "object", "properties": {"builder": {"type": "string"}, "steps": {"type": "integer"}}}
    page_id = walk.keep_page(services)
    body = {"question": "What is the lighthouse like?", "answer_schema": schema}
    question_id = http.post("/api/questions", json=body).json()["id"]
    answered = walk.answered(page_id)
    assert answered.answer is not None
    fields = (
        StructuredField(path="/builder", value=walk.BUILDER, confidence=0.9, citation=answered.answer.citations[0]),
        StructuredField(path="/steps", value=None, reason="Nothing says it."),
    )
    form = StructuredAnswer(value={"builder": walk.BUILDER, "steps": None}, fields=fields)
    walk.move(services, question_id, replace(answered, answer=replace(answered.answer, structured=form)))
    structured = http.get(f"/api/questions/{question_id}").json()["structured"]
    assert structured["value"] == {"builder": walk.BUILDER, "steps": None}
    assert structured["fields"][0]["citation"]["quote"] == walk.QUOTE
    nothing = {"path": "/steps", "value": None, "confidence": 0.0, "citation": None, "reason": "Nothing says it."}
    assert structured["fields"][1] == nothing
    for wrong in ({"type": "array"}, {"properties": {"x": {"type": "array"}}}, {"properties": {}}):
        refused = http.post("/api/questions", json={"question": "Why?", "answer_schema": wrong})
        assert (refused.status_code, refused.json()["type"]) == (422, "bad-schema")


def test_equal_questions_in_another_form_share_no_answer(http: TestClient, services: Services) -> None:
    schema = {"properties": {"builder": {"type": "string"}}}
    plain = http.post("/api/questions", json={"question": "Who built the lighthouse?"}).json()
    formed = http.post("/api/questions", json={"question": "Who built the lighthouse?", "answer_schema": schema}).json()
    assert (plain["shared_with"], formed["shared_with"]) == (None, None)


def test_response_without_content_names_no_type_of_it(http: TestClient) -> None:
    question_id = http.post("/api/questions", json={"question": "Who?"}).json()["id"]
    deleted = http.delete(f"/api/questions/{question_id}")
    assert (deleted.status_code, deleted.content, deleted.headers.get("content-type")) == (204, b"", None)
