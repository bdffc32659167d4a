"""Turns readers' feedback into training examples: pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipeline.judging.calibration import FEATURES
from pipeline.learning.feedback import JudgedAnswer, RankedHits
from pipeline.learning.reranker import SIGNALS
from store.questions.feedback import LabelledAnswer

#: the composer of "I do not know"
ABSTENTION = "abstention"


def judged(outcomes: Iterable[LabelledAnswer]) -> dict[str, list[JudgedAnswer]]:
    """Return the judge's examples by embedder; equal lookups of a question count once, with the latest feedback.

    A wrong citation means that the hits did not show the answer. A right "I do not know" means that they do not hold
    it; a wrong one teaches the judge nothing, as the answer may be in the hits or nowhere.
    """
    found: dict[str, dict[tuple[object, ...], JudgedAnswer]] = {}
    for outcome in outcomes:
        evidence, embedder = outcome.features.get("evidence") or {}, outcome.features.get("embedder")
        unknown = outcome.features.get("composer") == ABSTENTION
        if not embedder or not evidence.keys() >= set(FEATURES) or (unknown and outcome.verdict != "right"):
            continue
        example = JudgedAnswer(
            question=outcome.question,
            lang=outcome.lang,
            evidence=evidence,
            beside_the_point=bool(evidence.get("beside_the_point")),
            right=outcome.verdict == "right" and not unknown,
        )
        key = (outcome.question, outcome.lang, *(evidence[name] for name in FEATURES))
        found.setdefault(embedder, {}).setdefault(key, example)
    return {embedder: list(examples.values()) for embedder, examples in found.items()}


def ranked(outcomes: Iterable[LabelledAnswer]) -> list[RankedHits]:
    """Return the reranker's examples: a right answer's citations rank above the other hits, wrong ones below."""
    found: dict[tuple[object, ...], RankedHits] = {}
    for outcome in outcomes:
        signals: dict[str, Sequence[float]] = outcome.features.get("signals") or {}
        cited = set(outcome.features.get("cited") or ()) & signals.keys()
        if not cited or outcome.verdict == "wrong" or any(len(values) != len(SIGNALS) for values in signals.values()):
            continue
        right = [(passage in cited) == (outcome.verdict == "right") for passage in signals]
        example = RankedHits(question=outcome.question, signals=list(signals.values()), right=right)
        found.setdefault((outcome.question, *signals), example)
    return list(found.values())
