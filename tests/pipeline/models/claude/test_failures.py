"""Test that failures are named, and retried only where that can help."""

from __future__ import annotations

from typing import Any

import pytest

from evals.model.wire import BreakOff, Fail, FailInside, Ping, Raw, Say, Slow, Wait
from pipeline.llm import (
    ApiKeyRejected,
    BadReply,
    ModelBusy,
    ModelError,
    ModelRefused,
    ModelUnreachable,
    OverBudget,
    SpendingBudget,
)
from pipeline.models.calls import TRIES
from pipeline.models.model import LanguageModel
from pipeline.models.pace import Pace
from tests.claude_double import KEY, ClaudeDouble, claude_at
from tests.pipeline.models.asking import answered
from tests.pipeline.models.claude.lighthouse import QUESTION, Ask, hits


@pytest.mark.parametrize(
    ("reply", "kind", "says"),
    [
        (Fail(401, "authentication_error"), ApiKeyRejected, "WELLREAD_ANTHROPIC_API_KEY"),
        (Fail(403, "permission_error"), ApiKeyRejected, "WELLREAD_ANTHROPIC_API_KEY"),
        (Fail(402, "billing_error", "credit is used up"), ApiKeyRejected, "credit is used up"),
        (Fail(400, "invalid_request_error", "prompt is too long"), BadReply, "prompt is too long"),
        (Fail(404, "not_found_error", "model: gone"), BadReply, "WELLREAD_LARGE_MODEL"),
        (Fail(413, "request_too_large"), BadReply, "413"),
        (Raw(b"<html>hello</html>", "text/html"), BadReply, "WELLREAD_ANTHROPIC_BASE_URL"),
        (Raw(b"event: message_start\ndata: {not json\n\n"), BadReply, "WELLREAD_ANTHROPIC_BASE_URL"),
        (Raw(b'event: message_start\ndata: {"type": "message_start", "message": 3}\n\n'), BadReply, "Messages API"),
        (Raw(b"event: content_block_delta\ndata: {}\n\n"), BadReply, "Messages API"),
        (Raw(b"\xff\xfe\x00" * 50), BadReply, "Messages API"),
        (Say(["It was built in 1874. " * 10_000]), BadReply, "does not end"),
        (Say([""]), BadReply, "empty reply"),
        (Say([], stop_reason="max_tokens", thinks=True), BadReply, "max_tokens"),
        (Say(["I cannot"], stop_reason="refusal", refusal="bio"), ModelRefused, r"\(bio\)"),
        (Say(["I cannot"], stop_reason="refusal"), ModelRefused, "other words"),
    ],
)
def test_failure_is_named_and_not_tried_again(
    double: ClaudeDouble, claude: LanguageModel, reply: Any, kind: type[ModelError], says: str
) -> None:
    double.script(reply)
    with pytest.raises(kind, match=says):
        answered(claude, QUESTION, hits())
    assert len(double.received) == 1


def test_refusal_has_its_cost(double: ClaudeDouble, claude: LanguageModel) -> None:
    double.script(Say(["I"], stop_reason="refusal", usage={"input_tokens": 700, "output_tokens": 3}))
    with pytest.raises(ModelRefused) as caught:
        answered(claude, QUESTION, hits())
    assert caught.value.cost.input_tokens == 700
    assert caught.value.cost.usd > 0


@pytest.mark.parametrize(
    ("replies", "kind", "read"),
    [
        ([BreakOff(events=8)] * TRIES, ModelUnreachable, TRIES),
        ([FailInside("overloaded_error"), BreakOff(events=8), Fail(400, "invalid_request_error")], BadReply, 2),
        ([Say(["It was built in 1874. " * 10_000])], BadReply, 1),
        ([Fail(400, "invalid_request_error")], BadReply, 0),
    ],
)
def test_tokens_of_replies_that_break_off_or_do_not_end_are_counted(
    double: ClaudeDouble, ask: Ask, replies: list[Any], kind: type[ModelError], read: int
) -> None:
    sent = answered(ask(), QUESTION, hits()).cost.input_tokens
    double.script(*replies)
    budget = SpendingBudget(usd=10.0, tokens=1_000_000)
    with pytest.raises(kind) as caught:
        answered(ask().within(budget), QUESTION, hits())
    cost = caught.value.cost
    assert cost.input_tokens == read * sent
    assert bool(cost.usd) == bool(cost.output_tokens) == bool(read)
    assert budget.tokens == 1_000_000 - cost.input_tokens - cost.output_tokens
    assert budget.usd == pytest.approx(10.0 - cost.usd)


def test_reply_that_broke_off_is_part_of_the_cost_and_not_asked_for_again_beyond_the_limits(
    double: ClaudeDouble, ask: Ask
) -> None:
    whole = answered(ask(), QUESTION, hits()).cost
    double.script(BreakOff(events=8))
    assert answered(ask(), QUESTION, hits()).cost.input_tokens == 2 * whole.input_tokens
    double.forget()
    double.script(BreakOff(events=8), BreakOff(events=8))
    most = 4096 + whole.input_tokens * 3
    with pytest.raises(OverBudget, match="broke off"):
        answered(ask().within(SpendingBudget(usd=10.0, tokens=most)), QUESTION, hits())


LONG = Say(["Built in 1874. " * 5_000])
SOON = {"retry-after": "0.01"}


@pytest.mark.parametrize(
    "reply",
    [
        Fail(429, "rate_limit_error", headers=SOON),
        Fail(529, "overloaded_error", headers=SOON),
        Fail(500, "api_error", headers=SOON),
        Raw(b"<html>bad gateway</html>", "text/html", status=502, headers=SOON),
    ],
)
def test_busy_api_is_asked_again(double: ClaudeDouble, claude: LanguageModel, reply: Any) -> None:
    double.script(reply, reply)
    assert answered(claude, QUESTION, hits()).citations
    assert len(double.received) == 3


@pytest.mark.parametrize(
    "reply", [FailInside("overloaded_error"), BreakOff(), BreakOff(events=0), BreakOff(cleanly=True)]
)
def test_stream_that_fails_after_it_began_is_asked_for_again(
    double: ClaudeDouble, claude: LanguageModel, reply: Any
) -> None:
    double.script(reply)
    answer = answered(claude, QUESTION, hits())
    assert answer.text == "The lighthouse of Vierburg was built in 1874. [1]"  # nothing of the first half twice
    assert len(double.received) == 2


def test_api_that_stays_busy_is_given_up(double: ClaudeDouble, ask: Ask) -> None:
    double.script(*[Fail(529, "overloaded_error", headers=SOON)] * (TRIES + 1))
    with pytest.raises(ModelBusy, match="529 overloaded_error") as caught:
        answered(ask(), QUESTION, hits())
    assert len(double.received) == 3
    assert caught.value.retry_after_s == 0.01


@pytest.mark.parametrize("reply", [BreakOff(), BreakOff(cleanly=True)])
def test_connection_that_keeps_breaking_is_given_up(double: ClaudeDouble, ask: Ask, reply: Any) -> None:
    double.script(*[reply] * TRIES)
    with pytest.raises(ModelUnreachable, match="broke"):
        answered(ask(), QUESTION, hits())


def test_long_wait_is_not_begun(double: ClaudeDouble, ask: Ask) -> None:
    double.script(Fail(429, "rate_limit_error", headers={"retry-after": "3600"}))
    with pytest.raises(ModelBusy) as caught:
        answered(ask(pace=Pace()), QUESTION, hits())
    assert caught.value.retry_after_s == 3600
    assert len(double.received) == 1


@pytest.mark.parametrize("value", ["nan", "inf", "-5", "soon", "Wed, 21 Oct 2026 07:28:00 GMT"])
def test_strange_retry_after_is_no_wait(double: ClaudeDouble, ask: Ask, value: str) -> None:
    double.script(*[Fail(429, "rate_limit_error", headers={"retry-after": value})] * TRIES)
    with pytest.raises(ModelBusy) as caught:
        answered(ask(), QUESTION, hits())
    assert caught.value.retry_after_s is None


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (Wait(30.0), r"begin to reply within 1 s \(WELLREAD_MODEL_FIRST_TOKEN_S"),
        (Ping(), r"begin to reply within 1 s"),
        (Slow(LONG, quick=0, every_s=0.05), r"begin to reply within 1 s"),
        (Slow(LONG, quick=1_500, every_s=0.05), r"complete reply within 2\.5 s \(WELLREAD_MODEL_TIMEOUT_S"),
        (Slow(LONG, quick=1_500, every_s=30.0), r"fell silent for 1 s"),
    ],
    ids=["silent", "pings", "slow from its first byte", "slow once it began", "falls silent"],
)
def test_server_that_never_ends_its_reply_is_left_in_time(
    double: ClaudeDouble, ask: Ask, reply: Any, says: str
) -> None:
    double.script(reply)
    claude = ask(first_token_s=1.0, timeout_s=2.5)
    with pytest.raises(ModelUnreachable, match=says):
        answered(claude, QUESTION, hits())
    assert len(double.received) == 1


def test_server_that_is_not_there_is_unreachable() -> None:
    with ClaudeDouble() as gone:
        url = gone.url
    with pytest.raises(ModelUnreachable, match="WELLREAD_ANTHROPIC_BASE_URL"):
        answered(claude_at(api_key=KEY, base_url=url), QUESTION, hits())


def test_base_url_that_is_none_is_unreachable() -> None:
    with pytest.raises(ModelUnreachable, match="WELLREAD_ANTHROPIC_BASE_URL"):
        answered(claude_at(api_key=KEY, base_url="nonsense"), QUESTION, hits())
