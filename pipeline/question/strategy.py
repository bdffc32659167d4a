"""Choose how much to retrieve and how sure to be for each kind of task: the design document's [TASK_STRATEGIES]."""

import re
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

#: tried in order on word boundaries; only words that hardly ever mean anything else
_SIGNS: tuple[tuple[StrategyName, str], ...] = (
    (
        "debugging",
        r"debug\w*|traceback|stack ?trace|segfault|exceptions?|\w+(?:Error|Exception)"
        r"|crash(?:es|ed|ing)?|fehlermeldung|absturz",
    ),
    ("code_review", r"code review|review (?:this|my|the) (?:code|pull request|patch|diff)|refactor\w*|code smells?"),
    ("testing", r"unit tests?|pytest|unittest|test cases?|mock(?:s|ing)?|test coverage|testfälle?|modultests?"),
    (
        "ml_engineering",
        r"machine learning|neural networks?|fine-?tun\w+|training loss|hyperparameters?|embeddings?"
        r"|pytorch|tensorflow|maschinelles lernen",
    ),
    ("devops", r"deploy\w*|docker\w*|kubernetes|ci/cd|terraform|ansible|helm|systemd|nginx"),
    (
        "architecture",
        r"software architecture|system design|design patterns?|microservices?|monolith"
        r"|softwarearchitektur|entwurfsmuster",
    ),
)
_SIGN_PATTERNS = tuple((task, re.compile(rf"(?<!\w)(?:{signs})(?!\w)", re.IGNORECASE)) for task, signs in _SIGNS)


def strategy_for(question: str, task: str = "") -> RetrievalStrategy:
    """Return the strategy of ``task``, or of the task that the question's words show.

    The explanation strategy is never inferred: only a caller asks for its high threshold. Raises KeyError
    for an unknown task.
    """
    return TASK_STRATEGIES[task or infer_task(question)]


def infer_task(question: str) -> StrategyName:
    """Return the task a question belongs to; "general" unless its words show another."""
    return next((task for task, pattern in _SIGN_PATTERNS if pattern.search(question)), "general")
