"""Look up a reranker by its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal

from domain import Hit
from pipeline.retrieval.rerank.formulas import Reranker, rerank_bm25, rerank_hybrid, rerank_tfidf
from pipeline.retrieval.rerank.learned import rerank_learned

#: learned: fitted on questions; hybrid, tfidf, bm25: the design document's methods; none: the order of the fusion
RerankerName = Literal["learned", "hybrid", "tfidf", "bm25", "none"]


def reranker_named(name: RerankerName, learned: Mapping[str, float] | None = None) -> Reranker:
    """Return the reranker called ``name``; the learned one with the weights ``learned``, if given."""
    return partial(rerank_learned, by=learned) if name == "learned" and learned else _RERANKERS[name]


def _as_fused(question: str, lang: str, hits: Sequence[Hit]) -> list[Hit]:
    return list(hits)


_RERANKERS: dict[RerankerName, Reranker] = {
    "learned": rerank_learned,
    "hybrid": rerank_hybrid,
    "tfidf": rerank_tfidf,
    "bm25": rerank_bm25,
    "none": _as_fused,
}
