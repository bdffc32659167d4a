"""Choose how many of the hits to keep by the design document's rule [retrieve_adaptive, _compute_confidence].

The rule compares the mean similarity of hits in falling order: that mean never rises, so without entities it stops at
``min_k`` or never. The default is :func:`pipeline.judging.cutoff.cut_off_by_judge`.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean

from domain import Hit
from pipeline.documents.judge import Similarity, plain_similarity
from pipeline.judging.cutoff import Cutoff, Stop, StopReason
from pipeline.judging.judge import Judge
from pipeline.question.analysis import Analysis
from pipeline.question.strategy import RetrievalStrategy
from text.analyser import spaced_words

#: [MIN_SIMILARITY_FLOOR, SIMILARITY_WEIGHT, COVERAGE_WEIGHT]
SIMILARITY_FLOOR = 0.2
SIMILARITY_WEIGHT, COVERAGE_WEIGHT = 0.6, 0.4
#: [DEFAULT_CONFIDENCE_THRESHOLD, DEFAULT_MIN_K, DEFAULT_MAX_K]
DEFAULT_THRESHOLD, DEFAULT_MIN_K, DEFAULT_MAX_K = 0.7, 1, 8


def document_stop(floor: float = SIMILARITY_FLOOR, similarity: Similarity = plain_similarity) -> Stop:
    """Return the document's rule; the hits that it keeps stay in the order of the reranker."""

    def stop(analysis: Analysis, hits: Sequence[Hit], *, strategy: RetrievalStrategy, judge: Judge, k: int) -> Cutoff:
        cutoff = cut_off_by_document(
            hits,
            min_k=strategy.min_k,
            max_k=k,
            threshold=strategy.threshold,
            entities=analysis.entities,
            floor=floor,
            similarity=similarity,
        )
        kept = {hit.passage.id for hit in cutoff.hits}
        return replace(cutoff, hits=_ranked([hit for hit in hits if hit.passage.id in kept]))

    return stop


def cut_off_by_document(
    hits: Sequence[Hit],
    *,
    min_k: int = DEFAULT_MIN_K,
    max_k: int = DEFAULT_MAX_K,
    threshold: float = DEFAULT_THRESHOLD,
    entities: Sequence[str] = (),
    floor: float = SIMILARITY_FLOOR,
    similarity: Similarity = plain_similarity,
) -> Cutoff:
    """Keep the most similar hits, the best first, until their confidence reaches the threshold [retrieve_adaptive].

    Hits below the similarity ``floor``, or without a similarity, are dropped.
    """
    near = sorted(hits, key=lambda hit: (-similarity(hit), hit.passage.id))
    near = [hit for hit in near if similarity(hit) >= floor]
    kept, confidence = partial(_cutoff, len(hits)), 0.0
    for count in range(1, len(near) + 1):
        confidence = compute_confidence(near[:count], entities, similarity)
        if confidence >= threshold and count >= min_k:
            return kept(near[:count], confidence, "threshold")
        if count >= max_k:
            return kept(near[:count], confidence, "max_k")
    return kept(near, confidence, "exhausted" if near else "no_results")


def compute_confidence(
    hits: Sequence[Hit], entities: Sequence[str] = (), similarity: Similarity = plain_similarity
) -> float:
    """Return the mean similarity, with entities .6 of it + .4 of their coverage [_compute_confidence]; 0: no hits."""
    if not hits:
        return 0.0
    mean = fmean(map(similarity, hits))
    return SIMILARITY_WEIGHT * mean + COVERAGE_WEIGHT * entity_coverage(hits, entities) if entities else mean


def entity_coverage(hits: Sequence[Hit], entities: Sequence[str]) -> float:
    """Return the share of the entities that the hits' texts name, as whole words; 0 if there are no entities."""
    text = "".join(spaced_words(hit.passage.text) for hit in hits)
    named = sum(bool(spelled := spaced_words(entity).strip()) and f" {spelled} " in text for entity in entities)
    return named / len(entities) if entities else 0.0


def _cutoff(found: int, hits: Sequence[Hit], confidence: float, reason: StopReason) -> Cutoff:
    return Cutoff(hits=_ranked(hits), confidence=confidence, stop_reason=reason, found=found)


def _ranked(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, start=1))
