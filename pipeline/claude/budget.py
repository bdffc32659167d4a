"""What one question may still spend on a language model, whatever number of calls it takes."""

from __future__ import annotations

import threading

from domain import Cost
from pipeline.llm import OverBudget


class SpendingBudget:
    """Money and tokens that are left; calls may be made in parallel.

    Before a call the most it can cost is taken out, after it what it did not cost is put back: the sum of all calls
    stays within the budget.
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
        """Tokens left, read and written ones; never below 0."""
        return max(0, self._tokens)

    def reserve(self, most: Cost) -> None:
        """Take out the most a call can cost; raises OverBudget, and takes nothing, where there is not as much."""
        tokens = most.input_tokens + most.output_tokens
        with self._lock:
            if most.usd > self._usd:
                raise OverBudget(
                    f"A call to {most.model} could cost ${most.usd:.3f}, and ${self.usd:.3f} are left of what the "
                    "question may spend: nothing was sent. Raise WELLREAD_MAX_USD_PER_QUESTION or choose a cheaper "
                    "model."
                )
            if tokens > self._tokens:
                raise OverBudget(
                    f"A call to {most.model} could use {tokens:,} tokens, and {self.tokens:,} are left of what the "
                    "question may use: nothing was sent. Raise WELLREAD_MAX_TOKENS_PER_QUESTION."
                )
            self._usd -= most.usd
            self._tokens -= tokens

    def settle(self, most: Cost, paid: Cost) -> None:
        """Put back what was taken for a call that cost ``paid``."""
        with self._lock:
            self._usd += most.usd - paid.usd
            self._tokens += most.input_tokens + most.output_tokens - paid.input_tokens - paid.output_tokens
