"""Score how relevant a URL is to a question: BM25 over its anchors, its path and its context.

Pure and quick: only words that may match a term of the question are analysed, each once. A score is relative to that
of a perfect anchor, so that links of different sites compare: [0, about 1.3].
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from statistics import fmean, quantiles
from typing import Final

from text.terms import analyse, fold, stop_words

#: weight of a term of the question, and of one that only another query has
QUESTION_WEIGHT: Final = 1.0
QUERY_WEIGHT: Final = 0.4
#: weight of a word that contains a term of the question, as ``tempfile`` contains ``file``
INSIDE_WEIGHT: Final = 0.3
MIN_INSIDE: Final = 4  #: letters; shorter terms are in other words by chance

_K1: Final = 1.2
_B: Final = 0.75
_FIELD_WEIGHTS: Final = {"anchor": 1.0, "path": 0.9, "context": 0.25}
_COVERAGE: Final = 0.3  #: bonus for a single anchor that covers the whole question
_PREFIX: Final = 3
#: factor of a term's weight for each page read whose anchor has it, and the least it can become
_READ: Final = 0.8
_LEAST_NEW: Final = 0.4

#: maps an analysed term to a weight in (0, 1]
Rarity = Callable[[str], float]
#: returns the similarity of each text to the question, [-1, 1]
Similarity = Callable[[Sequence[str]], Sequence[float]]
#: links whose texts are embedded for one ranking: those that share most words with the question, then in page order
MOST_LINKS: Final = 256
MOST_ANCHORS: Final = 6  #: of one link
_CONTEXT_CHARS: Final = 200
#: of a link's nearness, its nearest anchor and the mean of its three nearest: a page of several matching sections
_NEAREST: Final = 0.7
_NEAREST_THREE: Final = 0.5


@dataclass
class LinkWords:
    """The words that links to a URL have."""

    anchors: dict[str, None] = field(default_factory=dict)  #: each once, in order
    path: str = ""
    contexts: dict[str, None] = field(default_factory=dict)
    is_read: bool = False  #: the page was read: it is not ranked, and its terms count less for others


def relevance(
    documents: Sequence[LinkWords],
    *,
    question: str,
    queries: Sequence[str],
    lang: str,
    rarity: Rarity = lambda term: 1.0,
) -> list[float]:
    """Score each URL's words against the question; 0 if they share none.

    ``rarity`` weighs a term by its rarity in the language, in (0, 1]: a site may have a common word only once. A term
    of the question counts less the more pages about it were read: the others are still to be found.
    """
    weights = dict.fromkeys(_terms(" ".join(queries), lang), QUERY_WEIGHT)
    weights |= dict.fromkeys(_terms(question, lang), QUESTION_WEIGHT)
    wanted = {term: weight * rarity(term) for term, weight in weights.items()}
    if not wanted or not documents:
        return [0.0] * len(documents)
    matcher = _Matcher(wanted, lang)
    counted = [_count(document, matcher) for document in documents]
    read = Counter(
        term for counts, of in zip(counted, documents, strict=True) if of.is_read for term in counts.best_anchor
    )
    wanted = {term: weight * max(_LEAST_NEW, _READ ** read[term]) for term, weight in wanted.items()}
    holders = Counter(term for each in counted for term in set().union(*(terms for terms, _ in each.fields.values())))
    odds_against = {term: (len(counted) - holders[term] + 0.5) / (holders[term] + 0.5) for term in wanted}
    idf = {term: math.log(1 + odds) for term, odds in odds_against.items()}
    ideal = sum(weight * idf[term] for term, weight in wanted.items())
    lengths = {name: max(1.0, fmean(counts.fields[name][1] for counts in counted)) for name in _FIELD_WEIGHTS}
    return [_score(counts, wanted, idf, lengths) / ideal for counts in counted]


def _terms(text: str, lang: str) -> list[str]:
    empty = stop_words(lang) | stop_words("en") | stop_words("de")  # the language may be wrong
    words = " ".join(word for word in fold(text).split() if word.strip("?!.,;:\"'()") not in empty)
    return analyse(words, lang)


@dataclass(frozen=True)
class _Counts:
    """Of each field of one URL the counts of the wanted terms, and its length in words."""

    fields: Mapping[str, tuple[Mapping[str, float], int]]
    best_anchor: frozenset[str]  #: the terms of the anchor that has most


class _Matcher(dict[str, tuple[tuple[str, float], ...]]):
    """Maps a word to its wanted terms with their weights; analyses each word once."""

    def __init__(self, wanted: Iterable[str], lang: str) -> None:
        super().__init__()
        self._wanted = frozenset(wanted)
        self._inside = [term for term in self._wanted if len(term) >= MIN_INSIDE]
        self._lang = lang
        starts = sorted({re.escape(term[:_PREFIX]) for term in self._wanted})
        self._may_match = re.compile("|".join(starts)).search

    def __missing__(self, word: str) -> tuple[tuple[str, float], ...]:
        found = self[word] = self._match(word) if self._may_match(fold(word)) else ()
        return found

    def _match(self, word: str) -> tuple[tuple[str, float], ...]:
        terms = set(analyse(word, self._lang))
        found = dict.fromkeys(terms & self._wanted, 1.0)
        whole = terms | {fold(word)}  # a stem may have lost the end of the word that contains the term
        for wanted in self._inside:
            if wanted not in found and any(term.startswith(wanted) or term.endswith(wanted) for term in whole):
                found[wanted] = INSIDE_WEIGHT
        return tuple(found.items())


def _count(document: LinkWords, matcher: _Matcher) -> _Counts:
    anchors = (frozenset(_tally([anchor], matcher)[0]) for anchor in document.anchors)
    texts = {"anchor": document.anchors, "path": [document.path], "context": document.contexts}
    return _Counts(
        fields={name: _tally(some, matcher) for name, some in texts.items()},
        best_anchor=max(anchors, key=len, default=frozenset[str]()),
    )


def _tally(texts: Iterable[str], matcher: _Matcher) -> tuple[dict[str, float], int]:
    terms: defaultdict[str, float] = defaultdict(float)
    words = " ".join(texts).split()
    for matches in filter(None, map(matcher.__getitem__, words)):
        for term, count in matches:
            terms[term] += count
    return terms, len(words)


def _score(
    counts: _Counts, wanted: Mapping[str, float], idf: Mapping[str, float], mean_lengths: Mapping[str, float]
) -> float:
    frequency: defaultdict[str, float] = defaultdict(float)
    for name, weight in _FIELD_WEIGHTS.items():
        terms, length = counts.fields[name]
        norm = 1 - _B + _B * length / mean_lengths[name]
        for term, count in terms.items():
            frequency[term] += weight * count / norm
    saturated = sum(wanted[term] * idf[term] * tf * (_K1 + 1) / (_K1 + tf) for term, tf in frequency.items())
    covered = sum(wanted[term] * idf[term] for term in counts.best_anchor)
    return saturated / (_K1 + 1) + _COVERAGE * covered


def nearness(documents: Sequence[LinkWords], by_words: Sequence[float], similarity: Similarity) -> list[float]:
    """Return how much nearer in meaning each link is to the question than nine in ten; 0 for most links.

    All links of a manual are a little near to a question about it. ``by_words`` has the links' scores by words, which
    choose the links to be embedded.
    """
    chosen = sorted(range(len(documents)), key=lambda at: -by_words[at])[:MOST_LINKS]
    # of a link without anchors, the words of its path
    named = {at: list(islice(filter(None, documents[at].anchors), MOST_ANCHORS)) for at in chosen}
    anchors = {at: some or list(filter(None, [documents[at].path])) for at, some in named.items()}
    contexts = {at: [next(iter(documents[at].contexts), "")[:_CONTEXT_CHARS]] for at in chosen}
    texts = list(dict.fromkeys(text for of in (anchors, contexts) for some in of.values() for text in some if text))
    similar = dict(zip(texts, similarity(texts), strict=True)) if texts else {}
    near = {at: _near([similar[text] for text in anchors[at]], similar.get(contexts[at][0], 0.0)) for at in chosen}
    usual = quantiles(near.values(), n=10, method="inclusive")[-1] if len(near) > 1 else sum(near.values())
    return [max(0.0, near.get(at, 0.0) - usual) for at in range(len(documents))]


def _near(anchors: Sequence[float], context: float) -> float:
    best = sorted(anchors, reverse=True)[:3]
    return max(_NEAREST * best[0] + _NEAREST_THREE * sum(best) / 3, context) if best else context
