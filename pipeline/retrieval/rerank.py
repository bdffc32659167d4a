"""Reorder hits by a weighted mean of six signals, fitted on questions whose passage is known.

``learned.json`` holds the weights, the sets they were fitted on and their metrics; ``evals/fit/rerank.py`` writes it.
The weights are the same for every language and embedder: each signal is relative to the other hits, and no weight is
negative.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import pairwise
from operator import mul

from domain import Hit
from text.rarity import rarity_among
from text.related_words import find_related
from text.sentences import sentence_spans
from text.terms import content_terms, terms_of

#: the least range of similarities that is scaled to [0, 1]: two hits that are nearly alike score nearly the same
_SPREAD = 0.3
#: what a part of a compound counts for it, and the reverse (Kostümsammlung, Sammlung); the least length of both
_COMPOUND, _COMPOUND_CHARS = 0.6, 5
#: what a word counts in the title
_ABOVE = 0.8
#: the weights were fitted when a sentence that held the kind of thing asked for counted up to 1, and others this much
_SENTENCE = 1 / 1.3
#: two words of the question are near each other when at most this many words apart
_NEAR = 3


@dataclass(frozen=True, kw_only=True)
class Signals:
    """The features of one hit among the others, [0, 1] each."""

    bm25: float  #: share of the best hit's
    similarity: float  #: from the least similar hit's to the most similar one's
    coverage: float  #: weighted share of the question's words in title and text
    sentence: float  #: the same for the best sentence, with what the title counts
    nearness: float  #: share of the question's neighbouring words that are near each other
    title: float  #: weighted share of the question's words in the title


@dataclass(frozen=True, kw_only=True)
class _Words:
    """The weights of a hit's words for the words of the question."""

    title: tuple[float, ...]  #: per term of the question: what the title counts for it
    sentences: tuple[tuple[float, ...], ...]
    places: tuple[tuple[int, ...], ...]  #: per term of the question: its positions in the text

    @property
    def held(self) -> tuple[float, ...]:
        """Return what title and text count for each term."""
        return tuple(map(max, zip(self.title, *self.sentences, strict=True)))


def signals(question: str, hits: Sequence[Hit], *, lang: str) -> list[Signals]:
    """Return the signals of each of ``hits``, in their order."""
    terms = tuple(content_terms(question, lang))
    found = _words(terms, hits, lang)
    held = [words.held for words in found]
    weights = [
        rarity_among(term, lang, sum(each[place] for each in held), len(held)) for place, term in enumerate(terms)
    ]
    most = max((hit.bm25 or 0.0 for hit in hits), default=0.0) or 1.0
    return [
        Signals(
            bm25=(hit.bm25 or 0.0) / most,
            similarity=similarity,
            coverage=_share(weights, each),
            sentence=_best_sentence(words, weights),
            nearness=_nearness(words.places),
            title=_share(weights, words.title),
        )
        for hit, similarity, words, each in zip(hits, _similarities(hits), found, held, strict=True)
    ]


def _words(terms: Sequence[str], hits: Sequence[Hit], lang: str) -> list[_Words]:
    titles = [terms_of(hit.passage.title, lang) for hit in hits]
    texts = [[(text, terms_of(text, lang)) for text in _sentences(hit.passage.text)] for hit in hits]
    vocabulary = {term for title in titles for term in title}
    vocabulary.update(term for sentences in texts for _, words in sentences for term in words)
    counts = _counts(terms, vocabulary, lang)
    return [
        _Words(
            title=_credits(counts, title, len(terms)),
            sentences=tuple(_credits(counts, words, len(terms)) for _, words in sentences),
            places=_places(counts, [term for _, words in sentences for term in words], len(terms)),
        )
        for title, sentences in zip(titles, texts, strict=True)
    ]


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def _counts(terms: Sequence[str], vocabulary: set[str], lang: str) -> dict[str, list[tuple[int, float]]]:
    """Return for each word of ``vocabulary`` which terms of the question, by place, it counts for, and how much."""
    counts: dict[str, list[tuple[int, float]]] = {}
    for place, (term, others) in enumerate(find_related(terms, vocabulary, lang).items()):
        if len(term) >= _COMPOUND_CHARS:
            long = (other for other in vocabulary if len(other) >= _COMPOUND_CHARS)
            parts = {other: _COMPOUND for other in long if term in other or other in term}
            others = parts | others
        for other, count in others.items():
            counts.setdefault(other, []).append((place, count))
    return counts


def _credits(counts: Mapping[str, Sequence[tuple[int, float]]], found: Sequence[str], terms: int) -> tuple[float, ...]:
    """Return what the best of the words ``found`` counts for each term of the question."""
    best = [0.0] * terms
    for word in found:
        for place, count in counts.get(word, ()):
            best[place] = max(best[place], count)
    return tuple(best)


def _places(
    counts: Mapping[str, Sequence[tuple[int, float]]], found: Sequence[str], terms: int
) -> tuple[tuple[int, ...], ...]:
    places: list[list[int]] = [[] for _ in range(terms)]
    for at, word in enumerate(found):
        for place, _ in counts.get(word, ()):
            places[place].append(at)
    return tuple(map(tuple, places))


def _share(weights: Sequence[float], credits: Sequence[float]) -> float:
    total = sum(weights)
    return sum(map(mul, weights, credits)) / total if total else 0.0


def _similarities(hits: Sequence[Hit]) -> list[float]:
    """Scale the similarities to [0, 1], the most similar hit's to 1."""
    known = [hit.similarity for hit in hits if hit.similarity is not None]
    most = max(known, default=0.0)
    spread = max(_SPREAD, most - min(known, default=0.0))
    return [0.0 if hit.similarity is None else 1 - (most - hit.similarity) / spread for hit in hits]


def _best_sentence(words: _Words, weights: Sequence[float]) -> float:
    """Return the best sentence's share of the words, with the title's."""
    shares = (
        _share(weights, [max(own, _ABOVE * title) for own, title in zip(credits, words.title, strict=True)])
        for credits in words.sentences
    )
    return _SENTENCE * max(shares, default=0.0)


def _nearness(places: Sequence[Sequence[int]]) -> float:
    pairs = list(pairwise(places))
    near = [any(0 < abs(one - other) <= _NEAR for one in first for other in second) for first, second in pairs]
    return sum(near) / len(near) if near else 0.0


#: (question, its language, hits) → the same hits, best first; their scale is rerank, [0, 1]
Reranker = Callable[[str, str, Sequence[Hit]], list[Hit]]


def rerank_learned(question: str, lang: str, hits: Sequence[Hit]) -> list[Hit]:
    """Order ``hits`` by the weighted mean of their signals, [0, 1]."""
    return reorder(hits, [weighted_mean(own, weights()) for own in signals(question, hits, lang=lang)])


def reorder(hits: Sequence[Hit], scores: Sequence[float]) -> list[Hit]:
    """Return ``hits`` in the order of their new ``scores``, with their former ranks; equal scores keep their order."""
    ordered = sorted(zip(scores, hits, strict=True), key=lambda pair: -pair[0])
    return [
        replace(hit, score=score, scale="rerank", rank=rank, original_rank=hit.rank)
        for rank, (score, hit) in enumerate(ordered, start=1)
    ]


def weighted_mean(each: Signals, by: Mapping[str, float]) -> float:
    """Return the mean of a hit's signals; the weights sum to 1."""
    return float(sum(weight * getattr(each, name) for name, weight in by.items()))


@cache
def weights() -> Mapping[str, float]:
    """Return the fitted weight of each signal."""
    stored = json.loads(files(__package__).joinpath("learned.json").read_text("utf-8"))
    return {str(name): float(weight) for name, weight in stored["weights"].items()}
