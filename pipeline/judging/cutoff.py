"""Choose how many of the hits to keep: by the design document's rule [retrieve_adaptive], or by the judge.

Both rules take the hits of one search, best first, and stop at the first hits that suffice.

The document's rule compares the mean similarity of hits in falling order: that mean never rises, so without entities it
stops at ``min_k`` or never. The default asks the judge for its confidence in the first hits; it stops only where the
remaining hits add nothing to that confidence and no kept hit names the page of a remaining one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import fmean
from typing import Literal

from domain import Hit, Verdict
from pipeline.judging.judge import Judge
from pipeline.question.analysis import Analysis
from pipeline.question.strategy import RetrievalStrategy
from text.analyser import spaced_words

#: [MIN_SIMILARITY_FLOOR, SIMILARITY_WEIGHT, COVERAGE_WEIGHT]
SIMILARITY_FLOOR = 0.2
SIMILARITY_WEIGHT, COVERAGE_WEIGHT = 0.6, 0.4
#: [DEFAULT_CONFIDENCE_THRESHOLD, DEFAULT_MIN_K, DEFAULT_MAX_K]
DEFAULT_THRESHOLD, DEFAULT_MIN_K, DEFAULT_MAX_K = 0.7, 1, 8
#: least confidence at which the default stops: with the threshold alone, 1 question in 100 lost its answering passage
SURE = 0.9
#: confidence that the remaining hits may add at most
NO_GAIN = 0.02
#: hits the default keeps in any case
ALWAYS_KEPT = 3
#: how often the judge is asked about the first hits, about 2 ms each time, and how many hits each time adds
TRIES, STRIDE = 2, 2

StopRule = Literal["judge", "document", "max_k"]
#: threshold: sure enough; max_k: the most that are allowed; exhausted: the knowledge base has no more hits;
#: no_gain: sure enough, and the remaining hits add nothing; no_results: there are no hits
StopReason = Literal["threshold", "max_k", "no_results", "exhausted", "no_gain"]


@dataclass(frozen=True, kw_only=True)
class Cutoff:
    """The hits that are kept, and why no more are [results + metadata]."""

    hits: tuple[Hit, ...] = field(repr=False)
    confidence: float  #: by the rule itself, in the kept hits
    stop_reason: StopReason
    found: int  #: hits there were to choose from

    @property
    def chunks_retrieved(self) -> int:
        """Return how many are kept."""
        return len(self.hits)


def cut_off(
    stop: StopRule,
    analysis: Analysis,
    hits: Sequence[Hit],
    *,
    strategy: RetrievalStrategy,
    judge: Judge,
    k: int,
    similarity_floor: float = SIMILARITY_FLOOR,
) -> Cutoff:
    """Keep as many ``hits`` as the rule ``stop`` says; ``k`` is how many were asked for."""
    if stop == "document":
        return cut_off_by_document(
            hits,
            min_k=strategy.min_k,
            max_k=k,
            threshold=strategy.threshold,
            entities=analysis.entities,
            floor=similarity_floor,
        )
    if stop == "judge":
        return cut_off_by_judge(analysis, hits, strategy=strategy, judge=judge, k=k)
    return _keep_all(hits, judge(analysis, hits, strategy.threshold).confidence, k)


def cut_off_by_document(
    hits: Sequence[Hit],
    *,
    min_k: int = DEFAULT_MIN_K,
    max_k: int = DEFAULT_MAX_K,
    threshold: float = DEFAULT_THRESHOLD,
    entities: Sequence[str] = (),
    floor: float = SIMILARITY_FLOOR,
) -> Cutoff:
    """Keep the most similar hits until their confidence reaches the threshold [retrieve_adaptive].

    Hits below the similarity ``floor``, or without a similarity, are dropped.
    """
    near = [hit for hit in hits if (hit.similarity or 0.0) >= floor]
    near.sort(key=lambda hit: (-(hit.similarity or 0.0), hit.passage.id))
    near = [replace(hit, rank=rank) for rank, hit in enumerate(near, start=1)]
    kept, confidence = partial(_cutoff, hits), 0.0
    for count in range(1, len(near) + 1):
        confidence = compute_confidence(near[:count], entities)
        if confidence >= threshold and count >= min_k:
            return kept(near[:count], confidence, "threshold")
        if count >= max_k:
            return kept(near[:count], confidence, "max_k")
    return kept(near, confidence, "exhausted" if near else "no_results")


def compute_confidence(hits: Sequence[Hit], entities: Sequence[str] = ()) -> float:
    """Return the mean similarity, with entities .6 of it + .4 of their coverage [_compute_confidence]; 0: no hits."""
    if not hits:
        return 0.0
    similarity = fmean(hit.similarity or 0.0 for hit in hits)
    if not entities:
        return similarity
    return SIMILARITY_WEIGHT * similarity + COVERAGE_WEIGHT * entity_coverage(hits, entities)


def entity_coverage(hits: Sequence[Hit], entities: Sequence[str]) -> float:
    """Return the share of the entities that the hits' texts name, as whole words; 0 where there are no entities."""
    text = "".join(spaced_words(hit.passage.text) for hit in hits)
    named = sum(bool(spelled := spaced_words(entity).strip()) and f" {spelled} " in text for entity in entities)
    return named / len(entities) if entities else 0.0


def cut_off_by_judge(
    analysis: Analysis, hits: Sequence[Hit], *, strategy: RetrievalStrategy, judge: Judge, k: int
) -> Cutoff:
    """Keep the first hits that make the judge about as sure as all of them do.

    Hits that do not suffice together are all kept: each may matter to a second look or to a model.
    """
    verdict = judge(analysis, hits, strategy.threshold)
    if not verdict.sufficient:
        return _keep_all(hits, verdict.confidence, k)
    sure = max(SURE, strategy.threshold)
    least = max(ALWAYS_KEPT, strategy.min_k, _last_named(hits))
    for count in range(least, min(len(hits), least + TRIES * STRIDE), STRIDE):
        confidence = judge(analysis, hits[:count], strategy.threshold).confidence
        if confidence >= sure and verdict.confidence - confidence <= NO_GAIN:
            return _cutoff(
                hits, hits[:count], confidence, "threshold" if confidence >= verdict.confidence else "no_gain"
            )
    return _keep_all(hits, verdict.confidence, k)


def remember_verdicts(judge: Judge) -> Judge:
    """Return the judge with a memory of its verdicts, for one question and one threshold."""
    known: dict[tuple[str, ...], Verdict] = {}

    def judged(analysis: Analysis, hits: Sequence[Hit], threshold: float) -> Verdict:
        key = tuple(hit.passage.id for hit in hits)
        if key not in known:
            known[key] = judge(analysis, hits, threshold)
        return known[key]

    return judged


def _last_named(hits: Sequence[Hit]) -> int:
    """Return the rank of the last hit whose page a better hit names; 0: none."""
    titles = [spaced_words(hit.passage.title.partition(" (")[0]) for hit in hits]
    texts = [spaced_words(hit.passage.text) for hit in hits]
    for at in range(len(hits) - 1, 0, -1):
        if titles[at].strip() and any(titles[at] in texts[b] and titles[at] != titles[b] for b in range(at)):
            return at + 1
    return 0


def _keep_all(hits: Sequence[Hit], confidence: float, k: int) -> Cutoff:
    return _cutoff(hits, hits, confidence, "no_results" if not hits else "max_k" if len(hits) >= k else "exhausted")


def _cutoff(found: Sequence[Hit], hits: Sequence[Hit], confidence: float, reason: StopReason) -> Cutoff:
    return Cutoff(hits=tuple(hits), confidence=confidence, stop_reason=reason, found=len(found))
