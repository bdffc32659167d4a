"""Limit what one question spends on a language model over all its calls."""

from __future__ import annotations

import threading

from domain import Cost
from pipeline.llm import OverBudget


class SpendingBudget:
    """The money and tokens left; calls may be made in parallel.

    Each call reserves the most it can cost and returns the rest afterwards, so the sum of all calls stays within the
    budget.
    """

    def __init__(self, *, usd: float, tokens: int) -> None:
        self._usd = usd
        self._tokens = tokens
        self._lock = threading.Lock()

    @property
    def usd(self) -> float:
        """US dollars left; never below 0."""
        return max(0.0, self._usd)

    @property
    def tokens(self) -> int:
        """Tokens left, input and output together; never below 0."""
        return max(0, self._tokens)

    def reserve(self, most: Cost) -> None:
        """Reserve the most a call can cost; raises OverBudget, and reserves nothing, when less is left."""
        tokens = most.input_tokens + most.output_tokens
        with self._lock:
            if most.usd > self._usd:
                raise OverBudget(
                    f"A call to {most.model} could cost ${most.usd:.3f}, and the question has ${self.usd:.3f} left: "
                    "nothing was sent. Raise WELLREAD_MAX_USD_PER_QUESTION or choose a cheaper model."
                )
            if tokens > self._tokens:
                raise OverBudget(
                    f"A call to {most.model} could use {tokens:,} tokens, and the question has {self.tokens:,} left: "
                    "nothing was sent. Raise WELLREAD_MAX_TOKENS_PER_QUESTION."
                )
            self._usd -= most.usd
            self._tokens -= tokens

    def settle(self, most: Cost, paid: Cost) -> None:
        """Return the unspent part of a reservation for a call that cost ``paid``."""
        with self._lock:
            self._usd += most.usd - paid.usd
            self._tokens += most.input_tokens + most.output_tokens - paid.input_tokens - paid.output_tokens
