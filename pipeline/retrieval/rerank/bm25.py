"""Reorder hits by Okapi BM25 [rerank_search_results, "bm25"]: the hits themselves are the corpus.

Every hit gets a score for the question itself, also one that only a variant or the vector leg found. Among so few texts
"the" and "is" may look rare: the question's words without a topic are left out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from domain import Hit
from pipeline.retrieval.rerank.tfidf import reorder
from text.terms import content_terms, terms_of

#: Robertson's constants as the full-text index has them
K1, B = 1.2, 0.75


def rerank_bm25(question: str, lang: str, hits: Sequence[Hit]) -> list[Hit]:
    """Order ``hits`` by BM25 over title and text, as a share of the best one's."""
    scores = bm25_scores(
        list(content_terms(question, lang)),
        [terms_of(hit.passage.title, lang) + terms_of(hit.passage.text, lang) for hit in hits],
    )
    most = max(scores, default=0.0) or 1.0
    return reorder(hits, [score / most for score in scores])


def bm25_scores(query: Sequence[str], texts: Sequence[Sequence[str]]) -> list[float]:
    """Return each text's BM25 for ``query``, both as terms: Σ idf · tf (k1 + 1) / (tf + k1 (1 − b + b length / mean)).

    idf is ln(1 + (N − n + .5) / (n + .5)), which is never negative.
    """
    counts = [Counter(text) for text in texts]
    lengths = [len(text) for text in texts]
    mean = sum(lengths) / len(lengths) if any(lengths) else 1.0
    within = {term: sum(term in count for count in counts) for term in query}
    idf = {term: math.log(1 + (len(texts) - n + 0.5) / (n + 0.5)) for term, n in within.items()}
    return [
        sum(
            idf[term] * count[term] * (K1 + 1) / (count[term] + K1 * (1 - B + B * length / mean))
            for term in idf
            if count[term]
        )
        for count, length in zip(counts, lengths, strict=True)
    ]
