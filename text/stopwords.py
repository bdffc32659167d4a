"""List the words that carry no topic, by language; the languages' files have them (:mod:`text.languages`).

``STOP_WORDS`` is the design documents' English list; other languages have lists of their own. Question words are
separate: they show the kind of answer, not the topic.
"""

from functools import cache
from typing import Final

from text.analyser import fold
from text.languages import LANGUAGES, language

STOP_WORDS: Final = frozenset(language("en").stop_words)


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
    return _empty(lang if language(lang).stop_words else "en")


@cache
def _empty(lang: str) -> frozenset[str]:
    of = language(lang)
    return frozenset(map(fold, (*of.stop_words, *of.asking_words, *question_words(lang))))
