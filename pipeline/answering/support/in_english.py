"""Put a sentence and its quotes into English word by word, so that those of different languages can be compared."""

from __future__ import annotations

import re
from typing import Final

from text.gloss.gloss import gloss
from text.gloss.language import glossed_from
from text.gloss.lexicon import LANGUAGES, small_words
from text.stopwords import STOP_WORDS

#: what stands before a word without being one of its own: "l'", "dell'"; and "ne", which "pas" says again
_ELIDED: Final = re.compile(r"\b(?:ne\s+|\w{1,5}['’](?=\w))", re.IGNORECASE)
_ELIDING: Final = frozenset({"fr", "it"})
_WORD: Final = re.compile(r"[^\W\d_]+")


def is_comparable(lang: str) -> bool:
    """Return whether texts in a language (ISO 639-1) can be put into English."""
    return lang == "en" or lang in LANGUAGES


def in_english(text: str, lang: str) -> str:
    """Return the words of a text in English, in their order; in a language without a lexicon the text itself."""
    text = _ELIDED.sub("", text) if lang in _ELIDING else text
    return gloss(text, lang).text if lang in LANGUAGES else text


def language_of(sentence: str, lang: str) -> str:
    """Return the language of a sentence that should be in ``lang``: a model may write it in its source's."""
    if not is_comparable(lang) and lang not in ("und", ""):
        return lang
    return glossed_from(sentence) or ("en" if _is_english(sentence, lang) else lang)


def _is_english(sentence: str, lang: str) -> bool:
    """Return whether a sentence has small words of English that are none of ``lang``: "in" is German, too."""
    own = small_words(lang) if lang in LANGUAGES else ()
    return any(word in STOP_WORDS and word not in own for word in _WORD.findall(sentence.lower()))
