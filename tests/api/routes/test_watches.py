"""Watching, feedback and shared runs, over HTTP, by the clients and on the command line."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from api.app import create_app
from domain import Status
from store.questions import state
from store.sql.tables import AnswerRow, QuestionRow
from tests.api import walk
from tests.api.cli.command import wellread
from tests.api.conftest import LOCAL, serving
from wellread import AsyncClient, Client, Refused
from workers.questions import submit, watches
from workers.services import Services
from workers.settings import Settings

QUESTION = {"question": "Who built the lighthouse?"}


@pytest.fixture
def url(app: FastAPI) -> Iterator[str]:
    with serving(app) as url:
        yield url


def _ask_again(services: Services, question_id: str) -> None:
    """Do what a changed page leads to, up to another answer."""
    with services.database.write() as session:
        row = state.lock(session, question_id)
        assert row is not None
        state.ask_again(session, row, services.now())
    other = walk.answered()
    walk.move(services, question_id, state.Move(to=other.to, outcome="x", answer=walk.answer(text="Nobody knows.")))


def _when(condition: Callable[[], object], act: Callable[[], object]) -> None:
    """Act as soon as the condition holds, from another thread."""

    def run() -> None:
        while not condition():
            time.sleep(0.01)
        act()

    threading.Thread(target=run, daemon=True).start()


def test_follower_gets_the_events_of_its_leader_and_of_the_next_one_when_that_is_cancelled(
    url: str, services: Services
) -> None:
    page_id = walk.keep_page(services)
    with Client(url) as client:
        leader, follower, heir = (client.submit(**QUESTION) for _ in range(3))
        with services.database.write() as session:  # the third is the older follower
            session.get_one(QuestionRow, heir).created_at = session.get_one(QuestionRow, leader).created_at

        events = []
        for event in client.events(follower):
            if not events:
                walk.move(services, leader, walk.provisional(Status.RETRYING))
            if event.kind == "provisional":
                submit.cancel(services, leader)
                walk.move(services, heir, walk.insufficient(Status.RETRYING))
                walk.move(services, heir, walk.answered(page_id))
            events.append(event)
        assert [event.kind for event in events if event.kind != "status"] == ["provisional", "final"]
        assert "RETRYING" in [event.data["status"] for event in events if event.kind == "status"]
        assert (events[-1].data["status"], events[-1].data["shared_with"]) == ("ANSWERED", heir)
        assert client.get(follower).answer == client.get(heir).answer


def test_caller_who_waits_gets_the_shared_answer(url: str, services: Services) -> None:
    page_id = walk.keep_page(services)
    with Client(url) as client:
        leader = client.submit(**QUESTION)
        _when(lambda: len(_rows(services)) == 2, lambda: walk.move(services, leader, walk.answered(page_id)))
        record = client.ask(QUESTION["question"], wait=10)
    assert (record.status, record.shared_with) == (Status.ANSWERED, leader)


def test_question_is_watched_listed_and_unwatched(http: TestClient, services: Services) -> None:
    asked = http.post("/api/questions", json={**QUESTION, "watch": True}).json()
    other = http.post("/api/questions", json={"question": "Why?"}).json()
    assert (asked["watched"], other["watched"]) == (True, False)
    watch = http.post(f"/api/questions/{other['id']}/watch", json={"callback_url": "https://example.org/told"}).json()
    assert watch["callback_url"] == "https://example.org/told"
    assert [each["question"] for each in http.get("/api/watches").json()] == [QUESTION["question"], "Why?"]
    for _ in range(2):
        assert http.delete(f"/api/questions/{other['id']}/watch").status_code == 204
    assert len(http.get("/api/watches").json()) == 1
    assert http.post(f"/api/questions/{'0' * 32}/watch").status_code == 404


def test_new_answers_of_a_watched_question_are_sent_once_and_again_to_readers_who_missed_them(
    url: str, app: FastAPI, services: Services
) -> None:
    page_id = walk.keep_page(services)
    with Client(url) as client:
        question_id = client.submit(**QUESTION, watch=True)
        walk.move(services, question_id, walk.answered(page_id))
        # the server waits for an event, and so knows the present answer
        waits = lambda: app.state.reader.followers  # noqa: E731
        _when(waits, lambda: _ask_again(services, question_id))
        events = []
        for event in client.changes(question_id):
            events.append(event)
            if event.kind == "changed":
                watches.unwatch(services, question_id)
        assert [event.kind for event in events] == ["changed", "stopped"]
        assert events[0].data["answer"] == "Nobody knows."
        client.watch(question_id)
        _ask_again(services, question_id)  # the same answer: no event is sent
        watches.unwatch(services, question_id)
        assert [event.kind for event in client.changes(question_id, after=events[0].id)] == ["stopped"]


def test_reader_who_reconnects_gets_a_missed_change(url: str, services: Services) -> None:
    page_id = walk.keep_page(services)
    with Client(url) as client:
        question_id = client.submit(**QUESTION, watch=True)
        walk.move(services, question_id, walk.answered(page_id))
        _ask_again(services, question_id)
        stream = client.changes(question_id, after="0")
        assert next(stream).data["answer"] == "Nobody knows."
        stream.close()  # type: ignore[attr-defined]


def test_feedback_is_in_the_record_and_in_the_trace(http: TestClient, services: Services) -> None:
    question_id = http.post("/api/questions", json=QUESTION).json()["id"]
    address = f"/api/questions/{question_id}/feedback"
    early = http.post(address, json={"verdict": "right"})
    assert (early.status_code, early.json()["title"]) == (409, "No answer to judge")
    walk.move(services, question_id, walk.answered(walk.keep_page(services)))
    assert http.post(address, json={"verdict": "wonderful"}).status_code == 422
    assert http.post(address, json={"verdict": "citation_wrong", "comment": "another page"}).status_code == 200
    record = http.get(f"/api/questions/{question_id}").json()
    assert record["feedback"]["verdict"] == "citation_wrong"
    assert http.get(f"/api/questions/{question_id}/trace").json()[-1]["outcome"] == "citation_wrong"


def test_key_that_may_ask_may_give_feedback_and_watch(services: Services, settings: Settings) -> None:
    services.settings = settings.model_copy(update={"api_keys": Settings(api_keys="ask:k").api_keys})  # type: ignore[arg-type]
    with TestClient(create_app(services), base_url=LOCAL) as http:
        question_id = http.post("/api/questions", json=QUESTION, headers={"X-API-Key": "k"}).json()["id"]
        walk.move(services, question_id, walk.answered(walk.keep_page(services)))
        for path, body in (("feedback", {"verdict": "right"}), ("watch", {})):
            address = f"/api/questions/{question_id}/{path}"
            assert http.post(address, json=body).status_code == 401
            assert http.post(address, json=body, headers={"X-API-Key": "k"}).status_code == 200


def test_both_clients_watch_and_give_feedback(url: str, services: Services) -> None:
    with Client(url) as client:
        question_id = client.submit(**QUESTION)
        walk.move(services, question_id, walk.answered(walk.keep_page(services)))
        assert client.watch(question_id).question == QUESTION["question"]
        assert client.feedback(question_id, "wrong", comment="no").comment == "no"
        record = client.get(question_id)
        assert record.feedback is not None
        assert (record.watched, record.feedback.verdict) == (True, "wrong")

    async def run() -> list[str]:
        async with AsyncClient(url) as client:
            await client.feedback(question_id, "right", revision=1)
            listed = [each.question_id for each in await client.watches()]
            await client.unwatch(question_id)
            return listed + [event.kind async for event in client.changes(question_id)]

    assert asyncio.run(run()) == [question_id, "stopped"]


def test_unknown_question_has_no_changes(url: str) -> None:
    with Client(url) as client, pytest.raises(Refused, match="no question"):
        next(client.changes("0" * 32))


def test_command_line_watches_lists_and_stops(url: str, services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WELLREAD_API_URL", url)
    page_id = walk.keep_page(services)
    walk.move_soon(services, walk.answered(page_id))
    asked = wellread("watch", "Who built the lighthouse?", "--callback", "https://example.org/told")
    assert asked.exit_code == 0, asked.output
    (row,) = _rows(services)
    assert f"Watched as {row.id}." in asked.stdout
    listed = wellread("watch", "list").stdout
    assert row.id in listed
    assert "Who built the lighthouse?" in listed
    assert "no longer watched" in wellread("watch", "stop", row.id).stdout
    assert "No watched questions" in wellread("watch", "list").stdout
    assert wellread("watch", "stop", "0" * 32).exit_code == 1


def test_answer_that_still_holds_is_given_again_at_once(http: TestClient, services: Services) -> None:
    page_id = walk.keep_page(services)
    first = http.post("/api/questions", json=QUESTION).json()["id"]
    walk.move(services, first, walk.answered(page_id))
    again = http.post("/api/chat", json=QUESTION)
    assert (again.status_code, again.json()["cached_from"]) == (200, first)
    with services.database.write() as session:
        session.query(AnswerRow).update({"stale_at": services.now()})
    assert http.post("/api/chat", json={**QUESTION, "wait": 0}).status_code == 202


def _rows(services: Services) -> list[QuestionRow]:
    with services.database.read() as session:
        return list(session.query(QuestionRow))
