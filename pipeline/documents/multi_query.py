"""Ask in several wordings, and merge what they find as the design documents do: by rank, by title or by URL.

By default the wordings' hits are fused by score (:mod:`pipeline.retrieval.fusion`), and phase 1 asks only in the
question's own words.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from domain import Hit, Variant
from pipeline.question.analysis import Analysis
from pipeline.question.variants import make_variants
from pipeline.retrieval.fusion import merge, rank_by

#: wordings in phase 1 besides the question
ALTERNATIVES = 2
#: the constant of reciprocal rank fusion in the literature and in the document
RRF_K = 60
#: [max_results]
MIN_RESULTS, DEFAULT_RESULTS, MAX_RESULTS = 1, 5, 20


def alternatives(analysis: Analysis) -> tuple[Variant, ...]:
    """Return two other wordings by rules, for phase 1, where no model is asked for them.

    Data notice: a model is sent the question, cut to 500 characters, before anything is looked up. Leave multi-query
    off if a question may not leave the machine [enable_multi_query, _multi_query_retrieve].
    """
    return make_variants(analysis, ALTERNATIVES)


def rrf(rankings: Iterable[Sequence[Hit]], *, k: int = RRF_K) -> list[Hit]:
    """Fuse rankings by Σ 1/(k + rank), where rank is each hit's own [_rrf_fusion]. Scale of the result: rrf."""
    found = list(chain.from_iterable(rankings))
    parts: dict[str, list[float]] = {}
    for hit in found:
        parts.setdefault(hit.passage.id, []).append(1 / (k + hit.rank))
    # summed in order of size: a float sum depends on the order of its parts
    return rank_by({id: sum(sorted(each)) for id, each in parts.items()}, merge(found), "rrf")


def merge_by_title(hits: Iterable[Hit], max_results: int = DEFAULT_RESULTS) -> list[Hit]:
    """Return the most similar hit of each title, the most similar first, at most ``max_results`` (1 to 20).

    A page without a title counts by its URL [_multi_query_retrieve]. It hides all but one passage of a page.
    """
    by_similarity = sorted(hits, key=lambda hit: (-(hit.similarity or 0.0), hit.passage.id))
    best = _first_of_each(lambda hit: hit.passage.title or hit.passage.url, by_similarity)
    kept = {hit.passage.id: hit for hit in best[: min(MAX_RESULTS, max(MIN_RESULTS, max_results))]}
    return rank_by({id: hit.similarity or 0.0 for id, hit in kept.items()}, kept, "similarity")


def merge_by_url(hits: Sequence[Hit]) -> list[Hit]:
    """Return the best hit of each URL, in their order [keeps highest-scoring version of duplicate URLs]."""
    best = _first_of_each(lambda hit: hit.passage.url, hits)
    return [hit.ranked(rank=rank) for rank, hit in enumerate(best, start=1)]


def _first_of_each(key: Callable[[Hit], str], hits: Iterable[Hit]) -> list[Hit]:
    first: dict[str, Hit] = {}
    for hit in hits:
        first.setdefault(key(hit), hit)
    return list(first.values())
