"""Find the search terms of a text, with or without the words that carry no topic, and weigh them by rarity."""

import json
import math
from collections.abc import Set
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from domain import Passage
from text.analyser import analyse, fold, words
from text.languages import LANGUAGES, language

#: the English list of the design documents
STOP_WORDS: Final = frozenset(language("en").stop_words)
_EDGES = "\"'“”„«»‹›()[]{}<>.,;:!?¿¡…。？！、`*"
#: the weight of a term that is not in the table of the weights of common terms in a mixed background corpus, which
#: does not depend on the knowledge base: ``evals/fit/rarity.py`` writes it
RARE = 1.0
#: what remains of a term's weight when every text at hand holds it
_COMMON = 0.2


@cache
def listed_languages() -> tuple[str, ...]:
    """Return the languages that have a list of stop words."""
    return tuple(lang for lang in sorted(LANGUAGES) if language(lang).stop_words)


@cache
def question_words(lang: str) -> frozenset[str]:
    """Return the words with which a question of the language begins; of "how many" none but "how"."""
    of = language(lang)
    asked = (*of.who, *of.what, *of.which, *of.when, *of.where, *of.why, *of.how, *of.by_what)
    return frozenset(" ".join(asked).split()) | {word for word in of.how_many if " " not in word}


def stop_words(lang: str) -> frozenset[str]:
    """Return the folded words of ``lang`` that carry no topic: stop words, question words and words of asking."""
    return _topicless(lang if language(lang).stop_words else "en")  # a page may name any language: none has a copy


@cache
def _topicless(lang: str) -> frozenset[str]:
    of = language(lang)
    return frozenset(map(fold, (*of.stop_words, *of.asking_words, *question_words(lang))))


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


def rarity(term: str, lang: str) -> float:
    """Return a term's weight in (0, 1]; in a language without a table every term weighs 1."""
    return _table().get(lang, {}).get(term, RARE)


def rarity_among(term: str, lang: str, holding: float, texts: int) -> float:
    """Return a term's rarity in the language, lowered by the share of the ``texts`` that contain it (``holding``)."""
    among = math.log1p((texts - holding + 0.5) / (holding + 0.5)) / math.log1p((texts + 0.5) / 0.5)
    return rarity(term, lang) * (_COMMON + (1 - _COMMON) * among)


@cache
def _table() -> dict[str, dict[str, float]]:
    loaded: dict[str, dict[str, float]] = json.loads(files(__package__).joinpath("rarity.json").read_text("utf-8"))
    return loaded
