"""A real HTTP server on loopback that answers as an engine does, and keeps what it was asked."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

from crawler.fetch.client import Fetcher
from crawler.fetch.guard import Guard
from crawler.fetch.response import Limits
from crawler.search.engine import Engine, EngineReply, Query
from tests.crawler.hostile import Behaviour, answer, listening

SHAPES = Path(__file__).parent / "shapes"
TRUST = ssl.create_default_context()
Value = TypeVar("Value")
#: from a guarded client and the server's address to the engine that asks it
Make = Callable[[Fetcher, str], Engine]


@dataclass(frozen=True)
class Request:
    """What the server was asked."""

    method: str
    path: str
    params: dict[str, str]
    headers: dict[str, str]  # names in lower case
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Server:
    url: str
    requests: list[Request] = field(default_factory=list)

    @property
    def hole(self) -> tuple[str, int]:
        return ("127.0.0.1", urlsplit(self.url).port or 0)


def shape(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SHAPES / f"{name}.json").read_text("utf-8"))
    return found


def saying(value: Any, status: str = "200 OK", *, kind: str = "application/json", headers: str = "") -> Behaviour:
    return answer(
        value if isinstance(value, bytes) else json.dumps(value).encode(), status=status, kind=kind, headers=headers
    )


@asynccontextmanager
async def serving(behaviour: Behaviour) -> AsyncIterator[Server]:
    server = Server(url="")

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := (await reader.readuntil(b"\r\n\r\n")).decode("latin-1"):
            server.requests.append(await _read(head, reader))
            await behaviour(head, writer)

    async with listening(connected) as port:
        server.url = f"http://127.0.0.1:{port}"
        yield server


async def _read(head: str, reader: asyncio.StreamReader) -> Request:
    first, *lines = head.split("\r\n")
    method, target, _ = first.split(" ")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines if line)}
    parts = urlsplit(target)
    return Request(
        method=method,
        path=parts.path,
        params={name: values[0] for name, values in parse_qs(parts.query).items()},
        headers=headers,
        body=await reader.readexactly(int(headers.get("content-length", "0"))),
    )


def using(behaviour: Behaviour, use: Callable[[Fetcher, Server], Awaitable[Value]], **limits: Any) -> Value:
    """Run ``use`` with a guarded client that may reach the server and no other address of this machine."""

    async def run() -> Value:
        async with serving(behaviour) as server:
            guard = Guard(own_sites=frozenset({server.hole}))
            bounds = Limits(**{"deadline_s": 5.0, "max_body": 200_000, "max_wire": 200_000} | limits)
            async with Fetcher(guard=guard, limits=bounds, user_agent="wellread-test/1.0", ssl_context=TRUST) as client:
                return await use(client, server)

    return asyncio.run(run())


def search(
    make: Make, behaviour: Behaviour, query: Query | str = "q", limit: int = 10, **limits: Any
) -> tuple[EngineReply, Request]:
    """The engine's reply, and the one request it made."""

    async def use(client: Fetcher, server: Server) -> tuple[EngineReply, Request]:
        asked = query if isinstance(query, Query) else Query(text=query)
        reply = await make(client, server.url).search(asked, limit=limit)
        [request] = server.requests
        return reply, request

    return using(behaviour, use, **limits)
