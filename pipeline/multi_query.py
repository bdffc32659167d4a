"""Search in three wordings at once in phase 1 [enable_multi_query, _multi_query_retrieve]; off by default.

Data notice: when it is on, the question, cut to 500 characters, goes to the language model's API before anything is
looked up. Leave it off where a question may not leave the machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from domain import Hit, Variant
from pipeline.fallback import Produced
from pipeline.llm import Model, ModelError
from pipeline.question.analysis import Analysis

#: wordings asked of the model besides the question itself
ALTERNATIVES = 2
#: the beginning of the question that the model is sent
MAX_QUESTION_CHARACTERS = 500
MIN_RESULTS, DEFAULT_RESULTS, MAX_RESULTS = 1, 5, 20


def alternatives(analysis: Analysis, model: Model | None) -> Produced[tuple[Variant, ...]]:
    """Ask the model for two other wordings; return none, with a notice, when it fails."""
    if model is None:
        return Produced(value=(), notice="Multi-query needs a language model and none is configured.")
    try:
        priced = model.variants(analysis.text[:MAX_QUESTION_CHARACTERS], count=ALTERNATIVES, lang=analysis.lang)
    except ModelError as error:
        return Produced(value=(), cost=error.cost, notice=f"Multi-query asked the question alone ({error}).")
    return Produced(value=priced.value[:ALTERNATIVES], cost=priced.cost)


def merge_by_title(hits: Iterable[Hit], max_results: int = DEFAULT_RESULTS) -> list[Hit]:
    """Return the most similar hit of each title, the most similar title first, at most ``max_results`` (1–20).

    This is the design document's way to merge the queries' hits; a page without a title counts by its URL. It hides
    all but one passage of a page, so fusion is the default.
    """
    best: dict[str, Hit] = {}
    for hit in sorted(hits, key=lambda hit: (-_similarity(hit), hit.passage.id)):
        best.setdefault(hit.passage.title or hit.passage.url, hit)
    merged = list(best.values())[: min(MAX_RESULTS, max(MIN_RESULTS, max_results))]
    return [
        replace(hit, score=_similarity(hit), scale="similarity", rank=rank) for rank, hit in enumerate(merged, start=1)
    ]


def _similarity(hit: Hit) -> float:
    return hit.similarity or 0.0
