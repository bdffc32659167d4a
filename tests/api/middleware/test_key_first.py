"""Without a known key no byte of a body is read, on any path, and connections make room for those of others."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Any
from urllib.parse import urlsplit

import pytest
from fastapi import FastAPI
from pydantic import SecretStr
from starlette.exceptions import HTTPException
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from api.app import create_app
from api.middleware.limits import BodyLimit
from api.server import TO_SEND_KEY_S, TimedProtocol, UnauthenticatedConnections
from tests.api.conftest import serving
from tests.api.test_every_route import TABLE
from tests.tables import each_row
from workers.services import Services

KEY = {"x-api-key": "reader-key"}


class Crowded(TimedProtocol):
    most_unauthenticated = (3, 6)


@pytest.fixture
def app(services: Services) -> FastAPI:
    """An application that needs a key."""
    services.settings = services.settings.model_copy(update={"api_keys": (SecretStr("operate:reader-key"),)})
    return create_app(services)


@pytest.fixture
def port(app: FastAPI) -> Iterator[int]:
    with serving(app, protocol=Crowded) as url:
        yield urlsplit(url).port or 0


def _send(port: int, method: str, path: str, headers: str, body: bytes = b"") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=5)
    connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{headers}\r\n".encode() + body)
    return connection


_HEADERS = {
    "declared": "Content-Type: application/json\r\nContent-Length: 60000\r\n",
    "larger than any limit": "Content-Length: 9000000000\r\n",
    "in parts without end": "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n",
    "invited": "Content-Type: application/json\r\nContent-Length: 60000\r\nExpect: 100-continue\r\n",
    "wrong key": "X-API-Key: reader\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 60000\r\n",
}


@pytest.mark.parametrize("headers", _HEADERS.values(), ids=_HEADERS)
def test_who_has_no_key_is_refused_before_the_body(port: int, headers: str) -> None:
    routes = [*TABLE, "POST /mcp", "POST /api/nothing", "PUT /nothing", "POST /v1/nothing", "POST /", "DELETE /healthz"]
    some = routes if "Key" not in headers else ["POST /api/files", "POST /mcp", "POST /v1/chat/completions"]
    answers = {}
    for route in some:
        method, path = re.sub(r"{[^}]*}", "1", route).split()
        with closing(_send(port, method, path, headers)) as connection:
            answers[route] = connection.recv(4_000).partition(b"\r\n")[0]
    assert {route: said for route, said in answers.items() if b" 401 " not in said} == {}


def test_who_has_a_key_is_invited_to_send_the_body(port: int) -> None:
    headers = (
        "X-API-Key: reader-key\r\nContent-Type: application/json\r\nContent-Length: 20\r\nExpect: 100-continue\r\n"
    )
    with closing(_send(port, "POST", "/api/questions", headers)) as connection:
        assert connection.recv(4_000).startswith(b"HTTP/1.1 100 ")
        connection.sendall(b'{"question": "Who?"}')
        assert connection.recv(4_000).startswith(b"HTTP/1.1 202 ")


def _is_open(connection: socket.socket) -> bool:
    connection.settimeout(0.3)
    try:
        return connection.recv(10_000) != b"" and _is_open(connection)
    except TimeoutError:
        return True
    except OSError:
        return False


def test_oldest_connections_without_a_key_make_room(port: int) -> None:
    with ExitStack() as stack:

        def answered(path: str, headers: str = "") -> socket.socket:
            connection = stack.enter_context(_send(port, "GET", path, headers))
            assert connection.recv(4_000).startswith(b"HTTP/1.1 200 ")
            return connection

        known = answered("/api/questions", "X-API-Key: reader-key\r\n")
        opened = [answered("/healthz") for _ in range(3)]
        time.sleep(TO_SEND_KEY_S + 0.1)
        opened += [answered("/healthz") for _ in range(2)]
        assert [_is_open(each) for each in opened] == [False, False, True, True, True]
        assert _is_open(known)


def test_crowd_of_one_address_that_comes_at_once_is_bounded_from_the_first(port: int) -> None:
    with ExitStack() as stack:
        opened = [stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(20)]
        assert sum(map(_is_open, opened)) == Crowded.most_unauthenticated[0]
        time.sleep(TO_SEND_KEY_S)  # who has sent no key by then makes room
        with closing(_send(port, "GET", "/api/questions", "X-API-Key: reader-key\r\n")) as known:
            assert known.recv(4_000).startswith(b"HTTP/1.1 200 ")


def test_crowd_of_many_addresses_is_bounded_too() -> None:
    unauthenticated, gone = UnauthenticatedConnections(), list[TimedProtocol]()
    crowd = [TimedProtocol.__new__(TimedProtocol) for _ in range(20)]
    for at, each in enumerate(crowd):
        gone += unauthenticated.add(each, str(at), 0.0, Crowded.most_unauthenticated)
    assert gone == crowd[:14]


_NESTED: dict[str, Any] = {"properties": {"b": {"type": "string", "title": "\ud800"}}}


@pytest.mark.parametrize("content", [b"[" * 900_000, b"[]," * 300_000, b'{"a":' * 200_000 + b"1" + b"}" * 200_000])
def test_json_of_very_many_lists_is_refused_before_it_is_read(app: FastAPI, content: bytes) -> None:
    with TestClient(app, base_url="http://127.0.0.1") as http:
        sent = b'{"model": "wellread", "messages": [' + content + b"[]]}"
        headers = KEY | {"content-type": "application/json"}
        began = time.process_time()
        assert http.post("/v1/chat/completions", content=sent, headers=headers).status_code == 413
        assert time.process_time() - began < 0.2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        ('["' + "[" * 60_000 + '"]', False),
        ('["' + '\\"[' * 60_000 + '\\\\"]', False),
        ('["\\\\", ' + "[" * 60_000, True),
        ('["\\"", ' + "[" * 60_000, True),
        ('["\u2200", ' + "[" * 60_000, True),  # one of its bytes in UTF-16 is that of a quotation mark
    ],
)
def test_brackets_in_strings_of_json_are_no_lists_however_a_body_is_cut(
    text: str, is_refused: bool, encoding: str
) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["more_body"]:
            pass

    async def send(message: Message) -> None:
        raise AssertionError

    async def ask(size: int) -> None:
        body = text.encode(encoding)
        pieces = iter([*(body[at : at + size] for at in range(0, len(body), size)), b""])

        async def receive() -> Message:
            piece = next(pieces)
            return {"type": "http.request", "body": piece, "more_body": piece != b""}

        scope = {"type": "http", "path": "/", "headers": [(b"content-type", b"application/json")]}
        await BodyLimit(app, max_bytes=1_000_000)(scope, receive, send)

    for size in (7, 1_000, 1_000_000):
        if is_refused or encoding != "utf-8":
            with pytest.raises(HTTPException, match="lists and objects"):
                asyncio.run(ask(size))
        else:
            asyncio.run(ask(size))


@each_row(
    ("method", "path", "body", "place"),
    [
        ("POST", "/api/questions", {"question": "Who \ud800?"}, "question"),
        ("POST", "/api/chat", {"question": "Who?", "instructions": "a\0b"}, "instructions"),
        ("POST", "/api/questions", {"question": "Who?", "answer_schema": _NESTED}, "answer_schema.properties.b.title"),
        ("POST", "/api/questions", {"question": "Who?", "answer_schema": {"\udfff": 1}}, "a name in answer_schema"),
        ("POST", "/api/questions", {"question": "Who?", "\0": 1}, "a name in it"),
        ("PATCH", f"/api/threads/{0:032}", {"title": "a\0b"}, "title"),
        ("POST", "/api/search", {"query": "\udc80"}, "query"),
        (
            "POST",
            "/v1/chat/completions",
            {"model": "wellread", "messages": [{"role": "user", "content": [{"type": "text", "text": "\ud83d"}]}]},
            "messages.0.content.0.text",
        ),
        ("POST", "/v1/chat/completions", {"model": "wellread", "messages": [[]] * 30_000}, "more than 20,000 values"),
        ("POST", "/api/questions", {"question": "Who?", "sites": [0] * 21_000}, "more than 20,000"),
    ],
)
def test_text_that_cannot_be_stored_is_refused_by_its_place(
    app: FastAPI, method: str, path: str, body: Any, place: str
) -> None:
    with TestClient(app, base_url="http://127.0.0.1") as http:
        sent = json.dumps(body, separators=(",", ":")).encode()
        began = time.monotonic()
        refused = http.request(method, path, content=sent, headers=KEY | {"content-type": "application/json"})
        assert time.monotonic() - began < 1
        assert (refused.status_code, place in refused.text) == (400 if path[1] == "v" else 422, True), refused.text


def test_pair_of_surrogates_is_a_character_like_others(app: FastAPI) -> None:
    with TestClient(app, base_url="http://127.0.0.1") as http:
        sent = b'{"question": "Who painted the tower \\ud83d\\uddfc?", "instructions": "say \\\\u0000"}'
        asked = http.post("/api/questions", content=sent, headers=KEY | {"content-type": "application/json"})
        assert (asked.status_code, "🗼" in asked.json()["question"]) == (202, True)
