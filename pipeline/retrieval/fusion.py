"""Merge rankings of the same passages into one, by score (min–max).

The order of the hits and rankings passed in never matters: equal scores are ordered by passage id.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain

from domain import Hit, Scale

#: hit → the vector leg's weight
WeightOf = Callable[[Hit], float]
#: codes of a language that was not recognised
UNKNOWN_LANGUAGES = frozenset({"", "und"})
#: the vector leg's weight in min–max fusion, by embedder and language ("*": any other); ``evals/fit/rerank.py`` reports
#: other weights. The English encoder knows English only, the multilingual encoder knows it less well.
VECTOR_WEIGHTS: dict[tuple[str, str], float] = {
    ("wellread-en-2-int8", "en"): 0.4,
    ("wellread-en-2-int8", "*"): 0.35,
    ("use-multilingual-v3", "en"): 0.3,
    ("use-multilingual-v3", "*"): 0.45,
    ("wellread-en-2-int8*0.4+use-multilingual-v3+gloss-1", "en"): 0.4,
    ("wellread-en-2-int8*0.4+use-multilingual-v3+gloss-1", "*"): 0.5,
}
#: the same for a passage in another language than the question, which shares little but names with it
ACROSS_LANGUAGES: dict[str, float] = {
    "use-multilingual-v3": 0.9,
    "wellread-en-2-int8*0.4+use-multilingual-v3+gloss-1": 0.8,
}
#: the same for an embedder that was not measured
VECTOR_WEIGHT = 0.4
#: a query counts as finding a hit up to this rank
FOUND_WITHIN = 5


def vector_weight(embedder_id: str, lang: str, passage_lang: str) -> float:
    """Return the vector leg's weight for a question in ``lang`` and a passage in ``passage_lang``, [0, 1]."""
    if lang != passage_lang and embedder_id in ACROSS_LANGUAGES and {lang, passage_lang}.isdisjoint(UNKNOWN_LANGUAGES):
        return ACROSS_LANGUAGES[embedder_id]
    of_any = VECTOR_WEIGHTS.get((embedder_id, "*"), VECTOR_WEIGHT)
    return VECTOR_WEIGHTS.get((embedder_id, lang), of_any)


def minmax(text_hits: Sequence[Hit], vector_hits: Sequence[Hit], *, weight: float | WeightOf = 0.5) -> list[Hit]:
    """Fuse the two legs of one hybrid search: weight · similarity + (1 − weight) · bm25, each scaled to [0, 1].

    A passage that one leg did not find scores 0 there and stays in. Scale of the result: minmax.
    """
    weight_of: WeightOf = weight if callable(weight) else lambda _: weight
    merged = merge([*text_hits, *vector_hits])
    similarities = _scaled({id: hit.similarity for id, hit in merged.items() if hit.similarity is not None})
    bm25s = _scaled({id: hit.bm25 for id, hit in merged.items() if hit.bm25 is not None})
    weights = {id: weight_of(hit) for id, hit in merged.items()}
    scores = {id: weights[id] * similarities.get(id, 0.0) + (1 - weights[id]) * bm25s.get(id, 0.0) for id in merged}
    return rank_by(scores, merged, "minmax")


def fuse_queries(rankings: Sequence[Sequence[Hit]], *, weights: Sequence[float]) -> list[Hit]:
    """Fuse the rankings of several queries into one by the weighted mean of their scores, all of one scale.

    This is where duplicates are removed.
    """
    total = sum(weights)
    shares: dict[str, list[float]] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        for hit in ranking:
            shares.setdefault(hit.passage.id, []).append(weight * hit.score / total)
    scores = {id: sum(sorted(parts)) for id, parts in shares.items()}
    scale: Scale = next((hit.scale for ranking in rankings for hit in ranking), "minmax")
    return rank_by(scores, merge(hit for ranking in rankings for hit in ranking), scale)


def with_queries(hits: Sequence[Hit], rankings: Iterable[Iterable[Hit]]) -> list[Hit]:
    """Return the hits with the queries of the ``rankings`` that found each among their first."""
    found: dict[str, set[str]] = {}
    for hit in chain.from_iterable(rankings):
        if hit.rank <= FOUND_WITHIN:
            found.setdefault(hit.passage.id, set()).add(hit.query)
    return [hit.ranked(found_by=tuple(sorted(found.get(hit.passage.id, ())))) for hit in hits]


def merge(hits: Iterable[Hit]) -> dict[str, Hit]:
    """Return each passage once, with the best of each score and the query that scored best."""
    merged: dict[str, Hit] = {}
    for hit in hits:
        seen = merged.get(hit.passage.id)
        merged[hit.passage.id] = hit if seen is None else _both(seen, hit)
    return merged


def rank_by(scores: Mapping[str, float], hits: Mapping[str, Hit], scale: Scale) -> list[Hit]:
    """Return the hits with their new scores, best first; equal ones by passage id."""
    ordered = sorted(hits, key=lambda id: (-scores[id], id))
    return [hits[id].ranked(score=scores[id], scale=scale, rank=rank) for rank, id in enumerate(ordered, start=1)]


def ranked(hits: Iterable[Hit]) -> list[Hit]:
    """Return the hits in their order, with their ranks in it."""
    return [hit.ranked(rank=rank) for rank, hit in enumerate(hits, start=1)]


def _both(one: Hit, other: Hit) -> Hit:
    best = max(one, other, key=lambda hit: (hit.score, hit.query))
    return best.ranked(similarity=_most(one.similarity, other.similarity), bm25=_most(one.bm25, other.bm25))


def _most(one: float | None, other: float | None) -> float | None:
    if one is None or other is None:
        return other if one is None else one
    return max(one, other)


def _scaled(scores: Mapping[str, float]) -> dict[str, float]:
    """Scale to [0, 1]; where all are equal each is 1."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    if high <= low:
        return dict.fromkeys(scores, 1.0)
    return {id: (score - low) / (high - low) for id, score in scores.items()}
