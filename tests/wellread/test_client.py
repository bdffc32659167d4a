"""The client asks, watches and chooses over real HTTP, and says plainly what went wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from inspect import iscoroutinefunction, signature
from unittest.mock import create_autospec

import httpx2
import pytest
from fastapi import FastAPI

from api.dependencies import read_record
from domain import Status
from tests.api import walk
from tests.api.conftest import serving
from tests.api.records import record_json
from tests.servers import running
from wellread import ApiUnreachable, AsyncClient, Client, ClientError, Record, Refused, Source
from workers.services import Services


@pytest.fixture
def url(app: FastAPI) -> Iterator[str]:
    with serving(app) as url:
        yield url


def test_both_clients_have_each_call_as_a_method_of_its_own() -> None:
    waiting, awaited = (signature(client.add_source) for client in (Client, AsyncClient))
    assert str(waiting) == str(awaited)
    assert (list(waiting.parameters), waiting.return_annotation) == (["self", "url", "own", "settings"], Source)
    assert not iscoroutinefunction(Client.add_source)
    assert iscoroutinefunction(AsyncClient.add_source)
    assert Client.add_source.__doc__ == AsyncClient.add_source.__doc__
    assert create_autospec(Client, instance=True).get("an id").method_calls == []


def test_record_of_an_older_server_has_defaults_for_what_it_does_not_send() -> None:
    older = record_json() | {"sentences": [{"text": "It is.", "markers": []}], "from_a_newer_one": 1}
    with Client(transport=httpx2.MockTransport(lambda _: httpx2.Response(200, json=older))) as client:
        record = client.get("0" * 32)
    assert (record.short_answer, record.watched, record.sentences[0].focus) == (None, False, None)
    assert record.json == older


def test_what_is_no_record_is_refused() -> None:
    strange = httpx2.MockTransport(lambda _: httpx2.Response(200, json={"id": "of something else"}))
    with Client(transport=strange) as client, pytest.raises(ClientError, match="no Record"):
        client.get("0" * 32)


def test_page_is_asked_for_with_the_question_that_it_was_read_for() -> None:
    asked: list[str] = []

    def refuse(request: httpx2.Request) -> httpx2.Response:
        asked.append(str(request.url.query, "ascii"))
        return httpx2.Response(404, json={"status": 404})

    with Client(transport=httpx2.MockTransport(refuse)) as client:
        for ask in (lambda: client.page(7, question_id="a" * 32), lambda: client.page_at("u", question_id="a" * 32)):
            with pytest.raises(Refused):
                ask()
    assert asked == [f"question_id={'a' * 32}", f"url=u&question_id={'a' * 32}"]


def test_record_comes_back_typed_and_as_it_was_sent(url: str, services: Services) -> None:
    page_id = walk.keep_page(services)
    question = walk.ask(services)
    walk.move(services, question.id, walk.answered(page_id))
    with Client(url) as client:
        record = client.get(question.id)
        assert client.get(question.id) == record
    assert (record.status, record.citations[0].quote) == (Status.ANSWERED, walk.QUOTE)
    assert record.verdict == walk.VERDICT
    assert record.created_at == question.created_at
    assert record.json["citations"][0]["quote"] == walk.QUOTE
    assert record == replace(read_record(services, question.id), seconds=record.seconds)


def test_client_asks_and_gets_what_there_is_when_its_time_is_up(url: str) -> None:
    with Client(url) as client:
        record = client.ask("Who waits?", wait=0.2, crawl_enabled=False, max_search_cycles=2)
    assert (record.status, record.answer, record.max_search_cycles) == (Status.ASKED, None, 2)


def test_client_submits_once_for_one_key(url: str) -> None:
    with Client(url) as client:
        assert client.submit("Once?", idempotency_key="k") == client.submit("Once?", idempotency_key="k")


def test_client_watches_to_the_final_record(url: str, services: Services) -> None:
    question = walk.ask(services)
    with Client(url) as client:
        events = []
        for event in client.events(question.id):
            if not events:
                walk.move(services, question.id, walk.provisional())
                walk.move(services, question.id, walk.answered())
            events.append(event)
        assert [event.kind for event in events] == ["status", "status", "provisional", "status", "final"]
        assert events[-1].data == client.get(question.id).json


def test_watching_goes_on_over_a_server_that_is_started_again(app: FastAPI, services: Services) -> None:
    question = walk.ask(services)
    with serving(app) as first:
        port = int(first.rpartition(":")[2])
        client = Client(first)
        watching = client.events(question.id)
        kinds = [next(watching).kind]
    walk.move(services, question.id, walk.provisional())
    with serving(app, port=port), client:
        for event in watching:
            kinds.append(event.kind)
            if event.kind == "provisional":
                walk.move(services, question.id, walk.answered())
    assert kinds.count("provisional") == 1
    assert kinds[-1] == "final"


def test_client_cancels_and_traces(url: str, services: Services) -> None:
    question = walk.ask(services)
    walk.move(services, question.id, walk.insufficient(Status.RETRYING))
    with Client(url) as client:
        assert client.cancel(question.id).status is Status.CANCELLED
        assert [step["name"] for step in client.trace(question.id)] == ["retrieve"]


def test_client_chooses_sources_and_reads(url: str) -> None:
    with Client(url) as client:
        kept = client.add_source("http://127.0.0.1:8123/", own=True, min_delay_s=0.5)
        assert client.sources() == [kept]
        assert (kept.own, kept.min_delay_s) == (True, 0.5)
        reading = client.read("http://127.0.0.1:8123/page")
        assert client.reading(reading.id).is_over is False
        client.remove_source(kept.id)
        assert client.sources() == []


def test_async_client_does_the_same(url: str, services: Services) -> None:
    async def run() -> tuple[Record, list[str]]:
        async with AsyncClient(url) as client:
            question_id = await client.submit("Who?")
            walk.move(services, question_id, walk.answered())
            kinds = [event.kind async for event in client.events(question_id)]
            return await client.get(question_id), kinds

    record, kinds = asyncio.run(run())
    assert record.status is Status.ANSWERED
    assert (kinds[0], kinds[-1]) == ("status", "final")


def test_refusal_says_what_happened_and_what_to_do(url: str) -> None:
    with Client(url) as client, pytest.raises(Refused, match="The question is empty") as raised:
        client.submit(" ")
    assert (raised.value.status, raised.value.kind) == (422, "question-error")
    assert raised.value.what_to_do


def test_watching_an_unknown_question_is_refused_at_once(url: str) -> None:
    with Client(url) as client, pytest.raises(Refused, match="no question"):
        next(iter(client.events("0" * 32)))


def test_nobody_there_says_how_to_start_it() -> None:
    with Client("http://127.0.0.1:9") as client, pytest.raises(ApiUnreachable, match="wellread up"):
        client.get("0" * 32)


@pytest.mark.parametrize("address", ["", "127.0.0.1:8484", "ftp://127.0.0.1", "http://"])
def test_address_that_is_none_is_said_to_be(address: str) -> None:
    with pytest.raises(ApiUnreachable, match="looks like"):
        Client(address)


class _Stranger(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<html>Somebody else's server</html>")

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_another_server_is_not_taken_for_wellread() -> None:
    with (
        running(ThreadingHTTPServer(("127.0.0.1", 0), _Stranger)) as origin,
        Client(origin) as client,
        pytest.raises(ApiUnreachable, match="not Wellread"),
    ):
        client.get("0" * 32)


def test_client_speaks_over_the_transport_it_is_given(app: FastAPI) -> None:
    async def run() -> str:
        async with AsyncClient(transport=httpx2.ASGITransport(app=app)) as client:
            return (await client.get(await client.submit("Who needs no port?"))).question

    assert asyncio.run(run()) == "Who needs no port?"
