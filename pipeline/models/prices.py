"""Compute the cost of a call from its tokens; the prices known here are those of Claude's models."""

from collections.abc import Mapping
from dataclasses import dataclass

from domain import Cost

_MILLION = 1_000_000
#: of a prompt or reply whose tokens are not counted
CHARACTERS_PER_TOKEN = 4
#: of the price, that a call in a batch costs
BATCH_SHARE = 0.5


@dataclass(frozen=True, kw_only=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float
    cache_read: float
    cache_write: float


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Tokens one call used; the three kinds of input do not overlap."""

    input_tokens: int = 0
    output_tokens: int = 0  #: thinking included
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.input_tokens + self.output_tokens + self.cache_read_tokens + self.cache_write_tokens


def _price(input: float, output: float, cache_read: float) -> Price:
    return Price(input=input, output=output, cache_read=cache_read, cache_write=1.25 * input)


#: model name's prefix → its list price as of November 2026, for prompts up to 100,000 tokens
PRICES: Mapping[str, Price] = {
    "claude-haiku-5-5": _price(0.10, 0.50, 0.01),
    "claude-haiku": _price(1.00, 5.00, 0.10),
    "claude-sonnet-5-5": _price(2.00, 10.00, 0.10),
    "claude-sonnet-5": _price(2.00, 10.00, 0.20),
    "claude-sonnet": _price(3.00, 15.00, 0.30),
    "claude-opus-5-5": _price(4.00, 20.00, 0.20),
    "claude-opus": _price(5.00, 25.00, 0.50),
    "claude-fable-5": _price(10.00, 50.00, 1.00),
    "claude-fable-5-1": _price(10.00, 50.00, 0.25),
    "claude-fable-5-2": _price(8.00, 40.00, 0.20),
    "claude-mythos-5": _price(10.00, 50.00, 1.00),
    "claude-mythos-5-1": _price(10.00, 50.00, 0.25),
}


def price_of(model: str, prices: Mapping[str, Price] = PRICES) -> Price:
    """Return the price under the longest prefix of ``model``; for an unknown model the highest price, to be safe.

    Where no price is known at all, it is 0.
    """
    known = [prefix for prefix in prices if model.startswith(prefix)]
    if known:
        return prices[max(known, key=len)]
    return max(prices.values(), key=lambda price: price.output, default=_price(0.0, 0.0, 0.0))


def cost_of(model: str, usage: Usage, prices: Mapping[str, Price] = PRICES, *, share: float = 1.0) -> Cost:
    """Return what ``usage`` costs at a ``share`` of the price; ``Cost.input_tokens`` counts cached ones too."""
    price = price_of(model, prices)
    usd = (
        usage.input_tokens * price.input
        + usage.output_tokens * price.output
        + usage.cache_read_tokens * price.cache_read
        + usage.cache_write_tokens * price.cache_write
    ) * (share / _MILLION)
    return Cost(
        model=model,
        input_tokens=usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
        output_tokens=usage.output_tokens,
        usd=usd,
        unpriced=not prices,
    )


def most_it_can_cost(model: str, prompt: str, max_tokens: int, prices: Mapping[str, Price] = PRICES) -> Cost:
    """Return an upper bound before sending: a token per two bytes of prompt (prose needs half), and all the output."""
    tokens = len(prompt.encode("utf-8", "replace")) // 2 + 1
    return cost_of(model, Usage(input_tokens=tokens, output_tokens=max_tokens), prices)
