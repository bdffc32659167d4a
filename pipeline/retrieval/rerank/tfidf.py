"""Reorder hits by the design document's formulas [rerank_search_results]: similarity, TF-IDF cosine and word overlap.

They see the passage's text and nothing of the language. :mod:`pipeline.retrieval.rerank.by_name` chooses the reranker.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from domain import Hit
from text.analyser import words
from text.similarity import jaccard
from text.stopwords import STOP_WORDS

#: (question, its language, hits) → the same hits, best first; their scale is rerank, [0, 1]
Reranker = Callable[[str, str, Sequence[Hit]], list[Hit]]

#: similarity, TF-IDF cosine, Jaccard [_hybrid_rerank]
WEIGHTS = (0.5, 0.3, 0.2)
MAX_FEATURES = 1000


def place(hits: Sequence[Hit], scores: Sequence[float]) -> list[Hit]:
    """Return ``hits`` ordered by their new ``scores``, each with its former rank; equal scores keep their order."""
    ordered = sorted(zip(scores, hits, strict=True), key=lambda pair: -pair[0])
    return [
        replace(hit, score=score, scale="rerank", rank=rank, original_rank=hit.rank)
        for rank, (score, hit) in enumerate(ordered, start=1)
    ]


def rerank_hybrid(question: str, lang: str, hits: Sequence[Hit]) -> list[Hit]:
    """Order ``hits`` by .5 similarity + .3 TF-IDF cosine + .2 Jaccard [_hybrid_rerank]."""
    texts = [hit.passage.text for hit in hits]
    parts = zip(hits, tfidf_cosines(question, texts), keyword_overlap(question, texts), strict=True)
    return place(
        hits,
        [
            WEIGHTS[0] * (hit.similarity or 0.0) + WEIGHTS[1] * cosine + WEIGHTS[2] * overlap
            for hit, cosine, overlap in parts
        ],
    )


def rerank_tfidf(question: str, lang: str, hits: Sequence[Hit]) -> list[Hit]:
    """Order ``hits`` by TF-IDF cosine [_tfidf_rerank]."""
    return place(hits, tfidf_cosines(question, [hit.passage.text for hit in hits]))


def keyword_overlap(query: str, texts: Sequence[str]) -> list[float]:
    """Return the Jaccard similarity of the query's words with each text's [_calculate_keyword_overlap]."""
    wanted = set(words(query))
    return [jaccard(wanted, set(words(text))) for text in texts]


def tfidf_cosines(query: str, texts: Sequence[str]) -> list[float]:
    """Return the TF-IDF cosine of the query with each text [_tfidf_rerank].

    Words and pairs of words without English stop words, the 1,000 most frequent, smoothed idf over query and texts.
    """
    counts = [Counter(_grams(text)) for text in (query, *texts)]
    frequency: Counter[str] = Counter()
    within: Counter[str] = Counter()
    for count in counts:
        frequency.update(count)
        within.update(count.keys())
    # ties by the gram itself, so that the vocabulary does not depend on the texts' order
    vocabulary = sorted(frequency, key=lambda gram: (-frequency[gram], gram))[:MAX_FEATURES]
    idf = {gram: math.log((1 + len(counts)) / (1 + within[gram])) + 1 for gram in vocabulary}
    asked, *rows = [{gram: count[gram] * idf[gram] for gram in count if gram in idf} for count in counts]
    return [_cosine(asked, row) for row in rows]


def _grams(text: str) -> list[str]:
    kept = [word for word in words(text) if word not in STOP_WORDS and len(word) > 1]
    return kept + [f"{one} {two}" for one, two in pairwise(kept)]


def _cosine(one: dict[str, float], other: dict[str, float]) -> float:
    dot = sum(value * other.get(gram, 0.0) for gram, value in one.items())
    norms = math.sqrt(sum(v * v for v in one.values()) * sum(v * v for v in other.values()))
    return dot / norms if norms else 0.0
