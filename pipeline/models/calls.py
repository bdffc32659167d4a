"""Call a model within the budget, over one pool of connections per process; a refusal is an error."""

from __future__ import annotations

import copy
import json
import os
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from domain import Cost
from pipeline.llm import BadReply, ModelRefused, OverBudget
from pipeline.models.json_reply import find_object
from pipeline.models.prices import cost_of, most_it_can_cost

if TYPE_CHECKING:
    from pipeline.llm import SpendingBudget
    from pipeline.models.provider import Connection, Json, ModelReply, OnText, Prompt, Provider


@dataclass(kw_only=True, eq=False)
class Calls:
    """Calls a provider; the first call opens the connections, and calls may be made in parallel."""

    provider: Provider
    max_tokens: int = 4096  #: the model's thinking included
    max_usd: float = 0.5  #: a call that could cost more is not sent
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)
    _opened: tuple[int, Connection] | None = field(default=None, init=False, repr=False)
    _owner: Calls | None = field(default=None, init=False, repr=False)  # of the connections, for one within a budget
    _budget: SpendingBudget | None = field(default=None, init=False, repr=False)

    def within(self, budget: SpendingBudget) -> Calls:
        """Return a copy over the same connections that pays from ``budget``."""
        bound = copy.copy(self)
        bound._owner, bound._budget = self._owner or self, budget
        return bound

    def close(self) -> None:
        """Close the connections; the next call opens them again."""
        with self._lock:
            opened, self._opened = self._opened, None
        if opened and opened[0] == os.getpid():
            opened[1].close()

    def fields(self, model: str, prompt: Prompt) -> tuple[Json, Cost]:
        """Ask for a JSON object of the prompt's schema; raises BadReply for any other reply."""
        reply, cost = self.ask(model, prompt)
        fields = find_object(reply.text)
        if fields is None:
            why = "was cut off at max_tokens" if reply.end == "cut off" else "is no JSON object"
            raise BadReply(f"The reply of {model} {why}.", cost=cost)
        return fields, cost

    def ask(self, model: str, prompt: Prompt, on_text: OnText | None = None) -> tuple[ModelReply, Cost]:
        """Return the reply with its cost; raises ModelRefused when the model declines, and other ModelErrors."""
        reply, cost = self._pay(model, prompt, on_text)
        if reply.end == "refused":
            why = f" ({reply.refusal})" if reply.refusal else ""
            raise ModelRefused(f"{model} declines to reply{why}: ask in other words.", cost=cost)
        return reply, cost

    def _pay(self, model: str, prompt: Prompt, on_text: OnText | None) -> tuple[ModelReply, Cost]:
        """Send the request if the budget allows it; a failed call counts as free."""
        request = self.provider.request(model, prompt, self.max_tokens)
        most = self._most(model, request)
        paid = Cost()
        if self._budget is not None:
            self._budget.reserve(most)
        try:
            reply = self._api().send(request, prompt, on_text)
            paid = cost_of(model, reply.usage, self.provider.prices)
        finally:
            if self._budget is not None:
                self._budget.settle(most, paid)
        return reply, paid

    def _most(self, model: str, request: Json) -> Cost:
        """Return the most a call can cost; raises OverBudget when that is more than one call may."""
        prompt = json.dumps([request.get("system"), request["messages"]], ensure_ascii=False)
        most = most_it_can_cost(model, prompt, self.max_tokens, self.provider.prices)
        if most.usd > self.max_usd:
            raise OverBudget(
                f"A call to {model} could cost ${most.usd:.3f}, and one call may cost ${self.max_usd:.3f}: "
                "nothing was sent. Raise WELLREAD_MAX_USD_PER_QUESTION or choose a cheaper model."
            )
        return most

    def _api(self) -> Connection:
        """Return this process's connection pool; after a fork the parent keeps its own."""
        if self._owner is not None:
            return self._owner._api()
        with self._lock:
            if self._opened is None or self._opened[0] != os.getpid():
                self._opened = (os.getpid(), self.provider.open())
            return self._opened[1]
