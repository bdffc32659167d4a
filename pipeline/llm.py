"""Declare what a language model is given and writes, its failures, and the budget of a question."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Generic, Literal, TypeVar

from domain import Answer, Citation, Cost, Passage
from domain.errors import WellreadError
from domain.options import Length

T = TypeVar("T")

#: receives the answer written so far, again with each further sentence; must not raise
OnAnswer = Callable[[Answer], None]


@dataclass(frozen=True, kw_only=True)
class Priced(Generic[T]):
    """A model's reply with its cost."""

    value: T
    cost: Cost


#: how an answer is best written
Form = Literal["prose", "steps", "list", "table", "code"]


@dataclass(frozen=True, kw_only=True)
class Brief:
    """What a model is to answer, and what it reads for that."""

    question: str
    sections: tuple[Passage, ...]  #: parts of pages, best first; each text is the page's from ``start`` to ``end``
    today: date
    lang: str = ""  #: of the answer, ISO 639-1; "": the question's own
    sites: tuple[str, ...] = ()  #: that the question is bound to
    form: Form = "prose"
    length: Length = "normal"
    notes: tuple[str, ...] = ()  #: our own, for example to join what several pages say
    instructions: str = ""  #: the operator's
    asked_for: str = ""  #: the asker's instructions: data, not to be trusted
    examples: str = ""  #: to be imitated in form and not cited


@dataclass(frozen=True, kw_only=True)
class ModelAnswer:
    """What a model wrote."""

    answer: Answer  #: with citations whose quotes are the pages' own text; ``text`` is empty if nothing can be used
    refused: bool = False  #: whether it says that the sections do not answer the question


@dataclass(frozen=True, kw_only=True)
class Given:
    """A value of a form."""

    path: str  #: its JSON pointer
    text: str
    citation: Citation  #: the quote that says it


class ModelError(WellreadError):
    """The model gave nothing usable; ``cost`` is the money spent all the same."""

    was_sent = True  #: whether the request was
    was_judged = False  #: whether the verdict was given before it
    usage: object = None  #: the ``Usage`` of a reply that was not read to its end

    def __init__(self, message: str, *, cost: Cost | None = None) -> None:
        super().__init__(message)
        self.cost = cost or Cost()


class ApiKeyRejected(ModelError):
    """The API does not accept the key, or the key may not use the model (401, 403): asking again will not help."""


class ModelBusy(ModelError):
    """The API is over its rate limit or overloaded (429, 529, 5xx), retries included: ask again later."""

    def __init__(
        self, message: str, *, cost: Cost | None = None, retry_after_s: float | None = None, is_limit: bool = False
    ) -> None:
        super().__init__(message, cost=cost)
        self.retry_after_s = retry_after_s  #: the wait until the call may be sent, as far as it is known
        self.is_limit = is_limit  #: whether the API asks everybody to slow down (429, 503, 529)


class ModelUnreachable(ModelError):
    """No connection, no reply within the deadline, or a reply that broke off: the network or the API is down."""


class ModelRefused(ModelError):
    """The model declines to reply to this question: asking again in the same words will not help."""


class BadReply(ModelError):
    """The reply has the wrong form, or the API cannot use the request."""


class OverBudget(ModelError):
    """The call could cost more than one call may, or more than the question has left; nothing was sent."""

    was_sent = False


class AwaitsBatch(WellreadError):
    """The request waits for its reply in a batch: look again when it is there. It is no failure of the model."""


class SpendingBudget:
    """The money, tokens and time a question has left for a language model; calls may be made in parallel.

    Each call reserves the most it can cost and returns the rest afterwards, so the sum of all calls stays within the
    budget.
    """

    def __init__(self, *, usd: float, tokens: int, seconds: float = float("inf")) -> None:
        self._usd = usd
        self._tokens = tokens
        self._ends_at = time.monotonic() + seconds
        self._lock = threading.Lock()

    @property
    def usd(self) -> float:
        """US dollars left; never below 0."""
        return max(0.0, self._usd)

    @property
    def tokens(self) -> int:
        """Tokens left, input and output together; never below 0."""
        return max(0, self._tokens)

    @property
    def left_s(self) -> float:
        """Seconds left; never below 0."""
        return max(0.0, self._ends_at - time.monotonic())

    def reserve(self, most: Cost) -> None:
        """Reserve the most a call can cost; raises OverBudget, and reserves nothing, when less is left."""
        tokens = most.input_tokens + most.output_tokens
        if not self.left_s:
            raise OverBudget(f"The question has no time left for a call to {most.model}: nothing was sent.")
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
