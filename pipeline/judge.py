"""Decide whether hits suffice to answer a question, and say why."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pipeline.question import Analysis
from pipeline.spans import spans_of
from pipeline.terms import content_terms, passage_terms
from store.types import Hit, Verdict

#: (analysis, hits, threshold) → verdict
Judge = Callable[[Analysis, Sequence[Hit], float], Verdict]

#: the design document's rule [rag_quality_threshold]
HIGH_QUALITY, ENOUGH = 0.7, 2


def document_judge(analysis: Analysis, hits: Sequence[Hit], threshold: float = HIGH_QUALITY) -> Verdict:
    """Judge as the design document does: at least two hits of similarity ≥ .7; ``threshold`` plays no part."""
    good = sum(1 for hit in hits if (hit.similarity or 0.0) >= HIGH_QUALITY)
    return Verdict(
        sufficient=good >= ENOUGH,
        confidence=min(1.0, good / ENOUGH),
        reason=f"{good} of {len(hits)} hits have a similarity of at least {HIGH_QUALITY}; {ENOUGH} are needed.",
        judge="document",
    )


def coverage_judge(analysis: Analysis, hits: Sequence[Hit], threshold: float) -> Verdict:
    """Judge by the words of the question that the best passage covers and by its similarity; nothing is fitted."""
    terms = content_terms(analysis.text, analysis.lang)
    if not hits or not terms:
        return Verdict(
            sufficient=False,
            confidence=0.0,
            reason="Nothing was found.",
            missing=tuple(dict.fromkeys(terms.values())),
            judge="coverage",
        )
    found = max(
        (passage_terms(hit.passage, analysis.lang) for hit in hits[:5]), key=lambda found: len(found & terms.keys())
    )
    missing = tuple(dict.fromkeys(word for term, word in terms.items() if term not in found))
    share = 1 - sum(term not in found for term in terms) / len(terms)
    similarity = max((hit.similarity or 0.0) for hit in hits)
    best = max((len(span.terms & terms.keys()) / len(terms) for span in spans_of(hits[:5], analysis.lang)), default=0.0)
    confidence = max(0.0, min(1.0, 0.5 * share + 0.3 * best + 0.5 * similarity - 0.1))
    covered = len(set(terms.values())) - len(missing)
    return Verdict(
        sufficient=confidence >= threshold,
        confidence=confidence,
        reason=f"The best passage covers {covered} of {len(set(terms.values()))} words of the question.",
        missing=missing,
        judge="coverage",
    )
