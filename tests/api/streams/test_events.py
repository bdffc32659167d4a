"""A question's progress is streamed live, from where a reader left off, and from SQL without Redis."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from functools import partial

import httpx2
import pytest
from fastapi import FastAPI
from pydantic import SecretStr

from api.app import create_app
from api.dependencies import open_reader, read_record
from api.streams import final_record, watch, while_open
from domain import Status
from domain.record import Event, Record
from store.ephemeral.events import Listener
from tests.api import walk
from tests.api.conftest import serving
from tests.own_stack import until
from workers import deletion
from workers.services import Services

NOWHERE = "unix:///nonexistent/valkey.sock"


@pytest.fixture
def url(app: FastAPI) -> Iterator[str]:
    with serving(app) as url:
        yield url


def _read(
    url: str,
    question_id: str,
    *,
    last: str = "",
    until: str = "final",
    after: int = 1,
    then: Callable[[], object] = lambda: None,
) -> list[httpx2.ServerSentEvent]:
    """Return the events up to the first of kind ``until``; calls ``then`` when ``after`` of them were received."""
    received: list[httpx2.ServerSentEvent] = []
    headers = {"Last-Event-ID": last} if last else {}
    address = f"{url}/api/questions/{question_id}/events"
    with httpx2.Client(trust_env=False, timeout=10) as client, client.sse(address, headers=headers) as source:
        for event in source:
            received.append(event)
            if len(received) == after:
                then()
            if event.event == until:
                break
    return received


def test_watcher_gets_the_status_then_each_step_then_the_record(url: str, services: Services) -> None:
    question = walk.ask(services)

    def answer_it() -> None:
        for move in (walk.insufficient(Status.RETRYING), walk.provisional(), walk.answered()):
            walk.move(services, question.id, move)

    events = _read(url, question.id, then=answer_it)
    assert json.loads(events[0].data) == {"status": "ASKED", "current_step": "phase1_initial_lookup"}
    kinds = [event.event for event in events]
    assert kinds == ["status", "status", "status", "provisional", "status", "final"]
    assert json.loads(events[3].data) == {"answer": "Perhaps.", "missing": ["x"], "status": "SEEKING"}
    final = json.loads(events[-1].data)
    assert (final["status"], final["answer"]) == ("ANSWERED", "Robert Tallis built it in 1871 [1].")
    assert final == httpx2.get(f"{url}/api/questions/{question.id}", trust_env=False).json()


def test_watcher_who_reconnects_gets_only_new_events(url: str, services: Services) -> None:
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


def test_watcher_who_reconnects_gets_the_later_parts_of_an_answer_in_progress(url: str, services: Services) -> None:
    question = walk.ask(services)
    services.events.publish(question.id, "writing", {"answer": "One. [1]"})
    services.events.publish(question.id, "writing", {"answer": "One. [1] Two. [2]"})
    walk.move(services, question.id, walk.answered())
    writing = [event for event in _read(url, question.id) if event.event == "writing"]
    assert [json.loads(event.data)["answer"] for event in writing] == ["One. [1]", "One. [1] Two. [2]"]
    assert [event.event for event in _read(url, question.id, last=writing[0].id)] == ["status", "writing", "final"]


def test_watcher_of_an_ended_question_whose_stream_is_gone_gets_the_record(url: str, services: Services) -> None:
    question = walk.ask(services)
    walk.move(services, question.id, walk.answered())
    services.redis.delete(f"wellread:events:{question.id}")
    assert [event.event for event in _read(url, question.id)] == ["status", "final"]


def test_question_started_again_is_watched_to_its_new_end(url: str, services: Services) -> None:
    from workers.questions import submit

    question = walk.ask(services)
    submit.cancel(services, question.id)
    submit.replay(services, question.id)
    # three: the status, ASKED, and ASKED again, which follows the first run's `final` in the stream
    events = _read(url, question.id, after=3, then=lambda: walk.move(services, question.id, walk.answered()))
    assert [event.event for event in events].count("final") == 1
    assert json.loads(events[-1].data)["status"] == "ANSWERED"


def test_stream_ends_without_its_final_event_when_the_row_is_final(url: str, services: Services) -> None:
    question = walk.ask(services)

    def end_silently() -> None:
        with services.database.write() as session:
            from store.questions.state import cancel

            cancel(session, question.id, services.now())

    assert _read(url, question.id, then=end_silently)[-1].event == "final"


def test_stream_of_a_question_that_is_deleted_as_it_begins_ends_whole(services: Services) -> None:
    question = walk.ask(services)
    deletion.delete_question(services, question.id)

    async def read_all() -> list[Event]:
        reader = open_reader(NOWHERE)
        events = watch(Listener(reader), partial(read_record, services, question.id), after="0")
        found = [event async for event in while_open(events, lambda: None)]
        await reader.aclose()
        return found

    assert asyncio.run(read_all()) == []


def test_key_has_a_number_of_streams_and_gets_another_when_one_ends(services: Services) -> None:
    keys = (SecretStr("ask:one"), SecretStr("ask:other"))
    services.settings = services.settings.model_copy(update={"api_keys": keys, "max_streams_per_caller": 2})
    app = create_app(services)
    with serving(app) as url, ExitStack() as open_streams, httpx2.Client(base_url=url, trust_env=False) as http:

        def opened(key: str, path: str, question_id: str) -> int:
            headers = {"x-api-key": key, "accept": "text/event-stream"}
            stream = http.stream("GET", path.format(question_id), headers=headers)
            response = open_streams.enter_context(stream)
            if response.status_code == 429:
                assert "WELLREAD_MAX_STREAMS_PER_CALLER" in response.read().decode()
            return response.status_code

        asked = {
            key: http.post("/api/questions", json={"question": f"Who is {key}?"}, headers={"x-api-key": key}).json()[
                "id"
            ]
            for key in ("one", "other")
        }
        events, changes, assistant = ("/api/questions/{}/events", "/api/questions/{}/changes", "/mcp")
        assert http.post(f"/api/questions/{asked['one']}/watch", headers={"x-api-key": "one"}).status_code == 200
        assert [opened("one", path, asked["one"]) for path in (events, changes, events, changes, assistant)] == [
            200, 200, 429, 429, 429,
        ]  # fmt: skip
        assert opened("one", events, "0" * 32) == 429  # before anything is looked at
        assert opened("other", events, asked["other"]) == 200
        open_streams.close()
        until(lambda: not any(app.state.streams.values()), within_s=10)
        assert opened("one", assistant, "") == 200


def test_watchers_and_waiting_callers_free_their_connections(url: str, services: Services, app: FastAPI) -> None:
    question = walk.ask(services)
    for _ in range(20):
        _read(url, question.id, until="status")
        httpx2.post(f"{url}/api/chat", json={"question": "Who?", "wait": 0.02}, trust_env=False)
    deadline = time.monotonic() + 30
    while app.state.reader._redis.connection_pool._in_use_connections and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not app.state.reader._redis.connection_pool._in_use_connections


def test_a_watcher_who_goes_while_an_event_is_sent_is_followed_no_more(services: Services, valkey_url: str) -> None:
    question = walk.ask(services)
    walk.move(services, question.id, walk.insufficient(Status.RETRYING))

    async def followers() -> tuple[int, int]:
        reader = open_reader(valkey_url)
        watching = watch(Listener(reader), partial(read_record, services, question.id), after="0")
        events = while_open(watching, lambda: None)
        await anext(events), await anext(events)
        before = reader.followers
        await events.aclose()
        after = reader.followers  # at once: not when the garbage is collected
        await reader.aclose()
        return before, after

    assert asyncio.run(followers()) == (1, 0)


def test_without_redis_progress_is_read_from_sql(services: Services) -> None:
    question = walk.ask(services)
    moves = iter((walk.insufficient(Status.RETRYING), walk.provisional(), walk.answered()))

    async def watch_and_move_on() -> list[Event]:
        reader, events = open_reader(NOWHERE), []
        read = partial(read_record, services, question.id)
        async for event in watch(Listener(reader), read, after="0"):
            events.append(event)
            if event.kind == "status":
                walk.move(services, question.id, next(moves))
        await reader.aclose()
        return events

    events = asyncio.run(watch_and_move_on())
    assert [event.kind for event in events] == ["status", "status", "provisional", "status", "final"]
    assert {event.id for event in events} == {""}


def test_without_redis_a_caller_still_waits_for_the_answer(services: Services) -> None:
    question = walk.ask(services)
    asked = read_record(services, question.id)
    statuses: list[Status] = []

    def read_and_answer() -> Record:
        record = read_record(services, question.id)
        statuses.append(record.status)
        if len(statuses) == 1:
            walk.move(services, question.id, walk.answered())
        return record

    async def wait() -> str:
        reader = open_reader(NOWHERE)
        try:
            return (await final_record(Listener(reader), asked, read_and_answer, within_s=10, waiting=set())).status
        finally:
            await reader.aclose()

    assert asyncio.run(wait()) == Status.ANSWERED
    assert statuses == [Status.ASKED, Status.ANSWERED]


def test_loss_of_redis_midway_does_not_end_the_stream(services: Services) -> None:
    from tests.servers import valkey_server

    question = walk.ask(services)

    async def run() -> list[str]:
        with valkey_server() as own:
            reader = open_reader(own)
            watching = watch(Listener(reader), partial(read_record, services, question.id), after="0")
            kinds = [(await anext(watching)).kind]
            rest = asyncio.create_task(_kinds(watching))
            while not reader._redis.connection_pool._in_use_connections:  # until it waits for an event
                await asyncio.sleep(0.01)
        walk.move(services, question.id, walk.answered())
        kinds += await asyncio.wait_for(rest, 10)
        await reader.aclose()
        return kinds

    assert asyncio.run(run())[-1] == "final"


async def _kinds(events: AsyncIterator[Event]) -> list[str]:
    return [event.kind async for event in events]


def test_a_strange_last_event_id_is_refused(url: str, services: Services) -> None:
    question = walk.ask(services)
    answer = httpx2.get(f"{url}/api/questions/{question.id}/events", headers={"Last-Event-ID": "$"}, trust_env=False)
    assert answer.status_code == 422
