"""What a language model is asked for: variants of a question, a verdict on its hits, and a composed answer.

The rooms know this Protocol and its errors only, never whose model it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from domain import Answer, Cost, Fact, Hit, Variant, Verdict
from domain.errors import WellreadError

Value = TypeVar("Value")

#: hears an answer as far as it is written, again with every sentence more; it must not raise
Tell = Callable[[Answer], None]


@dataclass(frozen=True, kw_only=True)
class Priced(Generic[Value]):
    """What a model replied, and what the reply cost."""

    value: Value
    cost: Cost


class Spending(Protocol):
    """What a question may still spend on a language model."""

    def reserve(self, most: Cost) -> None:
        """Take out the most a call can cost; raises OverBudget, and takes nothing, where there is not as much."""

    def settle(self, most: Cost, paid: Cost) -> None:
        """Put back what was reserved for a call that cost ``paid``."""


class Model(Protocol):
    """A language model; every method raises ``ModelError`` and nothing else, and may be called from any thread."""

    @property
    def name(self) -> str:
        """The name of the model that composes, as ``Answer.composer`` shows it."""

    def variants(self, question: str, *, count: int, lang: str) -> Priced[tuple[Variant, ...]]:
        """Return up to ``count`` other wordings of ``question`` in ``lang`` (ISO 639-1; empty or "und": its own)."""

    def verdict(self, question: str, hits: Sequence[Hit]) -> Priced[Verdict]:
        """Judge whether ``hits`` answer ``question``."""

    def facts(self, hits: Sequence[Hit]) -> Priced[tuple[Fact, ...]]:
        """List what the passages of one page state, each with its span in the page's text."""

    def compose(
        self,
        question: str,
        hits: Sequence[Hit],
        *,
        lang: str = "",
        notes: Sequence[str] = (),
        examples: str = "",
        tell: Tell | None = None,
    ) -> Answer:
        """Write the answer to ``question`` from ``hits`` alone, in ``lang`` (empty: the question's own).

        ``notes`` are instructions of the operator's, never page text; ``examples`` are data, to be imitated in form
        and not cited. While it is written ``tell`` hears the sentences that are complete and supported. Nothing
        supported: ``text`` is empty and ``confidence`` 0. The cost is in the answer.
        """

    def within(self, budget: Spending) -> Model:
        """Return the same model, which pays from ``budget`` and raises ``OverBudget`` for what that does not hold."""


class ModelError(WellreadError):
    """The model gave nothing usable; ``cost`` is what was spent on it all the same."""

    def __init__(self, message: str, *, cost: Cost | None = None) -> None:
        super().__init__(message)
        self.cost = cost or Cost()


class ApiKeyRejected(ModelError):
    """The API does not accept the key, or the key may not use the model (401, 403): asking again will not help."""


class ModelBusy(ModelError):
    """The API is over its rate limit or overloaded (429, 529, 5xx), retries included: ask again later."""

    def __init__(self, message: str, *, cost: Cost | None = None, retry_after_s: float | None = None) -> None:
        super().__init__(message, cost=cost)
        self.retry_after_s = retry_after_s  #: what the API asked to wait, where it said so


class ModelUnreachable(ModelError):
    """No connection, no reply within the deadline, or a reply that broke off: the network or the API is down."""


class ModelRefused(ModelError):
    """The model declines to reply to this question: asking again in the same words will not help."""


class BadReply(ModelError):
    """The reply, or the API's reading of the request, is not what was asked for."""


class OverBudget(ModelError):
    """The call could cost more than it may, or than is left for the question; nothing was sent."""
