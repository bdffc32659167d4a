"""Merge and reorder hits by the design documents' formulas.

* Reranking [rerank_search_results]: TF-IDF cosine, alone or with others, or BM25. The hits themselves are the corpus.
  TF-IDF and the hybrid read only the passage's text and ignore its language.
* Asking in several wordings, and merging what they find by rank, by title or by URL. By default the wordings' hits are
  fused by score (:mod:`pipeline.retrieval.fusion`), and phase 1 asks only in the question's own words.
* PageRank over the links and the names between hits [GraphReranker]. The document names the method, and gives no
  formula. This is personalised PageRank: a walk over links and names from hit to hit restarts, one time in seven, at a
  hit chosen by its score. Without an edge the order stays.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

import numpy as np

from domain import Hit
from domain.errors import WellreadError
from pipeline.enhancements import Enhancement
from pipeline.retrieval.fusion import merge, rank_by, ranked
from pipeline.retrieval.multi_hop import LinkGraph
from pipeline.retrieval.rerank import Reranker, reorder
from text.terms import content_terms, jaccard, passage_terms, words

#: rerankers that need scikit-learn, a quarter of the size of all else that is installed
BY_TFIDF = frozenset({"hybrid", "tfidf"})
#: similarity, TF-IDF cosine, Jaccard [_hybrid_rerank]
WEIGHTS = (0.5, 0.3, 0.2)
MAX_FEATURES = 1000
#: Robertson's constants as the full-text index has them
K1, B = 1.2, 0.75
#: the constant of reciprocal rank fusion in the literature and in the document
RRF_K = 60
#: [max_results]
MIN_RESULTS, DEFAULT_RESULTS, MAX_RESULTS = 1, 5, 20
#: probability of following an edge instead of restarting; PageRank's own
DAMPING = 0.85
#: iterations; the share of the start after them is below a thousandth
_ROUNDS = 50

#: from and to, as places among the hits
Edge = tuple[int, int]


class RerankerNotInstalled(WellreadError):
    """A reranker needs a package that is not installed."""

    def __init__(self, name: str) -> None:
        how = "pip install '.[documents]' in a checkout, or set WELLREAD_RERANKER=learned"
        super().__init__(f"The reranker {name!r} needs scikit-learn: {how}.")


def rerank_hybrid(question: str, lang: str, hits: Sequence[Hit]) -> list[Hit]:
    """Order ``hits`` by .5 similarity + .3 TF-IDF cosine + .2 Jaccard [_hybrid_rerank]."""
    texts, weights = [hit.passage.text for hit in hits], WEIGHTS
    parts = zip(hits, tfidf_cosines(question, texts), keyword_jaccard(question, texts), strict=True)
    return reorder(
        hits,
        [weights[0] * (hit.similarity or 0.0) + weights[1] * tfidf + weights[2] * words for hit, tfidf, words in parts],
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


def keyword_jaccard(query: str, texts: Sequence[str]) -> list[float]:
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


def rrf(rankings: Iterable[Sequence[Hit]], *, k: int = RRF_K) -> list[Hit]:
    """Fuse rankings by Σ 1/(k + rank), where rank is each hit's own [_rrf_fusion]. Scale of the result: rrf."""
    found = list(chain.from_iterable(rankings))
    parts: dict[str, list[float]] = {}
    for hit in found:
        parts.setdefault(hit.passage.id, []).append(1 / (k + hit.rank))
    # summed in order of size: a float sum depends on the order of its parts
    return rank_by({id: sum(sorted(each)) for id, each in parts.items()}, merge(found), "rrf")


def merge_queries(hits: list[Hit], enabled: frozenset[Enhancement], k: int, *, widened: bool) -> list[Hit]:
    """Merge several queries' hits by URL or by title, if that is on, as multi-query does in phase 1."""
    is_by_title = "by_title" in enabled or ("multi_query" in enabled and not widened)
    if "by_url" in enabled and not is_by_title:
        return merge_by_url(hits)
    return merge_by_title(hits, k) if is_by_title else hits


def merge_by_title(hits: Iterable[Hit], max_results: int = DEFAULT_RESULTS) -> list[Hit]:
    """Return the most similar hit of each title, the most similar first, at most ``max_results`` (1 to 20).

    A page without a title counts by its URL [_multi_query_retrieve]. It hides all but one passage of a page.
    """
    best: dict[str, Hit] = {}
    for hit in sorted(hits, key=lambda hit: (-(hit.similarity or 0.0), hit.passage.id)):
        best.setdefault(hit.passage.title or hit.passage.url, hit)
    kept = {hit.passage.id: hit for hit in [*best.values()][: min(MAX_RESULTS, max(MIN_RESULTS, max_results))]}
    return rank_by({id: hit.similarity or 0.0 for id, hit in kept.items()}, kept, "similarity")


def merge_by_url(hits: Sequence[Hit]) -> list[Hit]:
    """Return the best hit of each URL, in their order [keeps highest-scoring version of duplicate URLs]."""
    best = {hit.passage.url: hit for hit in reversed(hits)}
    return ranked(best[url] for url in dict.fromkeys(hit.passage.url for hit in hits))


def rerank_graph(hits: Sequence[Hit], edges: Collection[Edge]) -> list[Hit]:
    """Order ``hits`` by their PageRank as a share of the best one's; equal ones keep their order."""
    ranks = page_rank([max(0.0, hit.score) for hit in hits], edges)
    best = max(ranks, default=1.0) or 1.0
    return reorder(hits, [rank / best for rank in ranks])


def page_rank(starts: Sequence[float], edges: Collection[Edge]) -> list[float]:
    """Return the share of time spent at each place, Σ = 1: r = (1 − d)·s + d·Mr, with s the starts' shares and d .85.

    A place without an outgoing edge leads back to the starts.
    """
    if not starts:
        return []
    total = sum(starts)
    start = np.array(starts) / total if total else np.full(len(starts), 1 / len(starts))
    follow = np.zeros((len(starts), len(starts)))
    for source, target in set(edges):
        if source != target:
            follow[target, source] = 1.0
    outgoing = follow.sum(axis=0)
    follow = np.where(outgoing > 0, follow / np.maximum(outgoing, 1.0), start[:, None])
    ranks = start
    for _ in range(_ROUNDS):
        ranks = (1 - DAMPING) * start + DAMPING * follow @ ranks
    return [float(rank) for rank in ranks]


def edges_among(hits: Sequence[Hit], graph: LinkGraph) -> list[Edge]:
    """Return the edges between hits: one names the page of the other, or their pages are linked."""
    mentioned = graph.mentioned_in([hit.passage.id for hit in hits])
    linked = set(graph.links_between({hit.passage.url for hit in hits}))
    return [
        (source, target)
        for source, one in enumerate(hits)
        for target, other in enumerate(hits)
        if (one.passage.url, other.passage.url) in linked
        or any(other.passage.page_id in named.pages for named in mentioned.get(one.passage.id, ()))
    ]
