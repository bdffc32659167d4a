"""Reorder hits by what was learned from questions whose passage is known: a weighted mean of six signals.

The weights stand in ``learned.json``, with what they were fitted on and how well they do;
``evals/fit/rerank.py`` writes it. They are the same for every language and embedder: each signal is relative to the
hits it is compared with, and none may count against its meaning.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, replace
from functools import cache
from importlib.resources import files

from domain import Hit
from pipeline.retrieval.rerank.features import Signals, signals
from pipeline.retrieval.rerank.tfidf import reorder


def rerank_learned(
    question: str, lang: str, hits: Sequence[Hit], *, by: Mapping[str, float] | None = None
) -> list[Hit]:
    """Order ``hits`` by the mean of their signals with the weights ``by``, or the shipped ones, [0, 1].

    Each hit keeps its signals, for whoever learns from them.
    """
    seen = signals(question, hits, lang=lang)
    kept = [replace(hit, signals=astuple(each)) for hit, each in zip(hits, seen, strict=True)]
    return reorder(kept, [weighted_mean(each, by or weights()) for each in seen])


def weighted_mean(each: Signals, by: Mapping[str, float]) -> float:
    """Return the mean of a hit's signals; the weights sum to 1."""
    return float(sum(weight * getattr(each, name) for name, weight in by.items()))


@cache
def weights() -> Mapping[str, float]:
    """Return the fitted weight of each signal."""
    stored = json.loads(files(__package__).joinpath("learned.json").read_text("utf-8"))
    return {str(name): float(weight) for name, weight in stored["weights"].items()}
