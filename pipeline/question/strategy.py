"""How much to retrieve and how sure to be for each kind of task: the design document's [TASK_STRATEGIES].

Only a caller names the task: words that show one stand in 10 of 1,192 real questions.
"""

from dataclasses import dataclass

from domain.options import StrategyName
from domain.outcome import ANSWERED_FROM


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
