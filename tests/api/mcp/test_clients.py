"""The official client of the Model Context Protocol uses every tool, over HTTP and on stdin and stdout."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import anyio
import httpx2
import pytest
from fastapi import FastAPI
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from pydantic import SecretStr
from starlette.middleware.base import RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import Response

from api.app import create_app
from api.mcp.tools import _BETWEEN, pause_s
from domain import Status
from domain.access import Role
from domain.options import Overrides
from store import keys
from store.questions.listing import latest
from store.questions.state import find
from store.sql.tables import QuestionRow
from tests.api import walk
from tests.api.conftest import serving
from workers import indexing
from workers.services import Services

pytestmark = pytest.mark.timeout(300)

QUESTION = "Who built the lighthouse?"
TOOLS = {"ask", "search", "read", "extract", "status", "sources"}
#: arguments that a tool cannot take, and a piece of what it says
WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("ask", {}, "question"),
    ("ask", {"question": 7}, "question"),
    ("ask", {"question": " "}, "The question is empty"),
    ("ask", {"question": "Who?", "wait_s": 10_000}, "wait_s"),
    ("ask", {"question": "Who?", "sites": ["http://127.0.0.1/"]}, "not public"),
    ("ask", {"question": None}, "question"),
    ("ask", {"question": "Who?", "exclude_sites": [7]}, "exclude_sites"),
    ("ask", {"question": "Who?", "after": "the last one"}, "after"),
    ("ask", {"question": "Who?", "thread": "mine"}, "thread"),
    ("ask", {"question": "Who?", "question_as_understood": " "}, "empty"),
    ("ask", {"question": "Who?", "budget": {"hours": 1}}, "hours"),
    ("ask", {"question": "Who?", "budget": {"pages": 1_000_000}}, "budget.pages is 1e+06"),
    ("ask", {"question": "Who?", "budget": "little"}, "budget"),
    ("ask", {"question": "Who?", "max_age": -1}, "max_age"),
    ("ask", {"question": "Who?", "answer_language": "German"}, "answer_language"),
    ("ask", {"question": "Who?", "length": "endless"}, "length"),
    ("ask", {"question": "Who?", "strategy": "guess"}, "strategy"),
    ("ask", {"question": "Who?", "answer_schema": []}, "answer_schema"),
    ("ask", {"question": "Who?", "published_after": "lately"}, "published_after"),
    ("ask", {"question": "Who?", "collection": "../x"}, "../x"),
    ("search", {"query": "?!"}, "has no word"),
    ("search", {"query": "a", "limit": 0}, "limit"),
    ("search", {"query": "a", "kinds": ["image"]}, "kinds"),
    ("search", {"query": "a", "langs": "en, English"}, "langs"),
    ("search", {"query": "a", "langs": ["English"]}, "langs"),
    ("search", {"query": "a", "lang": "English"}, "lang"),
    ("search", {"query": "a", "read_after": "soon"}, "read_after"),
    ("search", {"query": "a", "published_after": "yesterday"}, "published_after"),
    ("read", {"url": "http://127.0.0.1/"}, "not public"),
    ("status", {"question_id": "x"}, "There is no question"),
    ("status", {"page_read_id": 1, "site_read_id": 1}, "Give one id"),
    ("status", {"site_read_id": 99}, "no such site read"),
    ("ask", {"question": "Who?", "crawl_enabled": False}, "crawl_enabled: there is no such argument of ask"),
    ("ask", {"question": "Who?", "wait_s": "long"}, "wait_s: input should be a valid number"),
    ("search", {"querry": "a"}, "querry: there is no such argument of search; it has query"),
    ("read", {"url": "https://example.org/", "site": True}, "site: there is no such argument"),
    ("status", {"id": "x"}, "id: there is no such argument of status; it has question_id"),
    ("sources", {"limit": 3}, "limit: there is no such argument of sources"),
    ("guess", {}, "guess"),
]


@pytest.fixture
def url(app: FastAPI) -> Iterator[str]:
    with serving(app) as url:
        yield url


def _text(result: Any) -> str:
    return " ".join(part.text for part in result.content)


async def _use_every_tool(client: Client, services: Services) -> None:
    tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == TOOLS
    assert all(tool.description for tool in tools)

    heard: list[tuple[float, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message))

    page_id = walk.keep_page(services)
    walk.move_soon(services, walk.insufficient(Status.RETRYING), walk.answered(page_id), text=QUESTION)
    answered = await client.call_tool("ask", {"question": QUESTION}, progress_callback=hear)
    given = answered.structured_content
    assert given is not None
    assert not answered.is_error
    assert (given["final"], given["answer"]) == (True, "Robert Tallis built it in 1871 [1].")
    assert given["citations"] == [
        {"marker": 1, "url": "https://example.org/tower", "title": "The tower", "place": "", "quote": walk.QUOTE}
    ]
    assert heard[-1][1] == "done"
    assert [progress for progress, _ in heard] == list(range(1, len(heard) + 1))

    assert (given["asks_back"], given["thread"]) == (False, None)
    assert "short_answer" in given

    later = await client.call_tool("status", {"question_id": given["question_id"]})
    assert later.structured_content == given
    page = (await client.call_tool("read", {"url": "https://example.org/harbour"})).structured_content
    assert page is not None
    reading = (await client.call_tool("status", {"page_read_id": page["page_read_id"]})).structured_content
    assert reading is not None
    assert (reading["url"], reading["in_knowledge_base"]) == ("https://example.org/harbour", False)
    site = (
        await client.call_tool("read", {"url": "https://example.org/docs", "whole_site": True, "max_pages": 5})
    ).structured_content
    assert site is not None
    progress = (await client.call_tool("status", {"site_read_id": site["site_read_id"]})).structured_content
    assert progress is not None
    assert (progress["status"], progress["max_pages"]) == ("RUNNING", 5)
    assert (await client.call_tool("status", {})).structured_content is not None
    assert (await client.call_tool("sources", {})).structured_content == {"result": []}
    found = await client.call_tool("search", {"query": "lighthouse", "limit": 3})
    assert (found.is_error, found.structured_content) == (False, {"result": []})

    for tool, arguments, said in WRONG:
        refused = await client.call_tool(tool, arguments)
        assert refused.is_error, (tool, arguments)
        assert said.lower() in _text(refused).lower(), _text(refused)
        assert "pydantic" not in _text(refused)


@asynccontextmanager
async def _over_http(url: str, key: str = "") -> AsyncIterator[Client]:
    headers = {"authorization": f"Bearer {key}"} if key else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
    ):
        yield client


def test_every_tool_works_over_http(url: str, services: Services) -> None:
    async def use() -> None:
        async with _over_http(url) as client:
            await _use_every_tool(client, services)

    asyncio.run(use())


def test_arguments_set_their_options(url: str, services: Services) -> None:
    given = {
        "sites": ["https://example.org/"], "langs": ["en"], "thread": "new", "exclude_sites": ["https://example.org/f"],
        "question_as_understood": "Who built it?", "published_after": "2020-01-31", "length": "long",
        "answer_language": "de", "answer_schema": {"properties": {"builder": {"type": "string"}}}, "crawl": False,
        "max_age": 0, "strategy": "testing", "reuse": False, "budget": {"pages": 3}, "collection": "default",
        "verbatim": False, "strict": True, "instructions": "In short steps.",
    }  # fmt: skip

    async def use() -> str:
        async with _over_http(url) as client:
            asked = await client.call_tool("ask", {"question": "Who?", "wait_s": 0, **given})
            assert asked.structured_content is not None
            return str(asked.structured_content["question_id"])

    question_id = asyncio.run(use())
    with services.database.read() as session:
        question = find(session, question_id)
        assert not session.get_one(QuestionRow, question_id).reuse
    assert question.overrides == Overrides(
        exclude_sites=["https://example.org/f"], published_after=datetime(2020, 1, 31, tzinfo=UTC), length="long",
        answer_language="de", verbatim=False, strict=True, instructions="In short steps.",
    )  # fmt: skip
    assert (question.sites, question.langs, question.strategy) == (("https://example.org/",), ("en",), "testing")
    assert (question.text, question.answer_schema) == ("Who built it?", given["answer_schema"])
    assert (question.crawl_enabled, question.max_age_s, question.budget.pages) == (False, 0, 3)


def test_passage_that_is_found_is_told_once(url: str, services: Services) -> None:
    indexing.embed(services, walk.keep_page(services))

    async def use() -> None:
        async with _over_http(url) as client:
            found = await client.call_tool("search", {"query": "Who built the lighthouse?"})
            assert found.structured_content is not None
            [passage] = found.structured_content["result"]
            assert json.loads(_text(found)) == passage
            assert _text(found).count(passage["text"]) == 1

    asyncio.run(use())


#: a tool, and arguments as clients write them, with what they mean
LOOSE: list[tuple[str, dict[str, Any] | None]] = [
    ("search", {"query": "captain", "sites": None, "published_after": None, "limit": None}),
    ("search", {"query": "captain", "sites": "https://example.org/", "limit": "3", "lang": "", "kinds": ""}),
    ("search", {"query": "captain", "sites": "https://example.org/a,b, https://example.com/", "langs": "en,de"}),
    ("search", {"query": "captain", "sites": '["https://example.org/"]', "langs": []}),
    ("ask", {"question": "Who?", "wait_s": "0", "sites": None, "length": None, "answer_schema": None, "after": ""}),
    ("ask", {"question": "Who?", "wait_s": 0, "langs": "en", "budget": {"pages": None}, "crawl": None, "thread": ""}),
    ("status", None),
    ("status", {"question_id": None, "page_read_id": "", "site_read_id": None, "collection": None}),
    ("sources", {"collection": None}),
]


@pytest.mark.parametrize("accept", [None, "application/json", "text/event-stream", "*/*", "application/json, */*"])
def test_clients_may_accept_json_alone_or_say_nothing_and_leave_arguments_null(
    accept: str | None, url: str, services: Services
) -> None:
    headers = {"accept": accept} if accept else {}
    with httpx2.Client(trust_env=False, timeout=60) as http:
        if accept is None:
            del http.headers["accept"]
        for number, (tool, arguments) in enumerate(LOOSE):
            params = {"name": tool} | ({"arguments": arguments} if arguments is not None else {})
            call = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
            answer = http.post(f"{url}/mcp", json=call, headers=headers)
            assert answer.status_code == 200, answer.text
            in_stream = answer.headers["content-type"].startswith("text/event-stream")
            assert in_stream == (accept == "text/event-stream")
            data = [line[6:] for line in answer.text.splitlines() if line.startswith("data: {")]
            said = json.loads(data[-1] if in_stream else answer.text)
            assert not said["result"]["isError"], (tool, arguments, said)
    with services.database.read() as session:
        langs = {asked.langs for question in latest(session) for asked in [find(session, question.id)]}
    assert langs == {(), ("en",)}


def test_question_that_is_waited_for_long_is_looked_at_less_and_less() -> None:
    looks, waited_s = 0, 0.0
    while waited_s < 600:
        waited_s, looks = waited_s + pause_s(waited_s), looks + 1
    assert looks < 70  # twice a second would be 1,200


def test_text_for_a_list_is_split_between_its_urls() -> None:
    assert _BETWEEN.split("https://a.org/x,y https://b.org/, https://c.org/,https://d.org/") == [
        "https://a.org/x,y", "https://b.org/", "https://c.org/", "https://d.org/",
    ]  # fmt: skip
    assert _BETWEEN.split("en,de, fr") == ["en", "de", "fr"]


@pytest.mark.live
def test_every_tool_works_on_stdin_and_stdout(url: str, services: Services) -> None:
    server = StdioServerParameters(command=sys.executable, args=["-m", "api", "mcp"], env={"WELLREAD_API_URL": url})

    async def use() -> None:
        async with Client(server) as client:
            await _use_every_tool(client, services)

    asyncio.run(use())


def test_question_goes_on_when_its_client_goes_away_in_mid_call(url: str, services: Services) -> None:
    async def leave() -> None:
        async with _over_http(url) as client:
            with anyio.move_on_after(3):
                await client.call_tool("ask", {"question": "Who goes away?", "wait_s": 600})

    async def come_back(question_id: str) -> Any:
        async with _over_http(url) as client:
            return (await client.call_tool("status", {"question_id": question_id})).structured_content

    asyncio.run(leave())
    with services.database.read() as session:
        (asked,) = latest(session)
    assert asked.status == Status.ASKED
    walk.move(services, asked.id, walk.answered(walk.keep_page(services)))
    assert asyncio.run(come_back(asked.id))["final"]


def test_key_decides_what_its_owner_may(services: Services) -> None:
    keys = (SecretStr("ask:reader"), SecretStr("operate:operator"))
    guarded = Services(services.settings.model_copy(update={"api_keys": keys}))
    guarded.__dict__["dispatcher"] = services.dispatcher

    async def read(url: str, key: str) -> Any:
        async with _over_http(url, key) as client:
            return await client.call_tool("read", {"url": "https://example.org/harbour"})

    with serving(create_app(guarded)) as url:
        refused, taken = asyncio.run(read(url, "reader")), asyncio.run(read(url, "operator"))
        unknown = httpx2.post(f"{url}/mcp", json={}, trust_env=False)
    assert (refused.is_error, "role" in _text(refused)) == (True, True)
    assert not taken.is_error
    assert (unknown.status_code, unknown.json()["type"]) == (401, "wrong-key")
    guarded.close()


def test_call_that_waits_ends_with_its_key(services: Services) -> None:
    guarded = Services(services.settings.model_copy(update={"api_keys": (SecretStr("admin:operator"),)}))
    guarded.__dict__["dispatcher"] = services.dispatcher
    with services.database.write() as session:
        key = keys.add(session, "reader", Role.ask, services.now())

    async def ask(url: str) -> Any:
        async def revoke(*_: object) -> None:
            with services.database.write() as session:
                keys.revoke(session, "reader")

        async with _over_http(url, str(key.secret)) as client:
            return await client.call_tool("ask", {"question": "Who?", "wait_s": 100}, progress_callback=revoke)

    with serving(create_app(guarded)) as url:
        refused = asyncio.run(ask(url))
    assert (refused.is_error, "key" in _text(refused)) == (True, True)
    guarded.close()


def test_what_is_no_message_is_refused(url: str) -> None:
    for content in (b"", b"{", b"[]", b'{"jsonrpc": "2.0"}', b"x" * 300_000):
        response = httpx2.post(
            f"{url}/mcp",
            content=content,
            headers={"content-type": "application/json", "accept": "application/json, text/event-stream"},
            timeout=60,
            trust_env=False,
        )
        assert 400 <= response.status_code < 500, (content[:20], response.text)
    assert httpx2.get(f"{url}/healthz", trust_env=False).is_success


def test_foreign_page_reaches_no_tool(url: str) -> None:
    foreign = {"origin": "https://evil.example", "content-type": "application/json"}
    assert httpx2.post(f"{url}/mcp", content=b"{}", headers=foreign, trust_env=False).status_code == 403


def test_call_whose_client_has_gone_away_stops_looking(app: FastAPI, services: Services) -> None:
    looks: list[float] = []

    @app.middleware("http")
    async def count(request: Request, call_next: RequestResponseEndpoint) -> Response:
        if request.method == "GET" and request.url.path.startswith("/api/questions/"):
            looks.append(time.monotonic())
        return await call_next(request)

    async def leave(url: str) -> None:
        async with _over_http(url) as client:
            with anyio.move_on_after(10):
                asked = asyncio.create_task(client.call_tool("ask", {"question": "Who goes away?", "wait_s": 600}))
                while len(looks) < 3:
                    await anyio.sleep(0.05)
                asked.cancel()

    with serving(app) as url:
        asyncio.run(leave(url))
        assert len(looks) >= 3
        time.sleep(1.5)  # for one that was under way
        seen = len(looks)
        time.sleep(3)
        assert len(looks) == seen
