"""The language a text is glossed from: told by its small words, where it has any, and by the words of the lexicons."""

from __future__ import annotations

import re
from typing import Final

from text.gloss.lexicon import LANGUAGES, english, small_words
from text.language import detect_language
from text.stopwords import STOP_WORDS

_WORD: Final = re.compile(r"[^\W\d_]+")
#: the share of small words that a text has at least, where it is of sentences
_SMALL: Final = 0.1


def glossed_from(text: str) -> str | None:
    """Return the language of a text where it is one with a lexicon; None where it may as well be English."""
    words = [word.lower() for word in _WORD.findall(text)]
    seen = {lang: sum(word in small_words(lang) for word in words) for lang in LANGUAGES}
    most = max(seen.values())
    if most and (most <= sum(word in STOP_WORDS for word in words) or most < _SMALL * len(words)):
        return None
    likely = [lang for lang in LANGUAGES if seen[lang] == most]
    lang = likely[0] if len(likely) == 1 else detect_language(text)
    if lang not in likely:
        return None
    return lang if most or _is_known(words, lang) else None


def _is_known(words: list[str], lang: str) -> bool:
    """Return whether most of some words have another form in English."""
    return 2 * sum((english(word, lang) or word) != word for word in words) > len(words)
