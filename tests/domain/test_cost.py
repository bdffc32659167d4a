"""Test that costs add up, each model's by itself."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from domain import Cost, ModelCost

ONE = Cost(model="small", input_tokens=100, output_tokens=10, usd=0.001)
OTHER = Cost(model="large", input_tokens=2_000, output_tokens=200, usd=0.02)

costs = st.builds(
    Cost,
    model=st.sampled_from(["small", "large", "own"]),
    input_tokens=st.integers(0, 9_999),
    output_tokens=st.integers(0, 999),
    usd=st.integers(0, 99).map(lambda parts: parts / 64),
    unpriced=st.booleans(),
)


def test_cost_names_each_model_with_its_sum() -> None:
    total = ONE + OTHER + ONE
    assert total.by_model == (
        ModelCost(model="small", input_tokens=200, output_tokens=20, usd=0.002),
        ModelCost(model="large", input_tokens=2_000, output_tokens=200, usd=0.02),
    )
    assert (total.model, total.input_tokens, total.output_tokens) == ("small, large", 2_200, 220)


def test_nothing_adds_nothing() -> None:
    assert Cost() + Cost() == Cost()
    assert (Cost() + Cost()).by_model == ()
    alone = ModelCost(model="small", input_tokens=100, output_tokens=10, usd=0.001)
    assert (Cost() + ONE).by_model == (ONE + Cost()).by_model == (alone,)


@given(st.lists(costs, max_size=8), st.integers(0, 8))
def test_parts_make_the_whole_in_whatever_order_they_are_added(spent: list[Cost], cut: int) -> None:
    total = sum(spent, Cost())
    assert sum(spent[:cut], Cost()) + sum(spent[cut:], Cost()) == total
    assert sum(part.input_tokens for part in total.by_model) == total.input_tokens
    assert sum(part.usd for part in total.by_model) == total.usd
    assert any(part.unpriced for part in total.by_model) == total.unpriced
    assert len({part.model for part in total.by_model}) == len(total.by_model)
