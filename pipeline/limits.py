"""How much a pass looks up and keeps, and how sure it must be: the operator's choice, and a question's own."""

from dataclasses import dataclass, replace

from domain.options import MAX_K, Overrides
from pipeline.question.analysis import Analysis
from pipeline.question.strategy import RetrievalStrategy
from pipeline.question.variants import DEFAULT_COUNT


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of every pass. A field with the name of a setting takes its value."""

    variants: int = DEFAULT_COUNT  #: of phase 2, 2 to 5; 0: it asks in the question's own words alone
    initial_top_k: int | None = None  #: hits of phase 1; None: 5 to 10, by the question and its strategy
    retry_top_k: int = MAX_K  #: the most hits of the later passes, which ask for twice as many as phase 1
    final_top_k: int = 10  #: the most hits that an answer is made from
    threshold: float | None = None  #: the confidence that suffices; None: the strategy's
    strict: bool = False  #: whether what is not sure to answer is not given
    by_strategy: bool = False  #: whether the strategy alone says how many hits phase 1 asks for, as the document does

    def with_overrides(self, own: Overrides) -> "Limits":
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

    def top_k(self, analysis: Analysis, strategy: RetrievalStrategy, *, widened: bool) -> int:
        """Return how many hits a pass asks for.

        A widened pass asks for twice as many, within its limit, and never for fewer.
        """
        usual = strategy.max_k if self.by_strategy else max(analysis.suggested_k, strategy.max_k)
        k = self.initial_top_k or usual
        return max(k, min(self.retry_top_k, 2 * k)) if widened else k
