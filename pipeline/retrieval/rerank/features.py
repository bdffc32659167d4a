"""What the learned reranker sees in a hit: six shares, each the better the higher.

Words are weighed by how much they tell among these hits, and stand for each other, as in
:mod:`pipeline.judging.coverage`; what is looked at there in a few hits, kind of sentence and what leads to it, is left
out here, where there are many.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import mul

from domain import Hit
from pipeline.question.answer_type import answer_type_of, rate_fit
from text.rarity import rarity
from text.related_words import find_related
from text.sentences import sentence_spans
from text.terms import content_terms, terms_of

#: the least difference of similarity that counts in full: of two hits, neither is all and the other nothing
_SPREAD = 0.3
#: what a term counts that is part of a longer word or has one as its part (Kostümsammlung, Sammlung); how long both are
_COMPOUND, _COMPOUND_CHARS = 0.6, 5
#: what a word counts in the title
_ABOVE = 0.8
#: how much the kind of thing that a sentence holds moves what its words count
_KIND = 0.3
#: two words of the question stand together when at most this many words apart
_NEAR = 3
#: what remains of a word's weight when every hit holds it
_COMMON = 0.2


@dataclass(frozen=True, kw_only=True)
class Signals:
    """What speaks for one hit among those it was found with, [0, 1] each."""

    bm25: float  #: as a share of the best hit's
    similarity: float  #: from the least similar hit's to the most similar one's
    coverage: float  #: weighted share of the question's words in title and text
    sentence: float  #: the same for the best sentence; more where it holds the kind of thing that is asked for
    nearness: float  #: share of the question's neighbouring words that stand near each other
    title: float  #: weighted share of the question's words in the title


@dataclass(frozen=True, kw_only=True)
class _Words:
    """The words of one hit that stand for a word of the question."""

    title: tuple[float, ...]  #: per term of the question: what the title counts for it
    sentences: tuple[tuple[float, ...], ...]
    texts: tuple[str, ...]  #: the sentences as they stand
    places: tuple[tuple[int, ...], ...]  #: per term of the question: where it stands in the text

    @property
    def held(self) -> tuple[float, ...]:
        """What title and text count for each term."""
        return tuple(map(max, zip(self.title, *self.sentences, strict=True)))


def signals(question: str, hits: Sequence[Hit], *, lang: str) -> list[Signals]:
    """Return what speaks for each of ``hits``, in their order."""
    terms = tuple(content_terms(question, lang))
    found = _words(terms, hits, lang)
    held = [words.held for words in found]
    weights = _weights(terms, held, lang)
    kind = answer_type_of(question)
    most = max((hit.bm25 or 0.0 for hit in hits), default=0.0) or 1.0
    return [
        Signals(
            bm25=(hit.bm25 or 0.0) / most,
            similarity=similarity,
            coverage=_share(weights, each),
            sentence=_best_sentence(words, weights, lambda text: rate_fit(kind, question, text)),
            nearness=_nearness(words.places),
            title=_share(weights, words.title),
        )
        for hit, similarity, words, each in zip(hits, _similarities(hits), found, held, strict=True)
    ]


def _words(terms: Sequence[str], hits: Sequence[Hit], lang: str) -> list[_Words]:
    titles = [terms_of(hit.passage.title, lang) for hit in hits]
    texts = [[(text, terms_of(text, lang)) for text in _sentences(hit.passage.text)] for hit in hits]
    vocabulary = {term for title in titles for term in title}
    vocabulary.update(term for sentences in texts for _, said in sentences for term in said)
    counts = _counts(terms, vocabulary, lang)
    return [
        _Words(
            title=_credits(counts, title, len(terms)),
            sentences=tuple(_credits(counts, said, len(terms)) for _, said in sentences),
            texts=tuple(text for text, _ in sentences),
            places=_places(counts, [term for _, said in sentences for term in said], len(terms)),
        )
        for title, sentences in zip(titles, texts, strict=True)
    ]


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def _counts(terms: Sequence[str], vocabulary: set[str], lang: str) -> dict[str, list[tuple[int, float]]]:
    """Return for each word of ``vocabulary`` the places of the question's terms that it stands for, and how well."""
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


def _weights(terms: Sequence[str], held: Sequence[Sequence[float]], lang: str) -> list[float]:
    """Weigh each term by its rarity in general and among the hits."""
    count = len(held)
    most = math.log1p((count + 0.5) / 0.5)
    weights = []
    for place, term in enumerate(terms):
        by = sum(each[place] for each in held)
        here = math.log1p((count - by + 0.5) / (by + 0.5)) / most
        weights.append(rarity(term, lang) * (_COMMON + (1 - _COMMON) * here))
    return weights


def _share(weights: Sequence[float], credits: Sequence[float]) -> float:
    total = sum(weights)
    return sum(map(mul, weights, credits)) / total if total else 0.0


def _similarities(hits: Sequence[Hit]) -> list[float]:
    """Scale the similarities to [0, 1], the most similar hit's to 1."""
    known = [hit.similarity for hit in hits if hit.similarity is not None]
    most = max(known, default=0.0)
    spread = max(_SPREAD, most - min(known, default=0.0))
    return [0.0 if hit.similarity is None else 1 - (most - hit.similarity) / spread for hit in hits]


def _best_sentence(words: _Words, weights: Sequence[float], fits: Callable[[str], float]) -> float:
    """Return the best sentence's share of the words, its title's among them, moved by how it fits what is asked for."""
    shares = [
        _share(weights, [max(own, _ABOVE * title) for own, title in zip(said, words.title, strict=True)])
        for said in words.sentences
    ]
    best = 0.0
    for share, text in sorted(zip(shares, words.texts, strict=True), reverse=True):
        if share <= best:
            break  # even if it fits entirely
        best = max(best, share * (1 + _KIND * fits(text)) / (1 + _KIND))
    return best


def _nearness(places: Sequence[Sequence[int]]) -> float:
    pairs = list(pairwise(places))
    near = [any(0 < abs(one - other) <= _NEAR for one in first for other in second) for first, second in pairs]
    return sum(near) / len(near) if near else 0.0
