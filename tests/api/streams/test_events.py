"""Progress is watched live, again from where a reader left off, and from the rows when Redis is away."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI

from api.dependencies import open_listener, read_record
from api.streams.events import final_record, watch
from domain import Status
from domain.record import Event
from tests.api import walk
from tests.api.conftest import serving
from tests.slack import SLACK_S
from workers.services import Services

NOWHERE = "unix:///nonexistent/valkey.sock"


@pytest.fixture
def url(app: FastAPI) -> Iterator[str]:
    with serving(app) as url:
        yield url


def _read(
    url: str, question_id: str, *, last: str = "", until: str = "final", then: Callable[[], object] = lambda: None
) -> list[httpx2.ServerSentEvent]:
    """The events up to the first of kind ``until``; does ``then`` as soon as the first of all has come."""
    found: list[httpx2.ServerSentEvent] = []
    headers = {"Last-Event-ID": last} if last else {}
    address = f"{url}/api/questions/{question_id}/events"
    with httpx2.Client(trust_env=False, timeout=10) as client, client.sse(address, headers=headers) as source:
        for event in source:
            if not found:
                then()
            found.append(event)
            if event.event == until:
                break
    return found


def _later(services: Services, question_id: str, *moves: object, after_s: float = 0.2) -> threading.Thread:
    def run() -> None:
        for move in moves:
            time.sleep(after_s)
            walk.move(services, question_id, move)  # type: ignore[arg-type]

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def test_watcher_sees_where_it_stands_then_each_step_then_the_record(url: str, services: Services) -> None:
    question = walk.ask(services)
    moves = (walk.insufficient(Status.RETRYING), walk.provisional(), walk.answered())
    events = _read(url, question.id, then=lambda: _later(services, question.id, *moves, after_s=0.05))
    assert json.loads(events[0].data) == {"status": "ASKED", "current_step": "phase1_initial_lookup"}
    kinds = [event.event for event in events]
    assert kinds == ["status", "status", "status", "provisional", "status", "final"]
    assert json.loads(events[3].data) == {"answer": "Perhaps.", "missing": ["x"]}
    final = json.loads(events[-1].data)
    assert (final["status"], final["answer"]) == ("ANSWERED", "Robert Tallis built it in 1871 [1].")
    assert final == httpx2.get(f"{url}/api/questions/{question.id}", trust_env=False).json()


def test_watcher_who_comes_back_hears_only_what_is_new(url: str, services: Services) -> None:
    question = walk.ask(services)
    walk.move(services, question.id, walk.insufficient(Status.RETRYING))
    seen = _read(url, question.id, until="status")
    walk.move(services, question.id, walk.provisional())
    walk.move(services, question.id, walk.answered())
    everything = _read(url, question.id)
    again = _read(url, question.id, last=everything[2].id)
    assert seen[0].id == ""
    assert [event.event for event in again] == ["status", "provisional", "status", "final"]
    assert again[1].id == everything[3].id


def test_answer_that_is_being_written_is_heard_again_by_who_comes_back(url: str, services: Services) -> None:
    question = walk.ask(services)
    services.events.publish(question.id, "writing", {"answer": "One. [1]"})
    services.events.publish(question.id, "writing", {"answer": "One. [1] Two. [2]"})
    walk.move(services, question.id, walk.answered())
    told = [event for event in _read(url, question.id) if event.event == "writing"]
    assert [json.loads(event.data)["answer"] for event in told] == ["One. [1]", "One. [1] Two. [2]"]
    assert [event.event for event in _read(url, question.id, last=told[0].id)] == ["status", "writing", "final"]


def test_watcher_of_an_ended_question_whose_stream_is_gone_gets_the_record(url: str, services: Services) -> None:
    question = walk.ask(services)
    walk.move(services, question.id, walk.answered())
    services.redis.delete(f"wellread:events:{question.id}")
    began = time.monotonic()
    assert [event.event for event in _read(url, question.id)] == ["status", "final"]
    assert time.monotonic() - began < SLACK_S


def test_question_started_again_is_watched_to_its_new_end(url: str, services: Services) -> None:
    from workers.questions import submit

    question = walk.ask(services)
    submit.cancel(services, question.id)
    submit.replay(services, question.id)
    _later(services, question.id, walk.answered())
    events = _read(url, question.id)
    assert [event.event for event in events].count("final") == 1
    assert json.loads(events[-1].data)["status"] == "ANSWERED"


def test_lost_final_event_is_found_in_the_rows(url: str, services: Services) -> None:
    question = walk.ask(services)

    def end_silently() -> None:
        time.sleep(0.2)
        with services.database.write() as session:
            from store.questions.state import cancel

            cancel(session, question.id, services.now())

    threading.Thread(target=end_silently, daemon=True).start()
    assert _read(url, question.id)[-1].event == "final"


def test_those_who_watched_or_waited_free_their_connections(url: str, services: Services, app: FastAPI) -> None:
    question = walk.ask(services)
    for _ in range(20):
        _read(url, question.id, until="status")
        httpx2.post(f"{url}/api/chat", json={"question": "Who?", "wait": 0.02}, trust_env=False)
    deadline = time.monotonic() + 5
    while app.state.listener.connection_pool._in_use_connections and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not app.state.listener.connection_pool._in_use_connections


async def _watch_without_redis(services: Services, question_id: str) -> list[Event]:
    listener = open_listener(NOWHERE)
    try:
        look = lambda: read_record(services, question_id)  # noqa: E731
        return [event async for event in watch(listener, question_id, look, after="0")]
    finally:
        await listener.aclose()


def test_without_redis_progress_is_told_from_the_rows(services: Services) -> None:
    question = walk.ask(services)
    _later(services, question.id, walk.insufficient(Status.RETRYING), walk.provisional(), walk.answered(), after_s=0.7)
    events = asyncio.run(_watch_without_redis(services, question.id))
    assert [event.kind for event in events] == ["status", "status", "provisional", "status", "final"]
    assert {event.id for event in events} == {""}


def test_without_redis_a_caller_still_waits_for_the_answer(services: Services) -> None:
    question = walk.ask(services)
    _later(services, question.id, walk.answered())

    async def wait() -> str:
        listener = open_listener(NOWHERE)
        look = lambda: read_record(services, question.id)  # noqa: E731
        try:
            return (await final_record(listener, question.id, look, within_s=10, waiting=set())).status
        finally:
            await listener.aclose()

    assert asyncio.run(wait()) == Status.ANSWERED


def test_redis_that_goes_away_midway_does_not_end_the_watching(services: Services, tmp_path: Path) -> None:
    from tests.servers import valkey_server

    question = walk.ask(services)

    async def run() -> list[str]:
        with valkey_server() as own:
            listener = open_listener(own)
            look = lambda: read_record(services, question.id)  # noqa: E731
            watching = watch(listener, question.id, look, after="0")
            kinds = [(await anext(watching)).kind]
            rest = asyncio.create_task(_rest(watching))
            await asyncio.sleep(0.2)
        _later(services, question.id, walk.answered())
        kinds += await asyncio.wait_for(rest, 10)
        await listener.aclose()
        return kinds

    assert asyncio.run(run())[-1] == "final"


async def _rest(watching: object) -> list[str]:
    return [event.kind async for event in watching]  # type: ignore[attr-defined]


def test_a_strange_last_event_id_is_refused(url: str, services: Services) -> None:
    question = walk.ask(services)
    answer = httpx2.get(f"{url}/api/questions/{question.id}/events", headers={"Last-Event-ID": "$"}, trust_env=False)
    assert answer.status_code == 422
