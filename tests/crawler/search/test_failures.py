"""Whatever an engine answers ends in a named error within its time, and no error tells a key or a question."""

from __future__ import annotations

import json
import time
from typing import Any

import anthropic  # noqa: F401 - so that importing it is not what takes time below
import pytest

from crawler.search.engine import (
    EngineDown,
    EngineError,
    EngineForbidden,
    EngineKeyRejected,
    OutOfCredit,
    QueryRefused,
    RateLimited,
    TakenForRobot,
)
from tests.crawler.hostile import HOSTILE, Behaviour, forever, raw, redirect, reset, stall
from tests.crawler.search.every_engine import ALL, CLAUDE, JSON, KEY, KEYED
from tests.crawler.search.server import saying, search

SECRET = "what does nobody know?"
CAPTCHA = b"<html><title>Just a moment...</title><div id=cf-challenge>Are you a human?</div></html>"
QUIET = ("wikipedia", "ddgs")  # without a key; what a 403 of SearXNG means is told elsewhere


def page(body: bytes, status: str = "200 OK") -> Behaviour:
    return saying(body, status, kind="text/html")


def failure(name: str, behaviour: Behaviour, **limits: Any) -> EngineError:
    with pytest.raises(EngineError) as caught:
        search(ALL[name], behaviour, SECRET, **limits)
    told = f"{caught.value} {caught.value.__cause__ or ''}"
    assert KEY not in told
    assert "nobody" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("name", [*KEYED, "claude"])
@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        ("401 Unauthorized", {"error": "no"}, EngineKeyRejected),
        ("403 Forbidden", {"message": "Unauthorized."}, EngineKeyRejected),
        ("402 Payment Required", {"error": "pay"}, OutOfCredit),
        ("432 Plan", {"detail": {"error": "This request exceeds your plan's set usage limit"}}, OutOfCredit),  # Tavily
        ("400 Bad Request", {"message": "Not enough credits"}, OutOfCredit),  # Serper
        ("429 Slow", {"error": {"code": "QUOTA", "detail": "monthly quota exceeded"}}, OutOfCredit),
        (
            "422 Unprocessable",
            {"type": "ErrorResponse", "error": {"code": "SUBSCRIPTION_TOKEN_INVALID", "detail": "It is invalid."}},
            EngineKeyRejected,  # Brave
        ),
        ("422 Unprocessable", {"error": {"code": "VALIDATION", "detail": "too long"}}, QueryRefused),
        ("400 Bad Request", b"query is bad", QueryRefused),
        ("429 Slow", {}, RateLimited),
        ("500 Oops", {}, EngineDown),
        ("503 Busy", b"", EngineDown),
        ("404 Not Found", {}, EngineError),
    ],
)
def test_a_status_is_named_for_what_it_means(name: str, status: str, body: Any, kind: type[EngineError]) -> None:
    assert type(failure(name, saying(body, status))) is kind


@pytest.mark.parametrize("name", QUIET)
def test_an_engine_without_a_key_that_forbids_us_is_left_alone_and_no_key_blamed(name: str) -> None:
    assert type(failure(name, saying({}, "403 Forbidden"))) is EngineForbidden


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("header", "seconds"), [("Retry-After: 17\r\n", 17.0), ("", None), ("Retry-After: soon\r\n", None)]
)
def test_what_an_engine_asks_to_wait_is_heard(name: str, header: str, seconds: float | None) -> None:
    error = failure(name, saying({}, "429 Slow down", headers=header))
    assert type(error) is RateLimited
    assert error.retry_after_s == seconds


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("status", ["403 Forbidden", "429 Slow", "503 Busy"])
def test_a_block_page_is_no_wrong_key(name: str, status: str) -> None:
    assert type(failure(name, page(CAPTCHA, status))) is TakenForRobot


@pytest.mark.parametrize("name", sorted(set(ALL) - {"claude"}))
def test_a_captcha_that_comes_as_an_answer_is_seen(name: str) -> None:
    assert type(failure(name, page(CAPTCHA))) is TakenForRobot


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    "behaviour",
    [
        page(b"<p>hello</p>"),
        page(b""),
        page(b"<!-- nothing -->"),
        saying(b"{"),
        saying(b"[" * 100_000),
        saying([]),
        saying(b'"text"'),
        saying(b"\xff\xfe\x00"),
        saying({"content": 3, "usage": 4, "results": {"a": 1}, "type": "message"}),
        saying({"content": [3, {"type": "web_search_tool_result"}], "type": "message"}),
    ],
    ids=["page", "empty", "comment", "broken", "deep", "list", "text", "binary", "numbers", "blocks"],
)
def test_an_answer_that_is_not_understood_says_so(name: str, behaviour: Behaviour) -> None:
    assert isinstance(failure(name, behaviour), EngineError)


HOSTILE_TO_ENGINES = [
    (what, behaviour) for what, behaviour, error in HOSTILE if error in ("FetchTimeout", "TooLarge", "HostUnreachable")
]


@pytest.mark.parametrize("name", ["brave", "exa", "ddgs", "claude"])  # a GET, a POST, a form, the SDK
@pytest.mark.parametrize(("what", "behaviour"), HOSTILE_TO_ENGINES, ids=[what for what, _ in HOSTILE_TO_ENGINES])
def test_a_hostile_server_is_an_error_in_time(name: str, what: str, behaviour: Behaviour) -> None:
    started = time.monotonic()
    failure(name, behaviour, deadline_s=0.5)
    assert time.monotonic() - started < 20  # it stalls for ever


@pytest.mark.parametrize("name", ALL)
def test_a_huge_answer_is_not_read(name: str) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    error = failure(name, forever(head, b"ffff\r\n" + b" " * 0xFFFF + b"\r\n"))
    assert "too large" in str(error) or name == "claude"


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("behaviour", [stall, reset, raw(b"SSH-2.0-OpenSSH\r\n\r\n")], ids=["silent", "reset", "ssh"])
def test_an_engine_that_is_away_is_down_not_wrong(name: str, behaviour: Behaviour) -> None:
    assert type(failure(name, behaviour, deadline_s=0.5)) is EngineDown


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("to", ["http://169.254.169.254/latest/", "http://10.0.0.1/", "http://127.0.0.1:1/?q=nobody"])
def test_a_redirect_into_an_inner_network_is_not_followed(name: str, to: str) -> None:
    failure(name, redirect(to))


@pytest.mark.parametrize("name", KEYED)
def test_a_redirect_is_not_told_the_key(name: str) -> None:
    async def elsewhere(head: str, writer: Any) -> None:
        path = head.split(" ")[1]
        if path == "/elsewhere":
            assert KEY not in head
            await saying({}, "401 Unauthorized")(head, writer)
        await redirect("/elsewhere")(head, writer)

    with pytest.raises(EngineError) as caught:
        search(ALL[name], elsewhere)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("name", [*KEYED, "claude"])
def test_a_server_that_repeats_the_key_does_not_have_it_told_on(name: str) -> None:
    failure(name, saying({"error": f"the key {KEY} is wrong"}, "401 Unauthorized"))
    failure(name, saying(f"no such key: {KEY}".encode(), "500 Oops"))


@pytest.mark.parametrize("name", JSON)
def test_an_engine_does_not_show_its_key(name: str) -> None:
    engine = JSON[name](None, "http://x")  # type: ignore[arg-type]
    assert KEY not in repr(engine)
    assert KEY not in repr(vars(engine).get("_api"))


def test_a_query_with_lone_surrogates_is_no_fault() -> None:
    for name, make in ALL.items():
        with pytest.raises(EngineError):
            search(make, saying({}, "429 Slow"), "tea \ud800 milk")
        assert name


def test_an_error_rests_for_a_time_that_ends() -> None:
    for kind in (EngineError, EngineDown, RateLimited, TakenForRobot, EngineKeyRejected, OutOfCredit, QueryRefused):
        assert 0 <= kind.cooldown_s <= kind.max_cooldown_s <= 86_400


def test_claude_names_what_its_search_says_went_wrong() -> None:
    def told(code: str) -> EngineError:
        block = {
            "type": "web_search_tool_result",
            "tool_use_id": "t",
            "content": {"type": "web_search_tool_result_error", "error_code": code},
        }
        message = {"type": "message", "content": [block], "usage": {"input_tokens": 1, "output_tokens": 1}}
        with pytest.raises(EngineError) as caught:
            search(CLAUDE, saying(json.dumps(message).encode()))
        return caught.value

    assert type(told("too_many_requests")) is RateLimited
    assert type(told("query_too_long")) is QueryRefused
    assert type(told("unavailable")) is EngineDown
    assert type(told("something new")) is EngineDown
