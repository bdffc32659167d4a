"""A paid service fetches what a site refuses and robots.txt allows; its own failures leave the refusal."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

import pytest

from crawler.fetch.client import Fetcher
from crawler.fetch.guard import Guard, allowlist_entry
from crawler.fetch.response import Limits
from crawler.paid_fetcher import PaidFetcher
from crawler.read import ReadResult, read
from domain import Candidate
from tests.crawler.test_read import HTML, NOW, TEXT, URL, Cache, Web, page_at
from tests.servers import running

CHALLENGE = "<html><script>window._cf_chl_opt={}</script><title>Just a moment...</title><p>Checking.</p></html>"


class _Service(BaseHTTPRequestHandler):
    """Exa's contents and Firecrawl's scrape."""

    def do_POST(self) -> None:
        server = cast(_Server, self.server)
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        key = self.headers["x-api-key"] or self.headers["authorization"]
        server.asked.append((self.path, key, asked))
        answer: Any = server.answers.get(self.path, {})
        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(server.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Service)
        self.status = 200
        self.asked: list[tuple[str, str, Any]] = []
        page = {"url": URL, "title": "Lamp: a\nguide", "publishedDate": "2026-03-01T00:00:00.000Z", "text": TEXT}
        self.answers: dict[str, Any] = {
            "/contents": {"results": [page], "statuses": [{"id": URL, "status": "success"}]},
            "/v2/scrape": {"success": True, "data": {"rawHtml": HTML, "metadata": {"statusCode": 200}}},
        }


@pytest.fixture
def service() -> Iterator[_Server]:
    server = _Server()
    with running(server):
        yield server


def _read(service: _Server, name: str, web: Web) -> ReadResult:
    url = f"http://127.0.0.1:{service.server_port}"
    guard = Guard(own_sites=frozenset({allowlist_entry(url)}))

    async def run() -> ReadResult:
        async with Fetcher(guard=guard, limits=Limits(), user_agent="wellread-test/1.0") as client:
            paid = PaidFetcher(name=name, client=client, key="sesame", usd=0.01, base_url=url)
            return await read(Candidate(url=URL), client=web, robots=Cache(), agent="wellread", now=NOW, paid=paid)

    return asyncio.run(run())


@pytest.mark.parametrize("status", [401, 403, 429, "challenge"])
@pytest.mark.parametrize("name", ["exa", "firecrawl"])
def test_a_refused_page_is_fetched_by_the_service(service: _Server, name: str, status: int | str) -> None:
    is_status = isinstance(status, int)
    web = Web(lambda url, _: page_at(url, status if is_status else 403, "" if is_status else CHALLENGE))
    reading = _read(service, name, web)
    assert (reading.outcome, reading.url, reading.usd) == ("read", URL, 0.01), reading.reason
    assert reading.page is not None
    assert (TEXT in reading.page.text, reading.page.fetched_by) == (True, name)
    assert reading.reason.endswith(f"; fetched by {name}")
    ((path, key, asked),) = service.asked
    if name == "exa":
        assert (path, key, asked) == ("/contents", "sesame", {"urls": [URL], "text": True})
        assert reading.page.published is not None
        assert (reading.page.title, reading.page.published.year) == ("Lamp: a guide", 2026)
    else:
        assert (path, key, asked) == ("/v2/scrape", "Bearer sesame", {"url": URL, "formats": ["rawHtml"]})
        assert reading.links


def test_what_is_not_refused_or_robots_forbids_is_never_sent(service: _Server) -> None:
    for web in (
        Web(lambda url, _: page_at(url)),
        Web(lambda url, _: page_at(url, 404, "")),
        Web(lambda url, _: page_at(url, 500, "")),
        Web(lambda url, _: page_at(url, 403, ""), robots="User-agent: *\nDisallow: /"),
    ):
        assert _read(service, "exa", web).usd == 0
    assert service.asked == []


@pytest.mark.parametrize("failure", [401, 402, 429, 500, "no JSON", "refused too", "nothing"])
@pytest.mark.parametrize("name", ["exa", "firecrawl"])
def test_a_failure_of_the_service_leaves_the_refusal(service: _Server, name: str, failure: int | str) -> None:
    if isinstance(failure, int):
        service.status = failure
    answers = {
        "no JSON": b"<html>",
        "refused too": {"results": [], "data": {"rawHtml": HTML, "metadata": {"statusCode": 403}}},
        "nothing": {"results": "x", "data": []},
    }
    if failure in answers:
        service.answers = dict.fromkeys(service.answers, answers[str(failure)])
    reading = _read(service, name, Web(lambda url, _: page_at(url, 403, "")))
    assert (reading.outcome, reading.page, reading.usd) == ("wall", None, 0.0)
    assert reading.reason.startswith("the server answered 403: it does not show the page; ")
    assert "sesame" not in reading.reason
