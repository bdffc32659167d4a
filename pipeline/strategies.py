"""How much a pass looks up and keeps, and how sure it must be: the operator's choice, and a question's own.

For each kind of task it is the design document's [TASK_STRATEGIES]. Only a caller names the task: words that show one
are in 10 of 1,192 real questions.
"""

from dataclasses import dataclass, replace

from domain.options import MAX_K, Overrides, StrategyName
from domain.outcome import ANSWERED_FROM

#: other wordings of a question
DEFAULT_VARIANTS = 3


@dataclass(frozen=True, kw_only=True)
class RetrievalStrategy:
    """The rule that ends retrieval."""

    task: StrategyName
    threshold: float  #: the sufficient confidence, [0, 1]
    min_k: int
    max_k: int


_TABLE: tuple[tuple[StrategyName, float, int, int], ...] = (
    ("debugging", 0.6, 2, 8),
    ("code_review", 0.7, 1, 5),
    ("architecture", 0.5, 2, 8),
    ("explanation", 0.8, 1, 4),
    ("testing", 0.7, 1, 5),
    ("devops", 0.6, 1, 6),
    ("ml_engineering", 0.6, 2, 8),
    ("general", ANSWERED_FROM, 1, 5),
)
TASK_STRATEGIES: dict[str, RetrievalStrategy] = {
    task: RetrievalStrategy(task=task, threshold=threshold, min_k=min_k, max_k=max_k)
    for task, threshold, min_k, max_k in _TABLE
}


def strategy_for(task: str) -> RetrievalStrategy:
    """Return the strategy of a task that the caller names; "": of the general one. Raises KeyError if it is unknown."""
    return TASK_STRATEGIES[task or "general"]


@dataclass(frozen=True, kw_only=True)
class RetrievalLimits:
    """The limits of every pass. A field with the name of a setting takes its value."""

    variants: int = DEFAULT_VARIANTS  #: of phase 2, 2 to 5; 0: it asks in the question's own words alone
    initial_top_k: int | None = None  #: hits of phase 1; None: 5 to 10, by the question and its strategy
    retry_top_k: int = MAX_K  #: the most hits of the later passes, which ask for twice as many as phase 1
    final_top_k: int = 10  #: the most hits that an answer is made from
    threshold: float | None = None  #: the confidence that suffices; None: the strategy's
    strict: bool = False  #: whether what is not sure to answer is not given
    by_strategy: bool = False  #: whether the strategy alone says how many hits phase 1 asks for, as the document does

    def with_overrides(self, own: Overrides) -> "RetrievalLimits":
        """Return the limits of one question that sets some itself."""
        return replace(
            self,
            variants=self.variants if own.variants is None else own.variants,
            final_top_k=MAX_K if own.length == "report" else self.final_top_k,
            initial_top_k=self.initial_top_k if own.top_k is None else own.top_k,
            threshold=self.threshold if own.threshold is None else own.threshold,
            strict=self.strict if own.strict is None else own.strict,
        )

    def strategy(self, strategy: RetrievalStrategy) -> RetrievalStrategy:
        """Return the strategy with the threshold that holds."""
        return strategy if self.threshold is None else replace(strategy, threshold=self.threshold)

    def top_k(self, suggested_k: int, strategy: RetrievalStrategy, *, widened: bool) -> int:
        """Return how many hits a pass asks for.

        A widened pass asks for twice as many, within its limit, and never for fewer.
        """
        usual = strategy.max_k if self.by_strategy else max(suggested_k, strategy.max_k)
        k = self.initial_top_k or usual
        return max(k, min(self.retry_top_k, 2 * k)) if widened else k
