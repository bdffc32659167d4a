"""Test caching of constant prompts, the cost of calls, and the refusal of calls that could cost too much."""

from __future__ import annotations

import json

import pytest

from evals.model.wire import Cite, Say
from pipeline.llm import OverBudget
from pipeline.models.claude import CACHED_FROM
from pipeline.models.model import LanguageModel
from pipeline.models.prices import Price
from tests.claude_double import ClaudeDouble
from tests.pipeline.models.asking import answered
from tests.pipeline.models.claude.lighthouse import QUESTION, Ask, brief, hits

# --- what never changes is cached


@pytest.mark.parametrize("instructions", ["Be brief.", "Be brief. " * 2_000])
def test_prompt_is_marked_for_caching_if_it_is_long_enough(
    double: ClaudeDouble, claude: LanguageModel, instructions: str
) -> None:
    claude.write(brief(instructions=instructions))
    claude.write(brief(question="Another question?", notes=("A note.",), instructions=instructions))
    first, second = (received.body["system"] for received in double.received)
    assert ("cache_control" in first[0]) == (len(instructions) > 4 * CACHED_FROM)
    assert first[0] == second[0]
    assert instructions.strip() in first[0]["text"]
    assert all("cache_control" not in block for block in first[1:])


def test_compose_has_one_prefix_whatever_is_asked_in_whatever_language(
    double: ClaudeDouble, claude: LanguageModel
) -> None:
    answered(claude, QUESTION, hits(), lang="de", notes=["A note."])
    answered(claude, "Who lives there?", hits("Ada lives there."))
    first, second = (json.dumps(received.body["system"][0]) for received in double.received)
    assert first == second


def test_cached_tokens_are_counted_at_their_own_price(double: ClaudeDouble, claude: LanguageModel) -> None:
    cite = [Cite(result=0, start=0, end=1)]
    usage = {"input_tokens": 100, "output_tokens": 10}
    double.script(
        Say([("Built in 1874.", cite)], usage={**usage, "cache_creation_input_tokens": 1000}),
        Say([("Built in 1874.", cite)], usage={**usage, "cache_read_input_tokens": 1000}),
    )
    written, read = answered(claude, QUESTION, hits()).cost, answered(claude, QUESTION, hits()).cost
    assert written.input_tokens == read.input_tokens == 1100
    assert read.usd < written.usd


# --- cost


def test_cost_is_what_the_usage_says_at_the_models_price(double: ClaudeDouble, ask: Ask) -> None:
    price = Price(input=3.0, output=15.0, cache_read=0.3, cache_write=3.75)
    usage = {"input_tokens": 1000, "cache_read_input_tokens": 2000, "cache_creation_input_tokens": 400}
    double.script(Say([("Built in 1874.", [Cite(result=0, start=0, end=1)])], usage={**usage, "output_tokens": 500}))
    cost = answered(ask(prices={"claude-sonnet": price}), QUESTION, hits()).cost
    assert cost.usd == pytest.approx((1000 * 3 + 500 * 15 + 2000 * 0.3 + 400 * 3.75) / 1e6)
    assert (cost.model, cost.input_tokens, cost.output_tokens) == ("claude-sonnet-5-5", 3400, 500)


def test_call_that_could_cost_too_much_is_not_sent(double: ClaudeDouble, ask: Ask) -> None:
    with pytest.raises(OverBudget, match="WELLREAD_MAX_USD_PER_QUESTION"):
        answered(ask(max_usd=0.01), QUESTION, hits())
    assert double.received == []
