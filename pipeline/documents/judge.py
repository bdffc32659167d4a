"""Judge by the design document's rule [rag_quality_threshold]: two hits of a similarity of .7 suffice.

The document's .7 is of another embedder: with the bundled ones hardly a passage that answers is so similar to its
question. So a similarity is first put on the document's scale: ``scale.json`` says for each bundled embedder which of
its similarities counts as .7; ``evals/fit/document_scale.py`` writes it. Another embedder's similarities stay as they
are.

The document's stop rule [retrieve_adaptive, _compute_confidence] reads similarities on the same scale. It compares the
mean similarity of hits in falling order: that mean never rises, so without entities it stops at ``min_k`` or never. The
defaults are in :mod:`pipeline.judging.judge`.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from statistics import fmean

from domain import Hit, Verdict
from pipeline.judging.calibration import features_of
from pipeline.judging.evidence import Evidence
from pipeline.judging.judge import Cutoff, Judge, Stop, StopReason
from pipeline.retrieval.fusion import ranked
from pipeline.strategies import RetrievalStrategy
from text.terms import spaced_words

#: [rag_quality_threshold], and the high-quality hits below which the document asks again
HIGH_QUALITY, ENOUGH = 0.7, 2
#: [MIN_SIMILARITY_FLOOR, SIMILARITY_WEIGHT, COVERAGE_WEIGHT]
SIMILARITY_FLOOR = 0.2
SIMILARITY_WEIGHT, COVERAGE_WEIGHT = 0.6, 0.4
#: [DEFAULT_CONFIDENCE_THRESHOLD, DEFAULT_MIN_K, DEFAULT_MAX_K]
DEFAULT_THRESHOLD, DEFAULT_MIN_K, DEFAULT_MAX_K = 0.7, 1, 8

#: hit → its similarity on the document's scale; 0 without one
Similarity = Callable[[Hit], float]


@dataclass(frozen=True, kw_only=True)
class QualityRule:
    """The design document's rule: so many hits of such a similarity suffice."""

    similarity: float = HIGH_QUALITY
    hits: int = ENOUGH


def plain_similarity(hit: Hit) -> float:
    """Return the hit's similarity as it is."""
    return hit.similarity or 0.0


def similarity_of(embedder_id: str) -> Similarity:
    """Return how a hit's similarity by this embedder reads on the document's scale."""
    scales = json.loads(files(__package__).joinpath("scale.json").read_text("utf-8"))["scales"]
    good = next((float(each["similarity"]) for each in scales if each["embedder"] == embedder_id), HIGH_QUALITY)

    def scaled(hit: Hit) -> float:
        """Return the similarity on the line from 0 over ``good``, which counts as .7, to 1."""
        similarity = plain_similarity(hit)
        if similarity <= good:
            return HIGH_QUALITY * similarity / good
        return HIGH_QUALITY + (1 - HIGH_QUALITY) * (similarity - good) / (1 - good)

    return scaled


def document_judge(rule: QualityRule = QualityRule(), similarity: Similarity = plain_similarity) -> Judge:
    """Return the design document's judge: enough hits of high similarity suffice; the threshold is ignored.

    Its confidence is the similarity of the last hit that is needed, so it is at or above the rule's where they suffice.
    """

    def judge(evidence: Evidence, threshold: float) -> Verdict:
        similarities = sorted(map(similarity, evidence.hits), reverse=True)
        good = sum(each >= rule.similarity for each in similarities)
        features = features_of(evidence)
        return Verdict(
            sufficient=good >= rule.hits,
            confidence=min(1.0, max(0.0, similarities[rule.hits - 1])) if len(similarities) >= rule.hits else 0.0,
            reason=f"{good} of {len(similarities)} passages have a similarity of at least {rule.similarity:g}; "
            f"{rule.hits} are needed.",
            missing=features.missing if features else tuple(dict.fromkeys(evidence.analysis.terms.values())),
            judge="document",
        )

    return judge


def document_stop(floor: float = SIMILARITY_FLOOR, similarity: Similarity = plain_similarity) -> Stop:
    """Return the document's rule; the hits that it keeps stay in the order of the reranker."""

    def stop(evidence: Evidence, *, strategy: RetrievalStrategy, judge: Judge, k: int) -> Cutoff:
        cutoff = cut_off_by_document(
            evidence.hits,
            min_k=strategy.min_k,
            max_k=k,
            threshold=strategy.threshold,
            entities=evidence.analysis.entities,
            floor=floor,
            similarity=similarity,
        )
        kept = {hit.passage.id for hit in cutoff.hits}
        return replace(cutoff, hits=tuple(ranked(hit for hit in evidence.hits if hit.passage.id in kept)))

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
    reason: StopReason = "exhausted" if near else "no_results"
    confidence, count = 0.0, 0
    for count in range(1, len(near) + 1):
        confidence = compute_confidence(near[:count], entities, similarity)
        if confidence >= threshold and count >= min_k:
            reason = "threshold"
            break
        if count >= max_k:
            reason = "max_k"
            break
    return Cutoff(hits=tuple(ranked(near[:count])), confidence=confidence, stop_reason=reason, found=len(hits))


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
