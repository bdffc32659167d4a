"""Check whether a quote supports a sentence."""

from __future__ import annotations

from domain import Passage
from text.sentences import sentence_spans
from text.terms import content_terms, terms_of


def best_sentence(claim: str, passage: Passage) -> tuple[int, int] | None:
    """Return the span of the passage's sentence that holds most of the claim's content words; None for none."""
    wanted = content_terms(claim, passage.lang).keys()
    scored = [
        (len(wanted & set(terms_of(passage.text[start:end], passage.lang))), -start, end)
        for start, end in sentence_spans(passage.text)
    ]
    shared, start, end = max(scored, default=(0, 0, 0))
    return (-start, end) if shared else None
