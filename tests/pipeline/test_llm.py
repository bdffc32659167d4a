"""The model's Protocol, its errors and its prices."""

from __future__ import annotations

import subprocess
import sys

import pytest

from domain import Cost
from domain.errors import WellreadError
from pipeline.llm import (
    ApiKeyRejected,
    BadReply,
    ModelBusy,
    ModelError,
    ModelRefused,
    ModelUnreachable,
    OverBudget,
)
from pipeline.models.prices import PRICES, Price, Usage, cost_of, most_it_can_cost, price_of
from tests.tables import each_row
from workers.settings import CLAUDE_SMALL_MODEL


@each_row("kind", [ApiKeyRejected, ModelBusy, ModelUnreachable, ModelRefused, BadReply, OverBudget])
def test_every_failure_is_a_model_error_that_carries_its_cost(kind: type[ModelError]) -> None:
    error = kind("what happened", cost=Cost(model="m", usd=0.5))
    assert isinstance(error, WellreadError)
    assert (str(error), error.cost.usd) == ("what happened", 0.5)
    assert kind("nothing spent").cost == Cost()


def test_importing_claude_does_not_import_the_sdk() -> None:
    code = (
        "import sys; from pipeline.models.claude import ClaudeProvider; from pipeline.models.calls import "
        "Calls; Calls(provider=ClaudeProvider(api_key='k')); print('anthropic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.mark.parametrize(
    ("model", "prefix"),
    [
        ("claude-sonnet-5-5", "claude-sonnet-5-5"),  # itself
        ("claude-sonnet-5", "claude-sonnet-5"),  # not the longer name
        ("claude-sonnet-4-6", "claude-sonnet"),  # its family
        ("claude-haiku-4-5-20251001", "claude-haiku"),  # a dated name
        ("claude-haiku-5-5", "claude-haiku-5-5"),
    ],
)
def test_price_is_that_of_the_longest_known_prefix(model: str, prefix: str) -> None:
    assert price_of(model) == PRICES[prefix]


def test_unknown_model_is_reckoned_at_the_dearest_price() -> None:
    assert price_of("some-other-model").output == max(price.output for price in PRICES.values())


def test_cost_adds_each_kind_of_token_at_its_own_price() -> None:
    price = Price(input=1.0, output=10.0, cache_read=0.1, cache_write=1.25)
    usage = Usage(input_tokens=1_000_000, output_tokens=100_000, cache_read_tokens=500_000, cache_write_tokens=200_000)
    cost = cost_of("m", usage, {"m": price})
    assert cost.usd == pytest.approx(1.0 + 1.0 + 0.05 + 0.25)
    assert (cost.model, cost.input_tokens, cost.output_tokens) == ("m", 1_700_000, 100_000)


def test_reckoning_before_sending_is_above_what_prose_costs() -> None:
    prose = "The library was opened in 1911 and holds four million volumes. " * 100
    tokens_of_prose = len(prose) // 3  # the newest tokenisers make one of three to four characters
    afterwards = cost_of(CLAUDE_SMALL_MODEL, Usage(input_tokens=tokens_of_prose, output_tokens=1000)).usd
    assert afterwards < most_it_can_cost(CLAUDE_SMALL_MODEL, prose, 1000).usd < 2 * afterwards
