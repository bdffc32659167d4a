"""Test that one budget limits all calls of a question."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import Cost
from evals.model.wire import Fail, Say
from pipeline.llm import BadReply, ModelBusy, OverBudget, SpendingBudget
from pipeline.models.calls import TRIES
from tests.claude_double import KEY, ClaudeDouble, claude_at
from tests.pipeline.models.asking import answered, judged
from tests.pipeline.models.claude.lighthouse import QUESTION, hits

USAGE = {"input_tokens": 1_000, "output_tokens": 500}
#: of claude-sonnet-5-5: 1,000 × $2 and 500 × $10 a million
PAID = 0.007


@dataclass(frozen=True)
class Call:
    """What a call could cost, and what it did."""

    most: int
    share: float

    def costs(self) -> tuple[Cost, Cost]:
        used = int(self.most * self.share)
        return (
            Cost(usd=self.most / 1000, input_tokens=self.most),
            Cost(usd=used / 1000, input_tokens=used),
        )


@given(
    calls=st.lists(st.builds(Call, st.integers(0, 300), st.floats(0, 1)), max_size=30),
    thousandths=st.integers(0, 1_000),
    tokens=st.integers(0, 1_000),
)
def test_calls_together_never_exceed_the_budget(calls: list[Call], thousandths: int, tokens: int) -> None:
    budget, usd, used = SpendingBudget(usd=thousandths / 1000, tokens=tokens), 0.0, 0
    for call in calls:
        most, paid = call.costs()
        try:
            budget.reserve(most)
        except OverBudget:
            continue
        budget.settle(most, paid)
        usd, used = usd + paid.usd, used + paid.input_tokens
    assert usd <= thousandths / 1000 + 1e-9
    assert used <= tokens
    assert budget.tokens == tokens - used


def test_calls_at_the_same_time_do_not_spend_the_same_money() -> None:
    budget, taken = SpendingBudget(usd=1.0, tokens=1_000_000), []
    start = threading.Barrier(8)

    def call() -> None:
        start.wait()
        try:
            budget.reserve(Cost(usd=0.3))
            taken.append(1)
        except OverBudget:
            pass

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == 3


@pytest.mark.parametrize(
    ("usd", "tokens"),
    [
        (3.2 * PAID, 1_000_000),  # the money runs out
        (1.0, 3 * 1_500 + 700),  # the tokens do
    ],
)
def test_call_that_the_rest_does_not_cover_is_not_sent(usd: float, tokens: int) -> None:
    budget = SpendingBudget(usd=usd, tokens=tokens)
    with ClaudeDouble() as double:
        whole = claude_at(api_key=KEY, base_url=double.url, max_tokens=500)
        claude = whole.within(budget)
        double.script(*(Say(["It was built in 1874."], usage=USAGE) for _ in range(9)))
        with pytest.raises(OverBudget, match="nothing was sent"):
            [answered(claude, QUESTION, hits()) for _ in range(9)]
        whole.close()
        assert 1 <= len(double.received) <= 3
        assert budget.usd == pytest.approx(usd - PAID * len(double.received))
        assert budget.tokens == tokens - 1_500 * len(double.received)


def test_failed_call_gives_back_what_was_taken_for_it_and_a_useless_reply_is_paid() -> None:
    budget = SpendingBudget(usd=0.5, tokens=100_000)
    with ClaudeDouble() as double:
        whole = claude_at(api_key=KEY, base_url=double.url)
        claude = whole.within(budget)
        double.script(*[Fail(529, "overloaded_error")] * TRIES)
        with pytest.raises(ModelBusy):
            answered(claude, QUESTION, hits())
        assert (budget.usd, budget.tokens) == (pytest.approx(0.5), 100_000)
        double.script(Say(["no JSON"], usage=USAGE))
        with pytest.raises(BadReply):
            judged(claude, QUESTION, hits())
        assert budget.tokens == 98_500
        whole.close()


def test_claude_within_a_budget_uses_the_connections_it_came_from() -> None:
    with ClaudeDouble() as double:
        whole = claude_at(api_key=KEY, base_url=double.url)
        one, other = (whole.within(SpendingBudget(usd=0.5, tokens=100_000)) for _ in range(2))
        judged(one, QUESTION, hits())
        judged(other, QUESTION, hits())
        assert whole._opened is not None
        assert one._opened is None is other._opened
        whole.close()
