"""Call a model within the budget and at the service's pace, over one pool of connections per process."""

import copy
import hashlib
import json
import os
import random
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, Self

import structlog

from domain import Cost
from pipeline.llm import BadReply, ModelBusy, ModelError, ModelRefused, ModelUnreachable, OverBudget, SpendingBudget
from pipeline.models.pace import Pace, Times
from pipeline.models.prices import BATCH_SHARE, CHARACTERS_PER_TOKEN, Price, Usage, cost_of, most_it_can_cost
from pipeline.models.provider import Json, ModelReply, OnText, Prompt, find_object

if TYPE_CHECKING:
    from pipeline.models.claude_api import MessagesApi
    from pipeline.models.connection import Connection

log = structlog.get_logger()

#: of a call that fails, the first included
TRIES = 3
#: the longest time a call may wait for its turn and before it is sent again; a thread that waited longer would be idle
WAITS_S = 3.0
#: tokens of a usual reply: counted until the reply says how many they were
REPLY_TOKENS = 500


def request_hash(request: Json) -> str:
    """Return a name for a request: the same for the same body, whatever the order of its fields."""
    body = json.dumps(request, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()


class BatchedReplies(Protocol):
    """The replies of batches to one question's requests."""

    def reply_to(self, request: Json) -> Json | None:
        """Return the reply; None: ask for it now. Raises AwaitsBatch while it is to come."""


class Provider(Protocol):
    """A service that runs models."""

    @property
    def prices(self) -> Mapping[str, Price]:
        """Model name's prefix → price; empty: what calls cost is not known."""

    def request(self, model: str, prompt: Prompt, max_tokens: int) -> Json:
        """Return the body of the request."""

    def open(self) -> "Connection":
        """Open a connection pool."""


@dataclass(kw_only=True, eq=False)
class Calls:
    """Calls a provider; the first call opens the connections, and calls may be made in parallel."""

    provider: Provider = field(repr=False)  #: its address may hold a password
    times: Times = field(default_factory=Times)
    pace: Pace = field(default_factory=Pace)
    max_tokens: int = 4096  #: the model's thinking included
    max_usd: float = 0.5  #: a call that could cost more is not sent
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)
    _opened: "tuple[int, Connection] | None" = field(default=None, init=False, repr=False)
    _owner: "Calls | None" = field(default=None, init=False, repr=False)  # of the connections, for one within a budget
    _budget: SpendingBudget | None = field(default=None, init=False, repr=False)
    _batched: BatchedReplies | None = field(default=None, init=False, repr=False)

    def within(self, budget: SpendingBudget, batched: BatchedReplies | None = None) -> Self:
        """Return a copy over the same connections that pays from ``budget``; ``batched`` replies need no call."""
        bound = copy.copy(self)
        bound._owner, bound._budget, bound._batched = self._owner or self, budget, batched
        return bound

    def batch_api(self) -> "MessagesApi | None":
        """Return what sends batches, if the service takes them."""
        api: Any = self._api()
        return api if api.takes_batches else None

    def cost_of_batched(self, message: Json) -> Cost:
        """Return what a reply of a batch has cost; nothing if it cannot be read."""
        api, usage = self.batch_api(), Usage()
        with suppress(ModelError):
            usage = api.read(message, Prompt(instructions="", texts=())).usage if api else usage
        return cost_of(str(message.get("model", "")), usage, self.provider.prices, share=BATCH_SHARE)

    def warm(self) -> None:
        """Load what calls need and open a connection, without asking anything; a failure is only logged."""
        from pipeline.models.connection import attempt

        try:
            with attempt(self.times):
                self._api().warm()
        except ModelError as error:
            log.warning("model_not_warm", error=str(error))

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
        """Return the reply with its cost; raises ModelRefused when the model declines, and other ModelErrors.

        ``on_text`` follows each attempt from its beginning.
        """
        reply, cost = self._pay(model, prompt, on_text)
        if reply.end == "refused":
            why = f" ({reply.refusal})" if reply.refusal else ""
            raise ModelRefused(f"{model} declines to reply{why}: ask in other words.", cost=cost)
        return reply, cost

    def _pay(self, model: str, prompt: Prompt, on_text: OnText | None) -> tuple[ModelReply, Cost]:
        """Send the request if the budget allows it, unless its reply came in a batch; raises AwaitsBatch before that.

        A failed call costs what was read of its replies.
        """
        max_tokens = int(self.max_tokens * prompt.reply_room)
        request = self.provider.request(model, prompt, max_tokens)
        most = most_it_can_cost(model, _text_of(request), max_tokens, self.provider.prices)
        if most.usd > self.max_usd:
            raise OverBudget(
                f"A call to {model} could cost ${most.usd:.3f}, and one call may cost ${self.max_usd:.3f}: "
                "nothing was sent. Raise WELLREAD_MAX_USD_PER_QUESTION or choose a cheaper model."
            )
        paid, lost = Cost(), list[Cost]()
        if self._budget is not None:
            self._budget.reserve(most)
        try:
            api = self.batch_api() if self._batched else None
            message = self._batched.reply_to(request) if self._batched and api else None
            if api and message:
                reply, share = api.read(message, prompt), BATCH_SHARE
            else:
                reply, share = self._send(model, request, prompt, on_text, lost), 1.0
            paid = cost_of(model, reply.usage, self.provider.prices, share=share)
        except ModelError as error:
            error.cost += sum(lost, start=Cost())
            raise
        finally:
            paid += sum(lost, start=Cost())
            if self._budget is not None:
                self._budget.settle(most, paid)
        return reply, paid

    def _send(self, model: str, request: Json, prompt: Prompt, on_text: OnText | None, lost: list[Cost]) -> ModelReply:
        """Return the reply of the first attempt that has one, within the times; ``lost`` gets what the others cost."""
        from pipeline.models.connection import attempt  # the HTTP client, which the command line needs not

        left_s = self._budget.left_s if self._budget else float("inf")  # no longer than the question has time
        times = Times(first_token_s=min(left_s, self.times.first_token_s), whole_s=min(left_s, self.times.whole_s))
        waits, ends_at = _Waits(self.sleep), time.monotonic() + times.whole_s
        expected = len(_text_of(request)) // CHARACTERS_PER_TOKEN + REPLY_TOKENS
        for tried in range(1, TRIES + 1):
            waits.for_turn(self.pace, model, expected)
            sent_at = time.monotonic()
            with attempt(times, ends_at=ends_at) as current:
                try:
                    reply = self._sent(model, request, prompt, on_text, lost)
                except ModelBusy as error:
                    if error.is_limit:
                        log.warning("model_limited", model=model, retry_after_s=error.retry_after_s)
                        self.pace.slow_down(model, error.retry_after_s, sent_s_ago=time.monotonic() - sent_at)
                    waits.failed(error, tried)
                except ModelUnreachable as error:
                    if current.late:
                        raise
                    waits.failed(error, tried)
                else:
                    self.pace.settle(expected, reply.usage.total)
                    return reply
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _sent(self, model: str, request: Json, prompt: Prompt, on_text: OnText | None, lost: list[Cost]) -> ModelReply:
        """Return the reply of one attempt; raises OverBudget if lost replies leave nothing for it."""
        spent, budget = sum(lost, start=Cost()), self._budget
        if budget and (spent.usd > budget.usd or spent.input_tokens + spent.output_tokens > budget.tokens):
            raise OverBudget(f"A reply of {model} broke off, and the question's limits allow no other.")
        try:
            return self._api().send(request, prompt, on_text)
        except ModelError as error:
            if isinstance(error.usage, Usage):
                lost.append(cost_of(model, error.usage, self.provider.prices))
            raise

    def _api(self) -> "Connection":
        """Return this process's connection pool; after a fork the parent keeps its own."""
        if self._owner is not None:
            return self._owner._api()
        with self._lock:
            if self._opened is None or self._opened[0] != os.getpid():
                self._opened = (os.getpid(), self.provider.open())
            return self._opened[1]


class _Waits:
    """How long a call has waited, and what it waits for."""

    def __init__(self, sleep: Callable[[float], None]) -> None:
        self._sleep = sleep
        self._left_s = WAITS_S
        self._refused: ModelBusy | None = None

    def for_turn(self, pace: Pace, model: str, tokens: int) -> None:
        """Wait until the pace allows the call; raises ModelBusy if that is not soon."""
        while (wait_s := pace.wait_s(model, tokens)) > 0:
            if wait_s > self._left_s:
                busy = self._refused or ModelBusy(f"{model} may be asked again in {wait_s:.0f} s: nothing was sent.")
                busy.was_sent = self._refused is not None
                busy.retry_after_s = max(busy.retry_after_s or 0.0, wait_s)
                raise busy
            self._wait(wait_s)

    def failed(self, error: ModelBusy | ModelUnreachable, tried: int) -> None:
        """Wait before the next try, a broken connection's first one excepted; raises the error if there is none."""
        self._refused = error if isinstance(error, ModelBusy) else None
        if tried == TRIES:
            raise error
        if self._refused and self._refused.is_limit:
            return  # the pace says how long
        asked_s = self._refused.retry_after_s if self._refused else None
        own_s = 0.5 * tried * random.uniform(0.75, 1.0) if self._refused or tried > 1 else 0.0  # noqa: S311 (no secret)
        wait_s = own_s if asked_s is None else asked_s
        if wait_s > self._left_s:
            raise error
        self._wait(wait_s)

    def _wait(self, seconds: float) -> None:
        self._left_s -= seconds
        self._sleep(seconds)


def _text_of(request: Json) -> str:
    return json.dumps([request.get("system"), request["messages"]], ensure_ascii=False)
