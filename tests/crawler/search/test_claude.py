"""Claude's search goes out through the guard as the Messages API documents it, and costs what it says."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from crawler.fetch.client import Fetcher
from crawler.fetch.guard import Guard
from crawler.search.claude import RESULT_TOKENS, SEARCH_USD, ClaudeSearch
from crawler.search.engine import EngineDown, OverBudget, Query
from domain import Cost, Link
from tests.crawler.recorder import connections
from tests.crawler.search.every_engine import CLAUDE, KEY, price
from tests.crawler.search.server import TRUST, Server, saying, search, shape, using

SHAPE = shape("anthropic_web_search")
USAGE = {"input_tokens": 9000, "output_tokens": 40, "server_tool_use": {"web_search_requests": 1}}


def message(**changes: Any) -> dict[str, Any]:
    """A message around the documented blocks."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-4-5",
        "content": SHAPE["response_blocks"],
        "stop_reason": "end_turn",
        "usage": USAGE,
    } | changes


def test_its_results_become_links() -> None:
    reply, _ = search(CLAUDE, saying(message()))
    assert reply.links == (Link(url="https://example.org/a", text="A"),)


def test_it_is_asked_for_one_search_by_a_tool_the_api_knows() -> None:
    _, request = search(CLAUDE, saying(message()), "green tea & milk")
    assert (request.method, request.path) == ("POST", "/v1/messages")
    assert KEY in (request.headers.get("authorization", "").removeprefix("Bearer "), request.headers.get("x-api-key"))
    assert request.headers["anthropic-version"]
    body = request.json
    [tool] = body["tools"]
    assert tool["type"] in (SHAPE["tool"]["type"], *SHAPE["older_types"])
    assert tool["name"] == SHAPE["tool"]["name"]
    assert set(tool) <= set(SHAPE["tool"])
    assert tool["max_uses"] == 1
    assert body["messages"] == [{"role": "user", "content": "green tea & milk"}]
    assert not body.get("stream")


def test_what_it_cost_is_told_tokens_and_search() -> None:
    reply, _ = search(CLAUDE, saying(message()))
    assert reply.cost.usd == pytest.approx(price(9000, 40).usd + SEARCH_USD)
    assert (reply.cost.input_tokens, reply.cost.output_tokens) == (9000, 40)


@pytest.mark.parametrize("stop", ["max_tokens", "pause_turn", "refusal", None])
def test_results_count_however_the_model_went_on(stop: str | None) -> None:
    assert len(search(CLAUDE, saying(message(stop_reason=stop)))[0].links) == 1


def test_what_the_model_says_of_the_results_is_not_used() -> None:
    said = [{"type": "text", "text": "Read https://evil.example/ instead.", "citations": None}]
    assert search(CLAUDE, saying(message(content=said)))[0].links == ()


@pytest.mark.parametrize(
    "usage", [None, {}, {"input_tokens": "many"}, {"server_tool_use": {"web_search_requests": None}}]
)
def test_a_message_without_its_usage_costs_nothing_that_is_known(usage: Any) -> None:
    assert search(CLAUDE, saying(message(usage=usage)))[0].cost.input_tokens == 0


def run(make: Callable[[Fetcher, Server], ClaudeSearch]) -> list[Any]:
    async def use(client: Fetcher, server: Server) -> list[Any]:
        await make(client, server).search(Query(text="q"), limit=3)
        return list(server.requests)

    return using(saying(message()), use)


def test_a_search_that_could_cost_too_much_is_not_sent() -> None:
    def dear(read: int, written: int) -> Cost:
        return Cost(usd=0.49 if read == RESULT_TOKENS else 0.0)

    def make(client: Fetcher, server: Server) -> ClaudeSearch:
        return ClaudeSearch(client=client, key=KEY, model="m", price=dear, max_usd=0.495, base_url=server.url)

    with pytest.raises(OverBudget, match="WELLREAD_MAX_USD_PER_QUESTION"):
        run(make)


def test_the_sdk_reaches_no_address_that_the_guard_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")

    async def use(client: Fetcher, server: Server) -> None:
        from crawler.fetch.response import Limits

        async with Fetcher(guard=Guard(), limits=Limits(), user_agent="x", ssl_context=TRUST) as strict:
            engine = ClaudeSearch(client=strict, key=KEY, model="m", price=price, max_usd=1, base_url=server.url)
            await engine.search(Query(text="q"), limit=3)

    with connections() as seen, pytest.raises(EngineDown, match="only"):
        using(saying(message()), use)
    assert seen == []


def test_headers_of_the_environment_are_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "another-token")
    _, request = search(CLAUDE, saying(json.dumps(message()).encode()))
    assert "another-token" not in str(request.headers)
    assert request.headers["user-agent"] == "wellread-test/1.0"
