"""Reorder hits by a weighted mean of six signals, fitted on questions whose passage is known.

``learned.json`` holds the weights, the sets they were fitted on and their metrics; ``evals/fit/rerank.py`` writes it.
The weights are the same for every language and embedder: each signal is relative to the other hits, and no weight is
negative.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from importlib.resources import files
from itertools import chain
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from domain import Hit
from domain.errors import WellreadError
from text.related_words import Related, find_related, most_of, share_of
from text.sentences import sentence_spans
from text.terms import content_terms, rarity_among, terms_of

#: (question, its language, hits) → the same hits, best first; their scale is rerank, [0, 1]
Reranker = Callable[[str, str, Sequence[Hit]], list[Hit]]


class NotReranked(WellreadError):
    """A reranker that is asked elsewhere gave no order; the message says why."""


#: the least range of similarities that is scaled to [0, 1]: two hits that are nearly alike score nearly the same
_SPREAD = 0.3
#: what a part of a compound counts for it, and the reverse (Kostümsammlung, Sammlung); the least length of both
_COMPOUND, _COMPOUND_CHARS = 0.6, 5
#: what a word counts in the title
_ABOVE = 0.8
#: the weight of the nearest sentence's cosine besides the score: chosen on four manuals, where the passage that answers
#: is among the first eight .86 of the time, without it .78; on another manual it comes first .79, without it .61
_NEAREST_SENTENCE = 2.0
#: the weights were fitted when a sentence that held the kind of thing asked for counted up to 1, and others this much
_SENTENCE = 1 / 1.3


@dataclass(frozen=True, kw_only=True)
class Signals:
    """The features of one hit among the others, [0, 1] each."""

    bm25: float  #: share of the best hit's
    similarity: float  #: from the least similar hit's to the most similar one's
    coverage: float  #: weighted share of the question's words in title and text
    sentence: float  #: the same for the best sentence, with what the title counts
    nearness: float  #: share of the question's neighbouring words that are near each other
    title: float  #: weighted share of the question's words in the title


def signals(question: str, hits: Sequence[Hit], *, lang: str) -> list[Signals]:
    """Return the signals of each of ``hits``, in their order.

    Words are weighed by their rarity among these hits, and related words count, as in the judge's evidence. The kinds
    of sentences and their context are left out: there are many hits here.
    """
    terms = tuple(content_terms(question, lang))
    titles = [terms_of(hit.passage.title, lang) for hit in hits]
    texts = [
        [terms_of(text[start:end], lang) for start, end in sentence_spans(text)]
        for text in (hit.passage.text for hit in hits)
    ]
    vocabulary = set[str]().union(*titles, *chain.from_iterable(texts))
    related = _with_compounds(terms, vocabulary, lang)
    of_titles = [related.credits(title) for title in titles]
    # a sentence that holds none of the question's words counts as one without words
    of_texts = [[{}, *filter(None, map(related.credits, sentences))] for sentences in texts]
    held = [reduce(most_of, of_text, of_title) for of_title, of_text in zip(of_titles, of_texts, strict=True)]
    weights = {term: rarity_among(term, lang, sum(each.get(term, 0.0) for each in held), len(held)) for term in terms}
    most = max((hit.bm25 or 0.0 for hit in hits), default=0.0) or 1.0
    similarities = _similarities(hits)
    return [
        Signals(
            bm25=(hit.bm25 or 0.0) / most,
            similarity=similarities[at],
            coverage=share_of(weights, held[at]),
            sentence=_SENTENCE * max(share_of(weights, most_of(own, of_titles[at], _ABOVE)) for own in of_texts[at]),
            nearness=related.nearness([term for words in texts[at] for term in words]),
            title=share_of(weights, of_titles[at]),
        )
        for at, hit in enumerate(hits)
    ]


def _with_compounds(terms: Sequence[str], vocabulary: set[str], lang: str) -> Related:
    """Return for each term of the question the words of ``vocabulary`` that count for it, parts of compounds too."""
    long = [other for other in vocabulary if len(other) >= _COMPOUND_CHARS]
    compounds = {
        term: {other: _COMPOUND for other in long if term in other or other in term} | others
        if len(term) >= _COMPOUND_CHARS
        else others
        for term, others in find_related(terms, vocabulary, lang).items()
    }
    return Related(compounds)


def _similarities(hits: Sequence[Hit]) -> list[float]:
    """Scale the similarities to [0, 1], the most similar hit's to 1."""
    known = [hit.similarity for hit in hits if hit.similarity is not None]
    most = max(known, default=0.0)
    spread = max(_SPREAD, most - min(known, default=0.0))
    return [0.0 if hit.similarity is None else 1 - (most - hit.similarity) / spread for hit in hits]


def rerank_learned(question: str, lang: str, hits: Sequence[Hit]) -> list[Hit]:
    """Order ``hits`` by the weighted mean of their signals, [0, 1]."""
    return reorder(hits, [weighted_mean(own, weights()) for own in signals(question, hits, lang=lang)])


def order_by_sentence(hits: Sequence[Hit], cosines: Mapping[str, NDArray[np.float32]]) -> list[Hit]:
    """Return ``hits`` by the weighted mean of their score and the cosine of their nearest sentence, [0, 1].

    A hit without a cosine counts as the mean of the others: nothing is known of it. Without any, nothing changes.
    """
    if not cosines:
        return list(hits)
    nearest = {id: float(own.max()) for id, own in cosines.items()}
    mean = fmean(nearest.values())
    scores = {
        hit.passage.id: (hit.score + _NEAREST_SENTENCE * max(0.0, nearest.get(hit.passage.id, mean)))
        / (1 + _NEAREST_SENTENCE)
        for hit in hits
    }
    ordered = sorted(hits, key=lambda hit: -scores[hit.passage.id])
    return [
        hit.ranked(score=scores[hit.passage.id], rank=rank, sentence_cosines=tuple(cosines.get(hit.passage.id, ())))
        for rank, hit in enumerate(ordered, start=1)
    ]


def reorder(hits: Sequence[Hit], scores: Sequence[float]) -> list[Hit]:
    """Return ``hits`` in the order of their new ``scores``, with their former ranks; equal scores keep their order."""
    ordered = sorted(zip(scores, hits, strict=True), key=lambda pair: -pair[0])
    return [
        hit.ranked(score=score, scale="rerank", rank=rank, original_rank=hit.rank)
        for rank, (score, hit) in enumerate(ordered, start=1)
    ]


def weighted_mean(each: Signals, by: Mapping[str, float]) -> float:
    """Return the mean of a hit's signals; the weights sum to 1."""
    return float(sum(weight * getattr(each, name) for name, weight in by.items()))


def relevance_of(answers: float | None, similarity: float) -> float:
    """Return how well a text answers a query, [0, 1], by the reader's logit (None: it was not read) and the cosine.

    Of 15 passages near each of 150 questions of four sets, the first right one has the mean reciprocal rank .94 by this
    mean, in which the cosine counts twice; .93 where it counts once, .92 by the cosine and .91 by the reader alone.
    """
    cosine = min(1.0, max(0.0, similarity))
    return cosine if answers is None else (1 / (1 + math.exp(-answers)) + 2 * cosine) / 3


@cache
def weights() -> Mapping[str, float]:
    """Return the fitted weight of each signal."""
    stored = json.loads(files(__package__).joinpath("learned.json").read_text("utf-8"))
    return {str(name): float(weight) for name, weight in stored["weights"].items()}
