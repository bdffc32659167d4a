"""What a question is about, as search terms: its words without those that carry no topic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pipeline.stopwords import empty_words
from store.analyser import analyse, words
from store.types import Passage

_EDGES = "\"'“”„«»‹›()[]{}<>.,;:!?¿¡…。？！、`*"


def content_words(text: str, lang: str) -> list[str]:
    """Give the words of ``text`` as they are written, without stop words, question words and punctuation."""
    empty = empty_words(lang)
    tokens = (token.strip(_EDGES) for token in text.split())
    return [token for token in tokens if (parts := words(token)) and not empty.issuperset(parts)]


def content_terms(text: str, lang: str) -> dict[str, str]:
    """Give each search term of ``text`` that carries a topic, with the word it was written as, in order."""
    terms: dict[str, str] = {}
    for word in content_words(text, lang):
        for term in analyse(word, lang):
            terms.setdefault(term, word)
    if terms:
        return terms
    return {term: word for word in text.split() for term in analyse(word, lang)}


def passage_terms(passage: Passage, lang: str) -> set[str]:
    """Give the terms of a passage and its title, analysed as the question's language is, so that the two compare."""
    return set(analyse(f"{passage.title}\n{passage.text}", lang))


def coverage(terms: Iterable[str], found: set[str], weights: Mapping[str, float]) -> float:
    """Give the weighted share of ``terms`` that stand in ``found``, [0, 1]; 0 for no terms."""
    total = covered = 0.0
    for term in terms:
        weight = weights.get(term, 1.0)
        total += weight
        covered += weight * (term in found)
    return covered / total if total else 0.0
