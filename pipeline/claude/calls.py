"""Call Claude within the budget, over one pool of connections per process; a refusal is an error."""

from __future__ import annotations

import copy
import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from domain import Cost
from pipeline.claude.prices import PRICES, Price, cost_of, most_it_can_cost
from pipeline.llm import ApiKeyRejected, BadReply, ModelRefused, OverBudget

if TYPE_CHECKING:
    from pipeline.claude.http import MessagesApi, ModelReply, OnText
    from pipeline.llm import SpendingBudget

Block = dict[str, Any]

#: models without the effort setting; the others think before they reply, and need little of that here
_WITHOUT_EFFORT = ("claude-3", "claude-haiku-4", "claude-sonnet-4-5", "claude-sonnet-4-2", "claude-opus-4-1")


@dataclass(kw_only=True, eq=False)
class Calls:
    """Calls the Messages API; the first call opens the connections, and calls may be made in parallel."""

    api_key: str = field(repr=False)
    base_url: str = ""
    max_tokens: int = 4096  #: the model's thinking included
    timeout_s: float = 60.0  #: in which each call ends, retries included
    max_retries: int = 2
    max_usd: float = 0.5  #: a call that could cost more is not sent
    prices: Mapping[str, Price] = field(default_factory=lambda: PRICES, repr=False)  #: model name's prefix → price
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)
    _opened: tuple[int, MessagesApi] | None = field(default=None, init=False, repr=False)
    _owner: Calls | None = field(default=None, init=False, repr=False)  # of the connections, for one within a budget
    _budget: SpendingBudget | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self.api_key = _checked(self.api_key)

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

    def fields(self, model: str, system: list[Block], content: list[Block], schema: Block) -> tuple[Block, Cost]:
        """Ask for a JSON object of ``schema``; raises BadReply for any other reply."""
        reply, cost = self.ask(model, system, content, schema)
        try:
            fields = json.loads(reply.text)
        except ValueError as error:
            why = "was cut off at max_tokens" if reply.stop_reason == "max_tokens" else "is not JSON"
            raise BadReply(f"The reply of {model} {why}.", cost=cost) from error
        if not isinstance(fields, dict):
            raise BadReply(f"The reply of {model} is not a JSON object.", cost=cost)
        return fields, cost

    def ask(
        self,
        model: str,
        system: list[Block],
        content: list[Block],
        schema: Block | None = None,
        on_text: OnText | None = None,
    ) -> tuple[ModelReply, Cost]:
        """Return the reply with its cost; raises ModelRefused when the model declines, and other ModelErrors."""
        request: dict[str, Any] = {
            "model": model,
            "max_tokens": self.max_tokens,
            "system": system,
            "messages": [{"role": "user", "content": content}],
        }
        if config := _output_config(model, schema):
            request["output_config"] = config
        reply, cost = self._pay(model, request, on_text)
        if reply.stop_reason == "refusal":
            why = f" ({reply.refusal})" if reply.refusal else ""
            raise ModelRefused(f"{model} declines to reply{why}: ask in other words.", cost=cost)
        return reply, cost

    def _pay(self, model: str, request: Mapping[str, Any], on_text: OnText | None) -> tuple[ModelReply, Cost]:
        """Send the request if the budget allows it; a failed call counts as free."""
        most = self._most(model, request)
        paid = Cost()
        if self._budget is not None:
            self._budget.reserve(most)
        try:
            reply = self._api().send(request, on_text)
            paid = cost_of(model, reply.usage, self.prices)
        finally:
            if self._budget is not None:
                self._budget.settle(most, paid)
        return reply, paid

    def _most(self, model: str, request: Mapping[str, Any]) -> Cost:
        """Return the most a call can cost; raises OverBudget when that is more than one call may."""
        prompt = json.dumps([request["system"], request["messages"]], ensure_ascii=False)
        most = most_it_can_cost(model, prompt, self.max_tokens, self.prices)
        if most.usd > self.max_usd:
            raise OverBudget(
                f"A call to {model} could cost ${most.usd:.3f}, and one call may cost ${self.max_usd:.3f}: "
                "nothing was sent. Raise WELLREAD_MAX_USD_PER_QUESTION or choose a cheaper model."
            )
        return most

    def _api(self) -> MessagesApi:
        """Return this process's connection pool; after a fork the parent keeps its own."""
        if self._owner is not None:
            return self._owner._api()
        with self._lock:
            if self._opened is None or self._opened[0] != os.getpid():
                from pipeline.claude.http import MessagesApi

                api = MessagesApi(
                    api_key=self.api_key,
                    base_url=self.base_url,
                    timeout_s=self.timeout_s,
                    max_retries=self.max_retries,
                )
                self._opened = (os.getpid(), api)
            return self._opened[1]


def _checked(api_key: str) -> str:
    key = api_key.strip()
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise ApiKeyRejected("Claude's API key is empty or malformed: check WELLREAD_ANTHROPIC_API_KEY.")
    return key


def _output_config(model: str, schema: Block | None) -> Block:
    config: Block = {} if model.startswith(_WITHOUT_EFFORT) else {"effort": "low"}
    return config | ({"format": {"type": "json_schema", "schema": schema}} if schema else {})
