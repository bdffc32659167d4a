"""Reorder hits by a weighted mean of six signals, fitted on questions whose passage is known.

``learned.json`` holds the weights, the sets they were fitted on and their metrics; ``evals/fit/rerank.py`` writes it.
The weights are the same for every language and embedder: each signal is relative to the other hits, and no weight is
negative.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files

from domain import Hit
from pipeline.retrieval.rerank.features import Signals, signals

#: (question, its language, hits) → the same hits, best first; their scale is rerank, [0, 1]
Reranker = Callable[[str, str, Sequence[Hit]], list[Hit]]


def rerank_learned(question: str, lang: str, hits: Sequence[Hit]) -> list[Hit]:
    """Order ``hits`` by the weighted mean of their signals, [0, 1]."""
    return reorder(hits, [weighted_mean(own, weights()) for own in signals(question, hits, lang=lang)])


def reorder(hits: Sequence[Hit], scores: Sequence[float]) -> list[Hit]:
    """Return ``hits`` in the order of their new ``scores``, with their former ranks; equal scores keep their order."""
    ordered = sorted(zip(scores, hits, strict=True), key=lambda pair: -pair[0])
    return [
        replace(hit, score=score, scale="rerank", rank=rank, original_rank=hit.rank)
        for rank, (score, hit) in enumerate(ordered, start=1)
    ]


def weighted_mean(each: Signals, by: Mapping[str, float]) -> float:
    """Return the mean of a hit's signals; the weights sum to 1."""
    return float(sum(weight * getattr(each, name) for name, weight in by.items()))


@cache
def weights() -> Mapping[str, float]:
    """Return the fitted weight of each signal."""
    stored = json.loads(files(__package__).joinpath("learned.json").read_text("utf-8"))
    return {str(name): float(weight) for name, weight in stored["weights"].items()}
