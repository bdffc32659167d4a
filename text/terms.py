"""Find the search terms of a text, with or without the words that carry no topic."""

from collections.abc import Set
from functools import lru_cache

from domain import Passage
from text.analyser import analyse, words
from text.stopwords import stop_words

_EDGES = "\"'“”„«»‹›()[]{}<>.,;:!?¿¡…。？！、`*"


def content_words(text: str, lang: str) -> list[str]:
    """Return the words of ``text`` as written, without stop words, question words and punctuation."""
    empty = stop_words(lang)
    tokens = (token.strip(_EDGES) for token in text.split())
    return [token for token in tokens if (parts := words(token)) and not empty.issuperset(parts)]


def content_terms(text: str, lang: str) -> dict[str, str]:
    """Return each search term of ``text`` that carries a topic, with the word it was written as, in order."""
    terms: dict[str, str] = {}
    for word in content_words(text, lang):
        for term in analyse(word, lang):
            terms.setdefault(term, word)
    if terms:
        return terms
    return {term: word for word in text.split() for term in analyse(word, lang)}


@lru_cache(maxsize=4096)
def terms_of(text: str, lang: str) -> tuple[str, ...]:
    """Return the search terms of a sentence or title in order; cached, since the passes of a question repeat texts.

    ``lang`` is the question's language, so that both have comparable terms.
    """
    return tuple(analyse(text, lang))


def passage_terms(passage: Passage, lang: str) -> tuple[str, ...]:
    """Return the search terms of a passage's title and text."""
    return terms_of(passage.title, lang) + terms_of(passage.text, lang)


def jaccard(one: Set[str], other: Set[str]) -> float:
    """Return |intersection| / |union|; 0 for two empty sets."""
    union = one | other
    return len(one & other) / len(union) if union else 0.0
