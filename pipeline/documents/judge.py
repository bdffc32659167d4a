"""Judge by the design document's rule [rag_quality_threshold]: two hits of a similarity of .7 suffice.

The document's .7 is of another embedder: with the bundled ones hardly a passage that answers is so similar to its
question. So a similarity is first put on the document's scale: ``scale.json`` says for each bundled embedder which of
its similarities counts as .7; ``evals/fit/document_scale.py`` writes it. Another embedder's similarities stay as they
are. The stop rule (:mod:`pipeline.documents.adaptive`) reads similarities on the same scale.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files

from domain import Hit, Verdict
from pipeline.judging.features import gather_evidence
from pipeline.judging.judge import Judge
from pipeline.question.analysis import Analysis

#: [rag_quality_threshold], and the high-quality hits below which the document asks again
HIGH_QUALITY, ENOUGH = 0.7, 2

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
    return partial(_scaled, good)


def document_judge(rule: QualityRule = QualityRule(), similarity: Similarity = plain_similarity) -> Judge:
    """Return the design document's judge: enough hits of high similarity suffice; the threshold is ignored.

    Its confidence is the similarity of the last hit that is needed, so it is at or above the rule's where they suffice.
    """

    def judge(analysis: Analysis, hits: Sequence[Hit], threshold: float) -> Verdict:
        similarities = sorted(map(similarity, hits), reverse=True)
        good = sum(each >= rule.similarity for each in similarities)
        evidence = gather_evidence(analysis, hits)
        return Verdict(
            sufficient=good >= rule.hits,
            confidence=min(1.0, max(0.0, similarities[rule.hits - 1])) if len(similarities) >= rule.hits else 0.0,
            reason=f"{good} of {len(hits)} passages have a similarity of at least {rule.similarity:g}; "
            f"{rule.hits} are needed.",
            missing=evidence.missing if evidence else tuple(dict.fromkeys(analysis.terms.values())),
            judge="document",
        )

    return judge


def _scaled(good: float, hit: Hit) -> float:
    """Return the similarity on the line from 0 over ``good``, which counts as .7, to 1."""
    similarity = plain_similarity(hit)
    if similarity <= good:
        return HIGH_QUALITY * similarity / good
    return HIGH_QUALITY + (1 - HIGH_QUALITY) * (similarity - good) / (1 - good)
