"""Reorder hits by the design document's formulas [rerank_search_results]: TF-IDF cosine, alone or with others, or BM25.

The hits themselves are the corpus. TF-IDF and the hybrid read only the passage's text and ignore its language.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from domain import Hit
from pipeline.retrieval.rerank.learned import Reranker, reorder
from text.analyser import words
from text.terms import content_terms, jaccard, passage_terms

#: similarity, TF-IDF cosine, Jaccard [_hybrid_rerank]
WEIGHTS = (0.5, 0.3, 0.2)
MAX_FEATURES = 1000
#: Robertson's constants as the full-text index has them
K1, B = 1.2, 0.75


def rerank_hybrid(question: str, lang: str, hits: Sequence[Hit]) -> list[Hit]:
    """Order ``hits`` by .5 similarity + .3 TF-IDF cosine + .2 Jaccard [_hybrid_rerank]."""
    texts = [hit.passage.text for hit in hits]
    parts = zip(hits, tfidf_cosines(question, texts), keyword_overlap(question, texts), strict=True)
    return reorder(
        hits,
        [
            WEIGHTS[0] * (hit.similarity or 0.0) + WEIGHTS[1] * cosine + WEIGHTS[2] * overlap
            for hit, cosine, overlap in parts
        ],
    )


def rerank_tfidf(question: str, lang: str, hits: Sequence[Hit]) -> list[Hit]:
    """Order ``hits`` by TF-IDF cosine [_tfidf_rerank]."""
    return reorder(hits, tfidf_cosines(question, [hit.passage.text for hit in hits]))


def rerank_bm25(question: str, lang: str, hits: Sequence[Hit]) -> list[Hit]:
    """Order ``hits`` by BM25 over title and text, as a share of the best one's."""
    terms = list(content_terms(question, lang))
    scores = bm25_scores(terms, [passage_terms(hit.passage, lang) for hit in hits])
    most = max(scores, default=0.0) or 1.0
    return reorder(hits, [score / most for score in scores])


def keyword_overlap(query: str, texts: Sequence[str]) -> list[float]:
    """Return the Jaccard similarity of the query's words with each text's [_calculate_keyword_overlap]."""
    wanted = set(words(query))
    return [jaccard(wanted, set(words(text))) for text in texts]


def tfidf_cosines(query: str, texts: Sequence[str]) -> list[float]:
    """Return the TF-IDF cosine of the query with each text [_tfidf_rerank], 0 where no word is left to compare."""
    from sklearn.feature_extraction.text import TfidfVectorizer  # takes a second, and no other reranker needs it
    from sklearn.metrics.pairwise import cosine_similarity

    vectorizer = TfidfVectorizer(max_features=MAX_FEATURES, stop_words="english", ngram_range=(1, 2))
    if not texts or not any(map(vectorizer.build_analyzer(), (query, *texts))):
        return [0.0] * len(texts)  # scikit-learn raises an error on an empty vocabulary
    vectors = vectorizer.fit_transform((query, *texts))
    return [float(cosine) for cosine in cosine_similarity(vectors[:1], vectors[1:])[0]]


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


def keep_order(question: str, lang: str, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits in the order of the fusion."""
    return list(hits)


#: by the names that the setting takes; "graph" orders by PageRank alone, once names and links have led to more hits
RERANKERS: Mapping[str, Reranker] = {
    "hybrid": rerank_hybrid,
    "tfidf": rerank_tfidf,
    "bm25": rerank_bm25,
    "graph": keep_order,
    "none": keep_order,
}
