"""Test that calls wait for their turn, are sent again where that can help at once, and share their connections."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from evals.model.wire import BreakOff, Fail, Held, Say
from pipeline.llm import ModelBusy
from pipeline.models.calls import TRIES, WAITS_S, Calls, Provider, request_hash
from pipeline.models.claude import ClaudeProvider
from pipeline.models.openai import OpenAIProvider
from pipeline.models.pace import Pace, RateLimit
from pipeline.models.provider import Prompt
from tests.claude_double import KEY, ClaudeDouble, claude_at
from tests.fakes import Unpaced
from tests.openai_double import MODEL, OpenAIDouble, Status, chat_json
from tests.pipeline.models.asking import answered
from tests.pipeline.models.claude.conftest import double, server
from tests.pipeline.models.claude.lighthouse import QUESTION, hits

__all__ = ["double", "server"]

PROMPT = Prompt(instructions="Reply.", texts=("What is it?",))


class Turns(Unpaced):
    """A pace that gives these waits, one after the other."""

    def __init__(self, *waits_s: float) -> None:
        super().__init__()
        self.waits_s = list(waits_s)

    def wait_s(self, model: str, tokens: int) -> float:
        return self.waits_s.pop(0) if self.waits_s else 0.0


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def calls(double: ClaudeDouble, slept: list[float]) -> Iterator[Calls]:
    made = Calls(provider=ClaudeProvider(api_key=KEY, base_url=double.url), pace=Unpaced(), sleep=slept.append)
    yield made
    made.close()


# --- turns


def test_call_waits_for_its_turn(double: ClaudeDouble, calls: Calls, slept: list[float]) -> None:
    calls.pace = Turns(1.0, 0.5)
    assert calls.ask("claude-haiku-5-5", PROMPT)
    assert slept == [1.0, 0.5]


def test_call_whose_turn_is_far_off_is_not_sent(double: ClaudeDouble, calls: Calls, slept: list[float]) -> None:
    calls.pace = Turns(2.0, 2.0)
    with pytest.raises(ModelBusy, match="nothing was sent") as caught:
        calls.ask("claude-haiku-5-5", PROMPT)
    assert (slept, caught.value.retry_after_s, double.received) == ([2.0], 2.0, [])


def test_refusal_is_told_to_the_pace_and_failures_of_one_call_are_not(double: ClaudeDouble, calls: Calls) -> None:
    calls.pace = told = Unpaced()
    double.script(Fail(529, "overloaded_error"), Fail(429, "rate_limit_error", headers={"retry-after": "2"}))
    calls.ask("claude-haiku-5-5", PROMPT)
    double.script(Fail(500, "api_error"), BreakOff())
    calls.ask("claude-haiku-5-5", PROMPT)
    assert told.pauses == [None, 2.0]


def _paced(calls: Calls) -> Calls:
    return replace(calls, pace=Pace(), sleep=time.sleep)


def test_short_pause_is_waited_for(double: ClaudeDouble, calls: Calls) -> None:
    double.script(Fail(429, "rate_limit_error", headers={"retry-after": "0.1"}))
    paced = _paced(calls)
    paced.ask("claude-haiku-5-5", PROMPT)
    paced.close()
    assert len(double.received) == 2


def test_long_pause_is_for_whoever_asks_next_to_wait_for(double: ClaudeDouble, calls: Calls) -> None:
    double.script(Fail(429, "rate_limit_error", headers={"retry-after": "20"}))
    paced = _paced(calls)
    for says in ("429 rate_limit_error", "nothing was sent"):
        with pytest.raises(ModelBusy, match=says) as caught:
            paced.ask("claude-haiku-5-5", PROMPT)
        assert caught.value.retry_after_s == pytest.approx(21, abs=1.5)
    paced.close()
    assert len(double.received) == 1


def test_what_one_call_waits_is_bounded_however_often_it_fails(
    double: ClaudeDouble, calls: Calls, slept: list[float]
) -> None:
    double.script(*[Fail(500, "api_error", headers={"retry-after": "2"})] * TRIES)
    with pytest.raises(ModelBusy):
        calls.ask("claude-haiku-5-5", PROMPT)
    assert sum(slept) <= WAITS_S


def test_broken_connection_is_opened_again_at_once(double: ClaudeDouble, calls: Calls, slept: list[float]) -> None:
    double.script(BreakOff(events=0))
    calls.ask("claude-haiku-5-5", PROMPT)
    assert slept == [0.0]


@pytest.mark.parametrize(
    ("headers", "pause_s"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "7", "retry-after-ms": "6500"}, 6.5),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m0.5s"}, 60.5),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "20ms"}, 0.02),
        ({"x-ratelimit-remaining-tokens": "12", "x-ratelimit-reset-tokens": "6m0s"}, None),  # not what is used up
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "soon"}, None),
    ],
)
def test_pause_that_a_server_with_openais_api_asks_for(headers: dict[str, str], pause_s: float | None) -> None:
    with OpenAIDouble() as chat:
        calls = Calls(provider=OpenAIProvider(base_url=chat.url), pace=(told := Unpaced()))
        chat.script(Status(429, headers=headers), chat_json({}))
        calls.ask(MODEL, PROMPT)
        calls.close()
    assert told.pauses == [pause_s]


def test_tokens_that_a_reply_used_are_counted(double: ClaudeDouble, calls: Calls) -> None:
    class Settled(Unpaced):
        def settle(self, reserved: int, used: int) -> None:
            assert reserved > 500
            self.pauses.append(used)

    calls.pace = settled = Settled()
    double.script(Say(["It is."], usage={"input_tokens": 700, "output_tokens": 30, "cache_read_input_tokens": 9}))
    calls.ask("claude-haiku-5-5", PROMPT)
    assert settled.pauses == [739]


def test_budget_of_a_minute_keeps_a_call_from_being_sent(double: ClaudeDouble, calls: Calls) -> None:
    calls.pace = Pace(RateLimit(requests=1))
    calls.ask("claude-haiku-5-5", PROMPT)
    with pytest.raises(ModelBusy):
        calls.ask("claude-sonnet-5-5", PROMPT)
    assert len(double.received) == 1


# --- connections


def _held(double: ClaudeDouble, count: int, go_on: threading.Event) -> None:
    double.script(*[Held(Say(["It is."]), go_on)] * count)


def test_forty_streams_at_once_share_one_client_which_keeps_their_connections(
    double: ClaudeDouble, calls: Calls
) -> None:
    go_on = threading.Event()
    for _ in range(2):
        go_on.clear()
        _held(double, 40, go_on)
        with ThreadPoolExecutor(40) as pool:
            asked = [pool.submit(calls.ask, "claude-haiku-5-5", PROMPT) for _ in range(40)]
            while len(double.received) % 40 or not double.received:
                go_on.wait(0.01)
            go_on.set()
            assert {each.result()[0].text for each in asked} == {"It is."}
    assert len(double.received) == 80
    assert double.connections == 40


@pytest.mark.parametrize("service", [ClaudeDouble, OpenAIDouble])
def test_warm_model_has_its_connection_open_and_asked_nothing(service: type[ClaudeDouble | OpenAIDouble]) -> None:
    with service() as double:
        calls = Calls(provider=_provider(double))
        calls.warm()
        assert (double.connections, double.received) == (1, [])
        calls.ask(MODEL, PROMPT)
        assert (double.connections, len(double.received)) == (1, 1)
        calls.close()


def _provider(double: ClaudeDouble | OpenAIDouble) -> Provider:
    if isinstance(double, OpenAIDouble):
        return OpenAIProvider(base_url=double.url)
    return ClaudeProvider(api_key=KEY, base_url=double.url)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "nonsense", "http://"])
def test_model_that_cannot_be_warmed_raises_nothing(url: str) -> None:
    claude = claude_at(base_url=url)
    claude.warm()
    claude.close()


def test_answer_after_warming_is_the_usual_one(double: ClaudeDouble) -> None:
    claude = claude_at(api_key=KEY, base_url=double.url)
    claude.warm()
    assert answered(claude, QUESTION, hits()).citations
    claude.close()


# --- a request's name


def test_request_is_named_by_what_it_says() -> None:
    one = request_hash({"model": "m", "messages": [{"role": "user", "content": "ü \ud800"}]})
    assert one == request_hash({"messages": [{"content": "ü \ud800", "role": "user"}], "model": "m"})
    assert one != request_hash({"model": "m", "messages": [{"role": "user", "content": "u"}]})
    assert len(one) == 64
