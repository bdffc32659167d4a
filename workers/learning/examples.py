"""What readers said of answers, as examples to learn from: pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipeline.judging.calibration import FEATURES
from pipeline.learning.feedback import JudgedAnswer, RankedHits
from pipeline.learning.reranker import SIGNALS
from store.questions.feedback import LabelledAnswer

#: what says "I do not know"
ABSTENTION = "abstention"


def judged(outcomes: Iterable[LabelledAnswer]) -> dict[str, list[JudgedAnswer]]:
    """The examples for the judge by embedder; equal looks at one question count once, as what was said of them last.

    A wrong citation means that what was found did not show the answer. "I do not know" is right where the hits do not
    hold the answer; where it is wrong, the answer may stand in them or nowhere, which teaches the judge nothing.
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
    """The examples for the reranker: a right answer's citations above the other hits, a wrong citation below them."""
    found: dict[tuple[object, ...], RankedHits] = {}
    for outcome in outcomes:
        signals: dict[str, Sequence[float]] = outcome.features.get("signals") or {}
        cited = set(outcome.features.get("cited") or ()) & signals.keys()
        if not cited or outcome.verdict == "wrong" or any(len(each) != len(SIGNALS) for each in signals.values()):
            continue
        right = [(passage in cited) == (outcome.verdict == "right") for passage in signals]
        example = RankedHits(question=outcome.question, signals=list(signals.values()), right=right)
        found.setdefault((outcome.question, *signals), example)
    return list(found.values())
