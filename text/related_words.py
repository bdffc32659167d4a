"""Find the words of a text that match a word of a question, and how much of the question they cover.

They are its inflections, derivations and general synonyms.

The groups of synonyms, from the files of the languages, have general words only, no topic's vocabulary. A related word
counts less than the word itself. A word without any related one is taken as misspelled when the text has a word spelled
nearly so.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, cached_property
from itertools import pairwise

from text.languages import language
from text.terms import analyse

#: the weights of a derivation (generation, generator) and a synonym (annual, yearly)
DERIVED, SYNONYM = 0.8, 0.7
#: the weight of a word spelled nearly like the question's (Moncalm, Montcalm), the least length of both, and their
#: least similarity (the share of letters in common)
MISSPELLED = 0.6
_SPELLED_CHARS, _SPELLED_ALIKE = 5, 0.85
#: two forms of a word share at least so many first letters, and at least this share of the longer form
_STEM_CHARS, _STEM_SHARE = 4, 0.6
#: two words of the question are near each other when at most this many words apart
_NEAR = 3


@dataclass(frozen=True)
class Related:
    """The terms of texts that count for the terms of a question."""

    by_term: Mapping[str, Mapping[str, float]]  #: term of the question → those that count for it, with their weights

    @cached_property
    def _counting(self) -> dict[str, list[tuple[str, float]]]:
        """Return each term that counts → the question's terms that it counts for, with its weights."""
        counting: dict[str, list[tuple[str, float]]] = {}
        for term, others in self.by_term.items():
            for other, weight in others.items():
                counting.setdefault(other, []).append((term, weight))
        return counting

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(self._counting)

    def credits(self, terms: Iterable[str], part: float = 1.0) -> dict[str, float]:
        """Return for each term of the question that one of ``terms`` counts for ``part`` of its highest weight."""
        found: dict[str, float] = {}
        for other in self._words.intersection(terms):
            for term, weight in self._counting[other]:
                found[term] = max(found.get(term, 0.0), part * weight)
        return found

    def nearness(self, terms: Sequence[str]) -> float:
        """Return the share of the question's neighbouring terms that are near each other among ``terms``."""
        words, counting = self._words, self._counting
        places: dict[str, list[int]] = {term: [] for term in self.by_term}
        for at, other in [(at, other) for at, other in enumerate(terms) if other in words]:
            for term, _ in counting[other]:
                places[term].append(at)
        near = [
            any(0 < abs(a - b) <= _NEAR for a in places[one] for b in places[other])
            for one, other in pairwise(self.by_term)
        ]
        return sum(near) / len(near) if near else 0.0


def find_related(terms: Collection[str], vocabulary: Collection[str], lang: str) -> dict[str, dict[str, float]]:
    """Return for each term of the question the matching terms of ``vocabulary``, with their weights in (0, 1]."""
    synonyms = _groups(lang, "related", "irregular_verbs")
    # only words with the same beginning can be derivations: few of the vocabulary are compared
    by_start: dict[str, list[str]] = {term[:_STEM_CHARS]: [] for term in terms}
    for other in vocabulary:
        if (start := other[:_STEM_CHARS]) in by_start:
            by_start[start].append(other)
    found: dict[str, dict[str, float]] = {}
    for term in terms:
        same = synonyms.get(term, frozenset())
        near = {*by_start[term[:_STEM_CHARS]], *(other for other in same if other in vocabulary)}
        counts = {other: _counts(term, other, same) for other in near}
        found[term] = {other: count for other, count in counts.items() if count} or _spelled_like(term, vocabulary)
    return found


def most_of(one: Mapping[str, float], other: Mapping[str, float], part: float = 1.0) -> dict[str, float]:
    """Return the larger of the two for each term, ``part`` of the other."""
    most = dict(one)
    for term, value in other.items():
        most[term] = max(most.get(term, 0.0), part * value)
    return most


def share_of(weights: Mapping[str, float], credits: Mapping[str, float]) -> float:
    """Return the weighted share of the question's terms that ``credits`` cover, [0, 1]."""
    total = sum(weights.values())
    return sum(weights[term] * value for term, value in credits.items()) / total if total else 0.0


def _counts(term: str, other: str, synonyms: Collection[str]) -> float:
    if term == other:
        return 1.0
    if _derived(term, other) or other in _groups("en", "irregular_verbs").get(term, ()):
        return DERIVED
    return SYNONYM if other in synonyms else 0.0


def _spelled_like(term: str, vocabulary: Collection[str]) -> dict[str, float]:
    """Return the words with the first letter of ``term`` and nearly its other letters."""
    if len(term) < _SPELLED_CHARS or not term.isalpha():
        return {}
    near = (other for other in vocabulary if other[0] == term[0] and abs(len(other) - len(term)) <= 2)
    alike = (
        other
        for other in near
        if len(other) >= _SPELLED_CHARS and SequenceMatcher(None, term, other, autojunk=False).ratio() >= _SPELLED_ALIKE
    )
    return dict.fromkeys(alike, MISSPELLED)


def _derived(one: str, other: str) -> bool:
    """Return whether two stems belong to one word: generat and generator, pars and parser."""
    if one[:_STEM_CHARS] != other[:_STEM_CHARS] or not (one.isalpha() and other.isalpha()):
        return False
    shared = shared_start(one, other)
    return shared >= _STEM_SHARE * max(len(one), len(other)) and shared >= min(len(one), len(other)) - 2


def shared_start(one: str, other: str) -> int:
    """Return how many characters two texts have in common from their beginning."""
    differing = (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differing, min(len(one), len(other)))


@cache
def _groups(lang: str, *names: str) -> dict[str, frozenset[str]]:
    """Return each term of the groups in some lists of a language, with those of its groups."""
    table: dict[str, frozenset[str]] = {}
    for group in " / ".join(" ".join(getattr(language(lang), name)) for name in names).split("/"):
        terms = frozenset(analyse(group, lang))
        for term in terms:
            table[term] = table.get(term, frozenset()) | terms
    return table
