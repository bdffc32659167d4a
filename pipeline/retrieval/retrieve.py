"""Retrieve hits for one or several queries: search text and vectors at once, fuse, rerank."""

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from domain import Hit, Scope
from pipeline.retrieval.fusion import UNKNOWN_LANGUAGES, fuse_queries, minmax, vector_weight, with_queries
from pipeline.retrieval.rerank import NotReranked, Reranker, order_by_sentence, rerank_learned
from text.terms import content_words

Vectors = NDArray[np.float32]
#: the text leg of the question's own words, the vector leg of them, all queries' rankings fused, and fused reranked
Stage = Literal["bm25", "dense", "fused", "reranked"]
#: is called with the hits of each stage of a retrieval, best first; changes nothing
Observe = Callable[[Stage, Sequence[Hit]], None]


@dataclass(frozen=True, kw_only=True)
class QueryHits:
    """What one query found, before fusion."""

    query: str
    text: int  #: hits by full text
    vectors: int  #: hits by vectors
    hits: int  #: by either, each passage once
    best: tuple[Hit, ...] = ()  #: the first of these
    not_reranked: str = ""  #: of the question: why its reranker did not order the hits


#: hits that each leg gives the fusion: a passage below them in one leg scores 0 there
LEG_DEPTH = 50
#: how many of each query's own hits are kept
OWN_BEST = 5
#: how many fused hits are reranked, at least
RERANKED = 60
#: the language of the encoder that tells sentences apart
_SENTENCES_IN = "en"
#: the weight of the question itself; each variant's is 1
QUESTION_WEIGHT = 2.0
#: rankings → one; first the two legs of each query, then the queries
Fuse = Callable[[Sequence[Sequence[Hit]]], list[Hit]]


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """The fusion and the reranker for the hits of both legs."""

    fuse: Fuse | None = None  #: None: by score (min–max)
    rerank: Reranker | None = None  #: None: the learned one


def ignore(stage: Stage, hits: Sequence[Hit]) -> None:
    """Measure nothing."""


class Search(Protocol):
    """A knowledge base that can be searched."""

    def search_text(self, text: str, *, lang: str, k: int, scope: Scope) -> list[Hit]:
        """Return the k best passages by BM25."""

    def search_vectors(self, vectors: Vectors, *, k: int, scope: Scope) -> list[list[Hit]]:
        """Return the k nearest passages of each row of ``vectors`` (n, dimension)."""

    def similarities(self, vectors: Vectors, ids: Collection[str]) -> dict[str, Vectors]:
        """Return the exact similarity of each named passage to each row of ``vectors``: {id: (n,)}."""

    def sentence_similarities(self, vector: Vectors, ids: Collection[str]) -> dict[str, Vectors]:
        """Return for each named passage the cosines of ``vector`` and its sentences, at least one, its lead's first."""


class Embed(Protocol):
    """An embedder of texts."""

    @property
    def id(self) -> str:
        """Name the embedder; vectors of another are not comparable."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return unit rows (len(texts), dimension)."""


@runtime_checkable
class MultilingualEmbed(Protocol):
    """An embedder that has, for texts of any language, vectors that compare."""

    def embed_in_any_language(self, texts: Sequence[str]) -> Vectors:
        """Return unit rows (len(texts), numbers), in a space of their own."""


def retrieve(
    queries: Sequence[str],
    vectors: Vectors,
    *,
    search: Search,
    pool: Executor,
    k: int,
    scope: Scope,
    lang: str,
    embedder_id: str = "",
    ranking: Ranking = Ranking(),
    observe: Observe = ignore,
) -> tuple[list[Hit], tuple[QueryHits, ...]]:
    """Return the k best hits for ``queries``, of which the first is the question itself, and what each of them found.

    ``vectors`` are the queries', made by ``embedder_id``. Both legs run at once on ``pool``; neither filters the other.
    """
    depth = max(LEG_DEPTH, 2 * k)
    # without "what is the" full text ranks better (R@1 +.01)
    topics = [" ".join(content_words(query, lang)) or query for query in queries]
    searches = [pool.submit(search.search_text, topic, lang=lang, k=depth, scope=scope) for topic in topics]
    by_vector = search.search_vectors(vectors, k=depth, scope=scope)
    by_text = _with_similarities([future.result() for future in searches], by_vector, vectors, search)
    rankings = [
        [hit.ranked(query=query) for hit in _fuse_legs(text, vector, lang, embedder_id, ranking)]
        for query, text, vector in zip(queries, by_text, by_vector, strict=True)
    ]
    fused = _fuse_queries(rankings, ranking)
    observe("bm25", by_text[0])
    observe("dense", by_vector[0])
    observe("fused", fused)
    reranked, why_not = _rerank(queries[0], vectors[0], fused[: max(RERANKED, k)], lang, search, ranking)
    observe("reranked", reranked)
    question, *others = (
        QueryHits(query=query, text=len(text), vectors=len(vector), hits=len(both), best=tuple(both[:OWN_BEST]))
        for query, text, vector, both in zip(queries, by_text, by_vector, rankings, strict=True)
    )
    return reranked[:k], (replace(question, not_reranked=why_not), *others)


def _with_similarities(
    by_text: list[list[Hit]], by_vector: list[list[Hit]], vectors: Vectors, search: Search
) -> list[list[Hit]]:
    """Return the text hits with their exact similarity: those not among the nearest must not count as 0."""
    known = [{hit.passage.id: hit.similarity for hit in hits} for hits in by_vector]
    missing = {hit.passage.id for row, hits in enumerate(by_text) for hit in hits if hit.passage.id not in known[row]}
    exact = search.similarities(vectors, missing) if missing else {}
    for row, near in enumerate(known):
        near.update({id: float(own[row]) for id, own in exact.items() if id not in near})
    return [
        [hit.ranked(similarity=near.get(hit.passage.id)) for hit in hits]
        for hits, near in zip(by_text, known, strict=True)
    ]


def _fuse_legs(
    by_text: Sequence[Hit], by_vector: Sequence[Hit], lang: str, embedder_id: str, ranking: Ranking
) -> list[Hit]:
    if ranking.fuse is not None:
        return ranking.fuse([by_text, by_vector])
    return minmax(by_text, by_vector, weight=lambda hit: vector_weight(embedder_id, lang, hit.passage.lang))


def _fuse_queries(rankings: Sequence[list[Hit]], ranking: Ranking) -> list[Hit]:
    if len(rankings) == 1:
        return rankings[0]
    weights = [QUESTION_WEIGHT] + [1.0] * (len(rankings) - 1)
    return with_queries(ranking.fuse(rankings) if ranking.fuse else fuse_queries(rankings, weights=weights), rankings)


def _rerank(
    question: str, vector: Vectors, hits: Sequence[Hit], lang: str, search: Search, ranking: Ranking
) -> tuple[list[Hit], str]:
    """Return ``hits`` by the reranker, or by the learned one, and why it is not by the one that was chosen.

    The learned one orders English hits by their nearest sentence too.
    """
    why_not = ""
    if ranking.rerank is not None:
        try:
            return ranking.rerank(question, lang, hits), ""
        except NotReranked as error:
            why_not = str(error)
    reranked = rerank_learned(question, lang, hits)
    if lang != _SENTENCES_IN:
        return reranked, why_not
    english = [hit.passage.id for hit in reranked if hit.passage.lang in (_SENTENCES_IN, *UNKNOWN_LANGUAGES)]
    return order_by_sentence(reranked, search.sentence_similarities(vector, english)), why_not
