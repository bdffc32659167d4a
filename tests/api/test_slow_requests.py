"""Connections whose request does not come are closed; those that wait for an answer are not."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx2
import pytest
from fastapi import FastAPI

from api.app import MAX_BODY_BYTES
from api.middleware.limits import BodyLimit
from api.server import TimedProtocol
from tests.api import walk
from tests.api.conftest import serving
from workers.services import Services


class Impatient(TimedProtocol):
    headers_s = 1.0


@pytest.fixture
def url(app: FastAPI) -> Iterator[str]:
    with serving(app, protocol=Impatient) as url:
        yield url


def _is_closed_while_sending(connection: socket.socket, byte: bytes) -> bool:
    """Send the byte again and again; return whether the server closes the connection within ten of its times."""
    connection.settimeout(0.2)
    until = time.monotonic() + 10 * Impatient.headers_s
    while time.monotonic() < until:
        try:
            connection.sendall(byte)
            if connection.recv(1_000) == b"":
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


@pytest.mark.parametrize(
    "begins",
    [
        b"",
        b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-",
        b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /he",
    ],
    ids=["nothing", "headers without end", "a second request"],
)
def test_headers_that_never_end_close_the_connection(url: str, begins: bytes) -> None:
    with socket.create_connection(("127.0.0.1", urlsplit(url).port or 0)) as connection:
        connection.sendall(begins)
        assert _is_closed_while_sending(connection, b"a")


def test_body_that_comes_too_slowly_is_cut_off(app: FastAPI) -> None:
    app.add_middleware(BodyLimit, max_bytes=MAX_BODY_BYTES, body_s=1.0)
    body = json.dumps({"question": "Who built the lighthouse?"}).encode()
    with serving(app) as url:
        port = urlsplit(url).port or 0
        head = f"POST /api/questions HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        for missing, status in ((0, b"HTTP/1.1 202 "), (1, b"HTTP/1.1 408 ")):
            with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
                # the last byte of the second one never comes; a thousand bytes would give it another second
                connection.sendall(f"{head}Content-Length: {len(body) + missing}\r\n\r\n".encode() + body)
                answered = connection.recv(4_000)
                assert answered.startswith(status)
                assert (b"connection: close" in answered.lower()) == bool(missing)


def test_body_that_stops_coming_is_cut_off_whatever_came_before(app: FastAPI) -> None:
    app.add_middleware(BodyLimit, max_bytes=MAX_BODY_BYTES, silence_s=0.5)
    with serving(app) as url:
        port = urlsplit(url).port or 0
        head = f"POST /api/questions HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            connection.sendall(f"{head}Content-Length: {MAX_BODY_BYTES}\r\n\r\n".encode() + b" " * (MAX_BODY_BYTES - 1))
            assert connection.recv(4_000).startswith(b"HTTP/1.1 408 ")


def test_answer_that_takes_longer_is_waited_for(url: str, services: Services) -> None:
    with httpx2.Client(base_url=url, trust_env=False, timeout=60) as http:
        body = {"question": "Who built the lighthouse?", "wait": 3 * Impatient.headers_s}
        assert http.post("/api/chat", json=body).status_code == 202
        asked = walk.ask(services, "Who else?")
        with http.stream("GET", f"/api/questions/{asked.id}/events") as stream:
            lines = stream.iter_lines()
            first = next(line for line in lines if line.startswith("data:"))
            time.sleep(2 * Impatient.headers_s)
            walk.move(services, asked.id, walk.answered(walk.keep_page(services)))
            assert json.loads(first[5:])["status"] == "ASKED"
            assert any('"ANSWERED"' in line for line in lines)
