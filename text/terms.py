"""Turn text into search terms, in the same way for passages and queries, and weigh them by rarity.

A term is a folded, stemmed word, a bigram of a script written without spaces (Chinese, Japanese, Korean, Thai, Lao,
Khmer, Burmese), a number, or an identifier kept whole besides its parts (``os.getcwd`` → os, getcwd, os.getcwd).
The full-text index splits its column at spaces and changes nothing: every decision about words is made here. So are
those about the words that carry no topic.
"""

import json
import math
import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Set
from functools import cache, lru_cache, partial
from importlib.resources import files
from itertools import pairwise
from typing import Final

import Stemmer

from domain import Passage
from text.languages import LANGUAGES, language

#: A longer term is cut: nobody types it, and one encoded blob must not fill the index.
MAX_TERM_CHARS: Final = 64
#: A longer word is a blob, or a sentence of a script without spaces, and seldom occurs again.
_MAX_REMEMBERED_CHARS: Final = 40
#: words cached for each language
_MAX_REMEMBERED: Final = 50_000

_STEMMERS: Final = {
    "und": "english", "en": "english", "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german",
    "el": "greek", "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian",
    "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch",
    "nn": "norwegian", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sr": "serbian", "st": "sesotho", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

#: Letters that no Unicode decomposition takes to their plain form.
_LETTERS: Final = str.maketrans(
    {"ø": "o", "đ": "d", "ł": "l", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "ـ": None}
)
# Marks fold away only where they decorate a letter (Latin, Greek, Arabic, Hebrew): in Russian (й), Japanese (が)
# or Hindi they make another letter.
_DECORATION: Final = re.compile(
    "(?<=[a-zα-ω])[\u0300-\u036f]+|(?<=е)\u0308|[\u0591-\u05bd\u05bf-\u05c7\u064b-\u0655\u0670]"
)

#: Vowel signs and other marks that belong to a word although ``\w`` leaves them out.
_MARKS: Final = (
    "\u0300-\u036f\u0483-\u0487\u0900-\u0903\u093a-\u094f\u0981-\u0983\u09bc-\u09cd\u0a01-\u0a03\u0a3c-\u0a4d"
    "\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b4d\u0b82\u0bbe-\u0bcd\u0c00-\u0c04\u0c3e-\u0c56\u0c81-\u0c83"
    "\u0cbc-\u0cd6\u0d00-\u0d03\u0d3b-\u0d4d\u0d81-\u0d83\u0dca-\u0ddf"
)
_UNSPACED: Final = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003fffd\u1100-\u11ff\uac00-\ud7a3"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1050-\u109f\u1780-\u17d3"
)
_SPACELESS_MARKS: Final = (
    "\u3099\u309a\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd"
    "\u102b-\u103e\u1056-\u1059\u17b4-\u17d3"
)
_CLUSTER: Final = re.compile(f"[^{_SPACELESS_MARKS}][{_SPACELESS_MARKS}]*|[{_SPACELESS_MARKS}]+")
#: the English list of the design documents
STOP_WORDS: Final = frozenset(language("en").stop_words)
_EDGES = "\"'“”„«»‹›()[]{}<>.,;:!?¿¡…。？！、`*"
#: the weight of a term that is not in the table of the weights of common terms in a mixed background corpus, which
#: does not depend on the knowledge base: ``evals/fit/rarity.py`` writes it
RARE = 1.0
#: what remains of a term's weight when every text at hand holds it
_COMMON = 0.2


def _pattern(letter: str, unspaced: str) -> re.Pattern[str]:
    """Match one run of an unspaced script, one number, or one word with the identifier it is part of."""
    word = f"(?:{letter})+"
    return re.compile(
        rf"(?P<unspaced>[{unspaced}]+)"
        rf"|(?P<number>(?<!\w)\d+(?:[.,]\d+)+(?!\w))"
        rf"|(?P<name>(?:(?<!\S)\.)?(?<!_)_*+{word}(?:(?:\.|::|_+){word})*_*(?:\+\+|\#(?!\w))?)"
    )


_ASCII: Final = _pattern("[a-z0-9]", "\x80")
_UNICODE: Final = _pattern(f"(?![{_UNSPACED}])[^\\W_]|[{_MARKS}]", _UNSPACED + _SPACELESS_MARKS)
_POSSESSIVE: Final = re.compile(r"(?<=\w)['’]s(?!\w)")
_CONTRACTION: Final = re.compile(r"(?<=n)['’](?=t(?!\w))")
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_PARTS: Final = re.compile(r"[._:+#]+")


def analyse(text: str, lang: str) -> list[str]:
    """Return the search terms of ``text`` in order, repeated as often as they occur.

    ``lang`` is ISO 639-1 (a region after it is ignored); "und" is stemmed as English, a language without a stemmer
    not at all.
    """
    # Words between spaces are analysed independently, and few of them are new: most are cached.
    remembered = _remembered(lang)
    terms: list[str] = []
    for token in text.split():
        terms += remembered[token]
    return terms


class _Remembered(dict[str, tuple[str, ...]]):
    """A cache of what is found in the tokens between spaces; cleared when it is full."""

    def __init__(self, find: Callable[[str], Iterable[str]]) -> None:
        self._find = find

    def __missing__(self, token: str) -> tuple[str, ...]:
        terms = tuple(self._find(token))
        if len(token) <= _MAX_REMEMBERED_CHARS:
            if len(self) >= _MAX_REMEMBERED:
                self.clear()
            self[token] = terms
        return terms


@lru_cache(maxsize=16)
def _remembered(lang: str) -> _Remembered:
    return _Remembered(partial(_analysed, lang=lang))


def _analysed(text: str, lang: str) -> list[str]:
    parts: list[str] = []
    wholes: list[tuple[int, str]] = []
    for found, whole in _names(fold(text)):
        parts += found
        if whole:
            wholes.append((len(parts), whole))
    terms = _stem(parts, lang)
    for position, whole in reversed(wholes):
        terms.insert(position, whole)
    return terms


def search_text(title: str, text: str, lang: str) -> str:
    """Return the terms of a passage joined by spaces: the column of the full-text index."""
    return " ".join(analyse(f"{title}\n{text}", lang))


def words(text: str) -> list[str]:
    """Return the folded words of ``text``, unstemmed; bigrams where a script has no spaces, so never 0 for text."""
    return [word for token in text.split() for word in _FOLDED[token]]


def spaced_words(text: str) -> str:
    """Return the folded words of a text between spaces, so that a name is found as whole words."""
    return f" {' '.join(words(text))} "


def fold(text: str) -> str:
    """Return ``text`` in one spelling: NFKC, lower case, ß as ss, without accents (straße = STRASSE, café = cafe)."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKC", text).casefold()
    # Casefolding can leave the normal form, and that form can fold again: twice is Unicode's own recipe.
    plain = unicodedata.normalize("NFKC", plain).casefold()
    decomposed = unicodedata.normalize("NFD", plain).translate(_LETTERS)
    return unicodedata.normalize("NFKC", _DECORATION.sub("", decomposed))


def _names(folded: str) -> Iterator[tuple[list[str], str]]:
    """Yield each word of folded text as (its parts, the identifier they make together or "")."""
    folded = _CONTRACTION.sub("", _POSSESSIVE.sub("", folded))
    for match in (_ASCII if folded.isascii() else _UNICODE).finditer(folded):
        found = match.group()
        if match.lastgroup == "unspaced":  # overlapping pairs of characters, each with its vowel signs
            clusters = _CLUSTER.findall(found)
            yield [one + other for one, other in pairwise(clusters)] or clusters, ""
        elif match.lastgroup == "number":
            yield [found.replace(",", "") if _THOUSANDS.fullmatch(found) else found], ""
        elif found.isalnum():
            yield [found[:MAX_TERM_CHARS]], ""
        else:
            parts = [part[:MAX_TERM_CHARS] for part in _PARTS.split(found.replace("_", ".")) if part]
            yield parts, "" if [found] == parts or len(found) > MAX_TERM_CHARS else found


_FOLDED: Final = _Remembered(lambda token: (word for found, _ in _names(fold(token)) for word in found))


#: the stemmers of one thread: a Snowball stemmer keeps state while it works and must not be shared
_stemmers: Final = threading.local()


def _stem(found: list[str], lang: str) -> list[str]:
    algorithm = _STEMMERS.get(lang.partition("-")[0].lower() or "und")
    if algorithm is None:
        return list(found)
    if not hasattr(_stemmers, algorithm):
        setattr(_stemmers, algorithm, Stemmer.Stemmer(algorithm))
    stemmed: list[str] = getattr(_stemmers, algorithm).stemWords(found)
    return stemmed


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
